"""Suggest what could be done with the memory; nothing is done without being asked."""
