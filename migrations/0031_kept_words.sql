-- Words whose stem is that of an unrelated stop word get a root of their own in the full-text index beside the stem: a
-- search for "used" no longer looks for "us". The function is the program's.

UPDATE chunks SET grams = trim(grams || ' ' || kept_roots(text)) WHERE kept_roots(text) <> '';

UPDATE chunk_lengths SET words = (SELECT indexed_words(chunks_fts) FROM chunks_fts WHERE rowid = chunk_id)
    WHERE chunk_id IN (SELECT id FROM chunks WHERE instr(grams, char(57344)));
