"""Tags of memories: counts, renaming, merging."""
