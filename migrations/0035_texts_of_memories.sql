-- The text of a memory's chunk is its title and a part of its content, so the chunk says only which part. The words of
-- both stand once in the vault.

ALTER TABLE chunks RENAME COLUMN text TO own_text;
-- The first character of the part, counted from 1, and how many there are; null for a chunk that has its own text.
ALTER TABLE chunks ADD COLUMN content_start INTEGER;
ALTER TABLE chunks ADD COLUMN content_length INTEGER;

-- Texts of chunks never change: an item that changes gets other chunks.
DROP TRIGGER chunks_updated;
DROP TRIGGER chunks_pending_again;
DROP TRIGGER chunks_deleted;

CREATE VIEW chunk_texts AS
    SELECT id, kind, session_id, memory_id, seq_start, seq_end, seq_last, store, role,
        CASE WHEN content_start IS NULL THEN own_text ELSE (
            SELECT iif(title = '', '', title || char(10)) || substr(content, content_start, content_length)
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
        SELECT c.id, m.content, substr(c.own_text, iif(m.title = '', 0, length(m.title) + 1) + 1) AS words
        FROM memories m CROSS JOIN chunks c ON c.memory_id = m.id
        WHERE length(m.content) <= 262144 AND NOT instr(m.content, char(0)) AND NOT instr(m.title, char(0))
            AND iif(m.title = '', '', m.title || char(10)) = substr(c.own_text, 1, iif(m.title = '', 0, length(m.title) + 1))
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
            SELECT iif(title = '', '', title || char(10)) || substr(content, old.content_start, old.content_length)
            FROM memories WHERE memories.id = old.memory_id
        ) END,
        old.grams
    );
END;
CREATE TRIGGER memories_reworded BEFORE UPDATE OF title, content ON memories
WHEN new.title <> old.title OR new.content <> old.content BEGIN
    UPDATE chunks
    SET own_text = iif(old.title = '', '', old.title || char(10)) || substr(old.content, content_start, content_length),
        content_start = NULL, content_length = NULL
    WHERE memory_id = old.id AND content_start IS NOT NULL;
END;
CREATE TRIGGER memories_parted BEFORE DELETE ON memories BEGIN
    UPDATE chunks
    SET own_text = iif(old.title = '', '', old.title || char(10)) || substr(old.content, content_start, content_length),
        content_start = NULL, content_length = NULL
    WHERE memory_id = old.id AND content_start IS NOT NULL;
END;
