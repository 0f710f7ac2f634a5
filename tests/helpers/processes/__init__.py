"""Processes of Keepsake that start at once, and the bytecode that they share."""
