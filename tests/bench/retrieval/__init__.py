"""Retrieval benchmark: recall of each recipe on published data sets, through the public operations."""
