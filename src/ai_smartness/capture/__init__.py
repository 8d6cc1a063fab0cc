"""Stage 1: what happened becomes an event on a thread."""
