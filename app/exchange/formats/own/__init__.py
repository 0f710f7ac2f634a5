"""Keepsake's own files: JSON lines, encrypted exports and capsules."""
