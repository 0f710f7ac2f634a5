"""Random vaults and calls that test trust."""
