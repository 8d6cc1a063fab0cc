"""The tools that agents call: their definitions, their arguments, and what calls them."""
