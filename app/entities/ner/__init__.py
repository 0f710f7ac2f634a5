"""Named-entity recognition: providers, strategies and overlaps.

Pure functions, no database.
"""
