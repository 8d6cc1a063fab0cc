"""The clients of coding agents: their hook events, transcripts and installation.

The modules for events use the standard library only: the hook starts for every tool use.
"""
