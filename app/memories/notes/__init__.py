"""Notes by path and by template."""
