"""Generations: the vectors of one embedding model each, active, in building or kept."""
