"""Backups of a vault: made, kept, listed, compared and restored."""
