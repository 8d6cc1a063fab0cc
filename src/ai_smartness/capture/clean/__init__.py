"""Take the noise out of what was captured, and make the rest safe to keep."""

from ai_smartness.capture.clean.clean import MEMORY_CLOSE, MEMORY_OPEN, cleaned
from ai_smartness.capture.clean.cut import cut
from ai_smartness.capture.clean.harmless import harmless

__all__ = ["MEMORY_CLOSE", "MEMORY_OPEN", "cleaned", "cut", "harmless"]
