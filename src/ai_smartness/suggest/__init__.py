"""Beside compaction: what could be done, found by the memory and done by nobody unasked."""
