"""Remove the noise from captured text and make the rest safe to store."""

from ai_smartness.capture.clean.clean import cleaned_text, sanitized_text, whole_text

__all__ = ["cleaned_text", "sanitized_text", "whole_text"]
