"""Stage 4: ranked threads become text for this turn."""
