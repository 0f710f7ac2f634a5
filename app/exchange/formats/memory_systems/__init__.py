"""Readers of what other memory systems of agents export or store."""
