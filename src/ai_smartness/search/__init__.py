"""Stage 3: a query becomes ranked messages and threads."""
