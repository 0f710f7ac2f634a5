"""Commands made from the catalogue: one for each operation."""
