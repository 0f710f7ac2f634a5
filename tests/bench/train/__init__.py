"""Trains the learned recipe: feature matrices through the real code, listwise loss, weights with their record."""
