"""Embedders: models that turn texts into vectors."""
