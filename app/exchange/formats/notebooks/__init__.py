"""Readers of note programs and of documents."""
