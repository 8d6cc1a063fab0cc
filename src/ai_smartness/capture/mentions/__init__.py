"""Find what a message mentions: files, code, commands, addresses and errors."""

from ai_smartness.capture.mentions.extract import MOST_OF_EACH, Mentions, extract_mentions
from ai_smartness.capture.mentions.file_paths import FilePlace

__all__ = ["MOST_OF_EACH", "FilePlace", "Mentions", "extract_mentions"]
