-- Searches that the person saved, in the order in which the window lists them.
CREATE TABLE saved_searches (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL CHECK (name <> ''),
    query      TEXT NOT NULL UNIQUE CHECK (query <> ''),
    position   INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
