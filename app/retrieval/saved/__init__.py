"""Saved searches: queries that a person keeps under a name."""
