-- Turns by their writer, where that is another agent than the one that the conversation names. An agent may give a
-- conversation any agent's name; what it wrote is still known to be its own.

-- A row with the numbers 0 to 0 says who made the conversation.
CREATE TABLE turn_writers (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    first_seq  INTEGER NOT NULL,
    last_seq   INTEGER NOT NULL,
    writer     TEXT NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (session_id, first_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX turns_by_writer ON turn_writers (writer, at);

-- Turns that were taken out of a conversation which stays, because their writer is in quarantine or was undone.
CREATE TABLE withheld_messages (
    id              INTEGER PRIMARY KEY,
    session_id      TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    writer          TEXT NOT NULL,
    was_preview     INTEGER NOT NULL DEFAULT 0 CHECK (was_preview IN (0, 1)),
    seq             INTEGER NOT NULL,
    role            TEXT NOT NULL,
    author          TEXT NOT NULL DEFAULT '',
    content         TEXT NOT NULL,
    tool_call_id    TEXT,
    tool_name       TEXT,
    tool_calls      TEXT CHECK (tool_calls IS NULL OR json_valid(tool_calls)),
    payload         TEXT CHECK (payload IS NULL OR json_valid(payload)),
    importance      REAL NOT NULL,
    tokens          INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    UNIQUE (session_id, seq)
) STRICT;
