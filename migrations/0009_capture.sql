-- Positions in the transcripts that other programs write, and an index that makes no vectors of what tools answer.

-- How far each file was read. "tail" is a digest of the bytes before "position": a file that was cut or replaced is read
-- from its beginning. Messages are known by their ids, so that none is stored twice.
CREATE TABLE transcript_files (
    path     TEXT PRIMARY KEY,
    format   TEXT NOT NULL,
    agent    TEXT NOT NULL DEFAULT '', -- the agent that sends it, empty where the file itself is read
    position INTEGER NOT NULL DEFAULT 0,
    tail     TEXT NOT NULL DEFAULT '',
    size     INTEGER NOT NULL DEFAULT 0,
    changed  INTEGER NOT NULL DEFAULT 0, -- the file's own time, in nanoseconds
    state    TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(state)),
    read_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

DROP TRIGGER chunks_pending;
DROP TRIGGER chunks_pending_again;
DROP INDEX chunks_embedded;
CREATE INDEX chunks_embedded ON chunks (kind, seq_start, seq_end)
    WHERE (kind <> 'passage' OR seq_start = seq_end) AND role <> 'tool';
CREATE TRIGGER chunks_pending AFTER INSERT ON chunks
WHEN (new.kind <> 'passage' OR new.seq_start = new.seq_end) AND new.role <> 'tool' BEGIN
    INSERT INTO pending_vectors (chunk_id) VALUES (new.id);
END;
CREATE TRIGGER chunks_pending_again AFTER UPDATE OF text ON chunks
WHEN (new.kind <> 'passage' OR new.seq_start = new.seq_end) AND new.role <> 'tool' BEGIN
    INSERT INTO pending_vectors (chunk_id) VALUES (new.id) ON CONFLICT (chunk_id) DO UPDATE SET attempts = 0, retry_at = 0;
END;
DELETE FROM pending_vectors WHERE chunk_id IN (SELECT id FROM chunks WHERE role = 'tool');
-- Their vectors are dropped in the background.
INSERT INTO meta (key, value) SELECT 'index.drop_tool_vectors', '0' WHERE EXISTS (SELECT 1 FROM chunks WHERE role = 'tool');
