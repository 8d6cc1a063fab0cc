"""Delete messages for good: from the store, its copies and its files, with a proof."""
