"""The archive: memories that are out of the way but not lost."""
