"""The command `ais`."""
