"""Bring in what was said before: transcripts of sessions, notes, the memories of other tools."""
