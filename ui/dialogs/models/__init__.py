"""Dialog about search models: the list, preparing one, comparing two."""
