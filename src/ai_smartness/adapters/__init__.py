"""What we call: stores, embedders, the file system, git, the clock."""
