"""Machines that come, go and seal what they exchange."""
