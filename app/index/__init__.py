"""Search index: chunks with their full-text and vector entries. Owns chunks, chunks_fts and vectors_* (derived)."""
