"""A memory in one SQLite file: store, full text, vectors, backups. All SQL stands here."""
