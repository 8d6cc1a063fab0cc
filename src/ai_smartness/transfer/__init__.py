"""Bring in what was said before: transcripts of sessions, notes, the memories of other tools.

Take a memory out whole, and take it in again; or write it for people to read.
"""
