"""Folding of changes: concurrent changes of a row become one row, and back."""
