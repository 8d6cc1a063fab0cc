"""What other tools wrote down of sessions, and notes: found where it is kept, read as a stream."""

from ai_smartness.adapters.transcripts.transcripts import Transcripts

__all__ = ["Transcripts"]
