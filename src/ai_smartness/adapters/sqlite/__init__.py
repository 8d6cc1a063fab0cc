"""One file on this machine."""
