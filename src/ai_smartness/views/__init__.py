"""What people and agents are shown: pages and JSON shared by commands, tools and virtual paths."""
