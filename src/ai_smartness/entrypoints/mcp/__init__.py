"""The MCP server: the memory's tools for any agent that speaks the protocol, over stdio.

The official SDK speaks it; `greeting` answers for the second that loading the SDK takes.
"""
