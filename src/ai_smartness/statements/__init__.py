"""Statements: the sentences of a memory that hold beyond their turn."""
