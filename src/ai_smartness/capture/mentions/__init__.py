"""Find what a message names: files, code, commands, addresses and errors."""

from ai_smartness.capture.mentions.extract import (
    MOST_OF_EACH,
    FilePlace,
    Mentions,
    extract_mentions,
)

__all__ = ["MOST_OF_EACH", "FilePlace", "Mentions", "extract_mentions"]
