"""Checks of a vault and repair of what is derived."""
