"""The nearest of many vectors."""
