"""Agents pane: programs that use the vault, their limits and their calls."""
