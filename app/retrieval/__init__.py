"""Search: query language, candidates, ranking and results. Reads the index and stores nothing."""
