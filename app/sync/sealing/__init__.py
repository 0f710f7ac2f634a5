"""Sealing of what a person's machines exchange, so that the place cannot read it."""
