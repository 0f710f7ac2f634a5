"""How much of the evidence each recipe finds, over published data sets, through the public operations."""
