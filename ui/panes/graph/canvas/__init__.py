"""Painted graph: arrays, viewport, painting, labels and layout."""
