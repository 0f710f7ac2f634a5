"""The window's process: start, stop, single instance, signals, failures."""
