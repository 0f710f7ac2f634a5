-- The text of a memory's chunk is its title and a part of its content, so the chunk says only which part. The words of
-- both stand once in the vault.

ALTER TABLE chunks RENAME COLUMN text TO own_text;
-- The first byte of the part in UTF-8, counted from 1, and how many there are; null for a chunk that has its own text.
ALTER TABLE chunks ADD COLUMN content_start INTEGER;
ALTER TABLE chunks ADD COLUMN content_length INTEGER;

-- Texts of chunks never change: an item that changes gets other chunks.
DROP TRIGGER chunks_updated;
DROP TRIGGER chunks_pending_again;
DROP TRIGGER chunks_deleted;

CREATE VIEW chunk_texts AS
    SELECT id, kind, session_id, memory_id, seq_start, seq_end, seq_last, store, role,
        CASE WHEN content_start IS NULL THEN own_text ELSE (
            SELECT iif(title = '', '', title || char(10))
                || CAST(substr(CAST(content AS BLOB), content_start, content_length) AS TEXT)
            FROM memories WHERE memories.id = chunks.memory_id
        ) END AS text,
        grams, content_hash, created_at
    FROM chunks;

PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'content = ''chunks''', 'content = ''chunk_texts''')
WHERE type = 'table' AND name = 'chunks_fts';
PRAGMA writable_schema = RESET;

-- A hash is kept of passages alone, among which one that is said again is looked for by it.
WITH parts AS MATERIALIZED (
    SELECT id, instr(content, words) AS start, length(words) AS length
    FROM (
        SELECT c.id, m.content, substr(CAST(c.own_text AS BLOB), length(m.head) + 1) AS words
        FROM (
            SELECT id, CAST(content AS BLOB) AS content, CAST(iif(title = '', '', title || char(10)) AS BLOB) AS head
            FROM memories WHERE octet_length(content) <= 262144
        ) m
        CROSS JOIN chunks c ON c.memory_id = m.id
        WHERE substr(CAST(c.own_text AS BLOB), 1, length(m.head)) = m.head
    )
)
UPDATE chunks
SET own_text = '', content_hash = '', content_start = parts.start, content_length = parts.length
FROM parts WHERE parts.id = chunks.id AND parts.start > 0;

-- Words of a chunk are deleted by its text, which an item that changes takes along.
CREATE TRIGGER chunks_deleted AFTER DELETE ON chunks BEGIN
    INSERT INTO chunks_fts (chunks_fts, rowid, text, grams) VALUES (
        'delete', old.id,
        CASE WHEN old.content_start IS NULL THEN old.own_text ELSE (
            SELECT iif(title = '', '', title || char(10))
                || CAST(substr(CAST(content AS BLOB), old.content_start, old.content_length) AS TEXT)
            FROM memories WHERE memories.id = old.memory_id
        ) END,
        old.grams
    );
END;
CREATE TRIGGER memories_reworded BEFORE UPDATE OF title, content ON memories
WHEN new.title <> old.title OR new.content <> old.content BEGIN
    UPDATE chunks
    SET own_text = iif(old.title = '', '', old.title || char(10))
            || CAST(substr(CAST(old.content AS BLOB), content_start, content_length) AS TEXT),
        content_start = NULL, content_length = NULL
    WHERE memory_id = old.id AND content_start IS NOT NULL;
END;
CREATE TRIGGER memories_parted BEFORE DELETE ON memories BEGIN
    UPDATE chunks
    SET own_text = iif(old.title = '', '', old.title || char(10))
            || CAST(substr(CAST(old.content AS BLOB), content_start, content_length) AS TEXT),
        content_start = NULL, content_length = NULL
    WHERE memory_id = old.id AND content_start IS NOT NULL;
END;
