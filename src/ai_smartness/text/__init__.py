"""Functions on plain text that the core and the hook share: standard library only."""
