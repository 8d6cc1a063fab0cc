"""Find what a message names: files, code, commands, addresses and errors."""

from ai_smartness.capture.extract.extract import MOST_OF_EACH, Extract, Place, extracted

__all__ = ["MOST_OF_EACH", "Extract", "Place", "extracted"]
