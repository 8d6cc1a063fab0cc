"""What full-text search is on every engine: the same tokens, the same scores."""
