"""Undo in the window: what can be taken back, and why something cannot."""
