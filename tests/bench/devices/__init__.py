"""Random histories of several machines with one memory."""
