"""Let go for good of what was said: out of every table, index and file."""
