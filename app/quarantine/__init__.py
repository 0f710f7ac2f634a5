"""Quarantine: what an agent wrote is undone, or hidden until it is released."""
