"""Decay of facts: confidence that falls, its record and undo, and a forecast."""
