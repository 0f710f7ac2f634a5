"""Watchers of the vault: what the window says by itself when something changes."""
