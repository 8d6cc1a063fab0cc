"""Where a memory is kept."""
