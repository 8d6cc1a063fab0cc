"""Delete messages for good, from the store, its copies and its files, and prove that they are gone."""
