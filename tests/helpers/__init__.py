"""Fixtures and hooks shared by every test."""
