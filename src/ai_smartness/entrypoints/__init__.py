"""What calls us."""
