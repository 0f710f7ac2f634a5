"""Candidates of a search: one retriever a file, and the filters they obey."""
