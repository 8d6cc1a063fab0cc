"""Take the noise out of what was captured, and make the rest safe to keep."""

from ai_smartness.capture.clean.clean import MEMORY_CLOSE, MEMORY_OPEN, cleaned_text, truncated_text
from ai_smartness.text.sanitize import sanitized_text

__all__ = ["MEMORY_CLOSE", "MEMORY_OPEN", "cleaned_text", "sanitized_text", "truncated_text"]
