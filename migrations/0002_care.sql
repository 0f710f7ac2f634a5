-- What writing with care, looking at the past, archives, trials and large indexes need. The index's chunks are put into a
-- table anew, for the way their ids are given cannot be changed in place; words and vectors know them by the same ids.

-- Conversations ------------------------------------------------------------------------------------------------

-- No role has more by default, so these are the turns that somebody marked.
CREATE INDEX messages_salient ON messages (importance DESC, created_at DESC) WHERE importance > 0.5;

-- Appends that their caller gave a key of its own: asked for again, they are answered and not stored a second time.
CREATE TABLE append_receipts (
    actor      TEXT NOT NULL,
    key        TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    first_seq  INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (actor, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX receipts_by_session ON append_receipts (session_id);

ALTER TABLE session_state ADD COLUMN captured_seq INTEGER NOT NULL DEFAULT 0;

-- Durable items ------------------------------------------------------------------------------------------------

ALTER TABLE memories ADD COLUMN files TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(files));
ALTER TABLE memories ADD COLUMN people TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(people));
CREATE INDEX memories_by_event ON memories (coalesce(event_time, created_at), id, store, kind)
    WHERE valid_until IS NULL;
CREATE INDEX memories_read ON memories (store, access_count, last_accessed)
    WHERE last_accessed IS NOT NULL AND valid_until IS NULL;
CREATE INDEX memories_expiring ON memories (expires_at, id) WHERE expires_at IS NOT NULL AND valid_until IS NULL;
-- One for each store: a fact that a caller may not see stands in nobody's way.
DROP INDEX facts_by_key;
CREATE UNIQUE INDEX facts_by_key ON memories (category, key, store)
    WHERE kind = 'fact' AND key <> '' AND valid_until IS NULL;

-- With the time of each entry, so that the vault as it stood at a moment is found without reading the states.
DROP INDEX history_by_target;
CREATE INDEX history_by_target ON memory_history (target, id, at, target_kind);
CREATE INDEX history_by_time ON memory_history (target_kind, at, target);

-- The index ----------------------------------------------------------------------------------------------------

CREATE TEMP TABLE waiting AS SELECT chunk_id, attempts, retry_at FROM pending_vectors;
-- An id is never given again: caches beside the database (words, vectors) know a chunk by it and keep no text.
CREATE TABLE chunks_numbered (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    kind         TEXT NOT NULL CHECK (kind IN ('message', 'passage', 'memory')),
    session_id   TEXT,
    memory_id    TEXT,
    seq_start    INTEGER NOT NULL DEFAULT 0,
    seq_end      INTEGER NOT NULL DEFAULT 0,
    seq_last     INTEGER, -- the last turn that says the same; null where none says it again
    store        TEXT NOT NULL DEFAULT 'private',
    role         TEXT NOT NULL DEFAULT '',
    text         TEXT NOT NULL,
    grams        TEXT NOT NULL DEFAULT '',
    content_hash TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    error        TEXT
) STRICT;
INSERT INTO chunks_numbered (id, kind, session_id, memory_id, seq_start, seq_end, store, role, text, grams, content_hash, created_at, error) SELECT id, kind, session_id, memory_id, seq_start, seq_end, store, role, text, grams, content_hash, created_at, error FROM chunks ORDER BY id;
DROP TABLE chunks;
ALTER TABLE chunks_numbered RENAME TO chunks;
INSERT INTO pending_vectors SELECT chunk_id, attempts, retry_at FROM temp.waiting WHERE true
    ON CONFLICT (chunk_id) DO NOTHING;
DROP TABLE temp.waiting;
CREATE INDEX chunks_by_session ON chunks (session_id, kind, seq_start) WHERE session_id IS NOT NULL;
CREATE INDEX chunks_embedded ON chunks (kind, seq_start, seq_end) WHERE kind <> 'passage' OR seq_start = seq_end;
-- Pieces of long turns by what they say: a text that a session repeats is indexed once.
CREATE INDEX chunks_said ON chunks (session_id, content_hash) WHERE kind = 'passage' AND seq_start = seq_end;
CREATE INDEX chunks_by_memory ON chunks (memory_id) WHERE memory_id IS NOT NULL;
CREATE INDEX chunks_by_time ON chunks (created_at);
CREATE INDEX chunks_by_role ON chunks (kind, role);
CREATE INDEX chunks_by_store ON chunks (store) WHERE store <> 'private';
CREATE TRIGGER chunks_inserted AFTER INSERT ON chunks BEGIN
    INSERT INTO chunks_fts (rowid, text, grams) VALUES (new.id, new.text, new.grams);
END;
CREATE TRIGGER chunks_deleted AFTER DELETE ON chunks BEGIN
    INSERT INTO chunks_fts (chunks_fts, rowid, text, grams) VALUES ('delete', old.id, old.text, old.grams);
END;
CREATE TRIGGER chunks_updated AFTER UPDATE OF text, grams ON chunks BEGIN
    INSERT INTO chunks_fts (chunks_fts, rowid, text, grams) VALUES ('delete', old.id, old.text, old.grams);
    INSERT INTO chunks_fts (rowid, text, grams) VALUES (new.id, new.text, new.grams);
END;
CREATE TRIGGER chunks_pending AFTER INSERT ON chunks WHEN new.kind <> 'passage' OR new.seq_start = new.seq_end BEGIN
    INSERT INTO pending_vectors (chunk_id) VALUES (new.id);
END;
CREATE TRIGGER chunks_pending_again AFTER UPDATE OF text ON chunks
WHEN new.kind <> 'passage' OR new.seq_start = new.seq_end BEGIN
    INSERT INTO pending_vectors (chunk_id) VALUES (new.id) ON CONFLICT (chunk_id) DO UPDATE SET attempts = 0, retry_at = 0;
END;

-- What its embedder is opened from again, as JSON, never a key; when it ceased to serve, null while it serves or is built.
ALTER TABLE generations ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE generations ADD COLUMN retired_at INTEGER;

-- Long sessions on their way out of the index, forgotten, or back into it; what is leaving is found no more.
CREATE TABLE session_moves (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    is_leaving INTEGER NOT NULL CHECK (is_leaving IN (0, 1)),
    after_seq  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Tests of the search with the person's own questions: figures only in trials, never exported. A judgement goes with
-- what it is about.
CREATE TABLE trials (
    id     TEXT PRIMARY KEY,
    at     INTEGER NOT NULL,
    recipe TEXT NOT NULL,
    model  TEXT NOT NULL,
    report TEXT NOT NULL CHECK (json_valid(report))
) STRICT, WITHOUT ROWID;
CREATE INDEX trials_by_time ON trials (at);
CREATE TABLE judgements (
    target TEXT NOT NULL,
    query  TEXT NOT NULL,
    good   INTEGER NOT NULL CHECK (good IN (0, 1)),
    at     INTEGER NOT NULL,
    PRIMARY KEY (target, query)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER memories_unjudged AFTER DELETE ON memories BEGIN
    DELETE FROM judgements WHERE target = old.id
        AND NOT EXISTS (SELECT 1 FROM memory_archive a WHERE a.id = old.id);
END;
CREATE TRIGGER archived_unjudged AFTER DELETE ON memory_archive BEGIN
    DELETE FROM judgements WHERE target = old.id AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = old.id);
END;
CREATE TRIGGER messages_unjudged AFTER DELETE ON messages BEGIN
    DELETE FROM judgements WHERE target = old.session_id || '#' || old.seq;
END;
