"""Rules about time: spans as people write them, zones, clocks of several machines."""
