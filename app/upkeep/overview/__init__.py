"""Overview of a vault's safety and privacy."""
