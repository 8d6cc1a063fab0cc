"""Put stored words between the marks by which capture knows them for our own."""

__all__ = ["marked"]

MEMORY_OPEN, MEMORY_CLOSE = "<ai-smartness-memory>", "</ai-smartness-memory>"


def marked(text: str) -> str:
    """Return the text between the marks, lest memory feed on memory when it comes back."""
    return f"{MEMORY_OPEN}\n{text}\n{MEMORY_CLOSE}"
