"""Stage 5: keep it small, lose nothing."""
