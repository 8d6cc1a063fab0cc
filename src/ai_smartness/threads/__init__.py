"""Stage 2: the rules a thread lives by."""
