"""Queries: the language, what a question asks for, full-text expressions."""
