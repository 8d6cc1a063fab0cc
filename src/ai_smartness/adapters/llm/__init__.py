"""Language models, for those who configure one: a program on this machine, or a server."""
