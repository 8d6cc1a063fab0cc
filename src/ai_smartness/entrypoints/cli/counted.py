"""Numbers with what they count."""

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """Write a number with what it counts."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
