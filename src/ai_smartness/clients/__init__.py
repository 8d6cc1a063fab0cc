"""What of a session's events is kept, told by a hook as it happens or by a transcript later.

The standard library alone: a hook is started for every tool that an agent uses.
"""
