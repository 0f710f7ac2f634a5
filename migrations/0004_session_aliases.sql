-- Other ids of a conversation: a program that gave its channel a new id still means the conversation it had there.
CREATE TABLE session_aliases (
    alias      TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    added_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_by_session ON session_aliases (session_id);
