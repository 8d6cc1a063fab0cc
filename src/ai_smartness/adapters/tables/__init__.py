"""The tables that SQLite and PostgreSQL share: one set of statements, written for both."""
