"""What an agent client starts: standard library only, so that it costs an interpreter start."""
