"""Training of the learned recipe: feature matrices, listwise loss, and weights with their report."""
