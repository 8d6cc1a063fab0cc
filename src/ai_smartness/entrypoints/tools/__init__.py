"""The tools that agents call: one short function for each verb, and what it answers.

Nothing here knows how a call arrives: the MCP server, the daemon and `ais … --json` share it.
"""
