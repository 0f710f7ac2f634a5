"""Acts: entries of the history as a person sees them, such as imports and edits."""
