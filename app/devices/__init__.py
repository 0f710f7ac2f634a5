"""Devices: the machines of a person that share one memory."""
