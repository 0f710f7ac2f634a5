-- How many words each chunk has in the full-text index, its text and grams together: search reads the lengths of all
-- chunks at once. The index by time has them too, so that both are read without the texts.

ALTER TABLE chunks ADD COLUMN words INTEGER NOT NULL DEFAULT 0;

DROP INDEX chunks_by_time;
UPDATE chunks SET words = counted.words
FROM (SELECT rowid AS id, indexed_words(chunks_fts) AS words FROM chunks_fts) AS counted WHERE counted.id = chunks.id;
CREATE INDEX chunks_by_time ON chunks (created_at, words);
