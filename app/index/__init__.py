"""The search index: chunks, their words and vectors. Owns chunks, chunks_fts, vectors_* (derived, rebuildable)."""
