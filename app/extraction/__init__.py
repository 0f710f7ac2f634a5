"""Facts from conversations by rules alone, with no language model."""
