"""Take a memory out whole, and take it in again; or write it for people to read."""
