"""Where a session stood, for the next one."""
