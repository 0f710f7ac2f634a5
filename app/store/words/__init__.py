"""Words as the full-text index has them."""
