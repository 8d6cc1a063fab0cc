"""A memory in a PostgreSQL database with pgvector, for a team. Needs `ai-smartness[postgres]`."""
