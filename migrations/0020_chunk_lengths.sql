-- How many words each chunk has in the full-text index, its text and grams together. Search reads the lengths of all
-- chunks at once, so they stand apart from the texts.

CREATE TABLE chunk_lengths (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    words    INTEGER NOT NULL
) STRICT;

INSERT INTO chunk_lengths (chunk_id, words) SELECT rowid, indexed_words(chunks_fts) FROM chunks_fts;
