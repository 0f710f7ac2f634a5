"""Keepsake's engine: everything but the window."""

__version__ = "0.1.0"
