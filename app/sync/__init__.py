"""Agreement of several machines with one vault."""
