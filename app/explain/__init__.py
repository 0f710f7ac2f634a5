"""Explanations of a search: why an item is shown, or why it is not."""
