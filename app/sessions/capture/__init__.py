"""Capture of conversations: what is kept, write-behind, and the work after a turn."""
