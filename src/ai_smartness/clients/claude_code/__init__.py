"""Put our hooks into a client's settings, and take them out again without a trace."""
