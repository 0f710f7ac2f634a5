-- The whole schema of a vault. Canonical: sessions, messages, session_state, memories and what hangs on them,
-- entities the person touched, schedules, agents, audit, inbox, files. Derived, and rebuilt by one command: chunks,
-- chunks_fts, vectors_*, automatic mentions.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Conversations ------------------------------------------------------------------------------------------------

CREATE TABLE sessions (
    rowid           INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    title           TEXT NOT NULL DEFAULT '',
    agent           TEXT NOT NULL DEFAULT '',
    channel         TEXT NOT NULL DEFAULT '',
    trust           TEXT NOT NULL DEFAULT 'full' CHECK (trust IN ('full', 'inner', 'familiar', 'public')),
    preview         TEXT NOT NULL DEFAULT '',
    message_count   INTEGER NOT NULL DEFAULT 0,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    first_seen      INTEGER NOT NULL,
    consolidated_at INTEGER,
    forgotten_at    INTEGER,
    attributes      TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(attributes))
) STRICT;
CREATE INDEX sessions_listed ON sessions (updated_at DESC, rowid DESC, id, agent, message_count)
    WHERE forgotten_at IS NULL;
CREATE INDEX sessions_by_channel ON sessions (channel) WHERE channel <> '';
CREATE INDEX sessions_pending ON sessions (updated_at) WHERE consolidated_at IS NULL AND forgotten_at IS NULL;

CREATE TABLE messages (
    rowid           INTEGER PRIMARY KEY,
    session_id      TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    seq             INTEGER NOT NULL,
    role            TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'system')),
    author          TEXT NOT NULL DEFAULT '',
    content         TEXT NOT NULL,
    tool_call_id    TEXT,
    tool_name       TEXT,
    tool_calls      TEXT CHECK (tool_calls IS NULL OR json_valid(tool_calls)),
    payload         TEXT CHECK (payload IS NULL OR json_valid(payload)),
    importance      REAL NOT NULL DEFAULT 0.5 CHECK (importance BETWEEN 0 AND 1),
    tokens          INTEGER NOT NULL DEFAULT 0,
    created_at      INTEGER NOT NULL,
    embedding_error TEXT,
    UNIQUE (session_id, seq)
) STRICT;
CREATE INDEX messages_by_time ON messages (created_at);

CREATE TABLE session_state (
    session_id        TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    last_seq          INTEGER NOT NULL DEFAULT 0,
    passage_seq       INTEGER NOT NULL DEFAULT 0,
    summary           TEXT NOT NULL DEFAULT '',
    summary_epoch     INTEGER NOT NULL DEFAULT 0,
    summary_upper_seq INTEGER NOT NULL DEFAULT 0,
    scratchpad        TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(scratchpad)),
    updated_at        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_lagging ON session_state (session_id) WHERE last_seq > passage_seq;

CREATE TABLE session_summaries (
    agent      TEXT NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    summary    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (agent, session_id)
) STRICT, WITHOUT ROWID;

-- Durable items ------------------------------------------------------------------------------------------------

CREATE TABLE memories (
    rowid          INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    kind           TEXT NOT NULL CHECK (kind IN ('note', 'fact', 'observation', 'reflection', 'digest')),
    title          TEXT NOT NULL DEFAULT '',
    title_key      TEXT NOT NULL DEFAULT '',
    content        TEXT NOT NULL,
    facts          TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(facts)),
    category       TEXT NOT NULL DEFAULT '',
    key            TEXT NOT NULL DEFAULT '',
    type           TEXT NOT NULL DEFAULT '',
    store          TEXT NOT NULL DEFAULT 'private' CHECK (store IN ('private', 'shared', 'social')),
    source         TEXT NOT NULL DEFAULT '',
    session_id     TEXT,
    confidence     REAL NOT NULL DEFAULT 1.0 CHECK (confidence BETWEEN 0 AND 1),
    decay_rate     REAL NOT NULL DEFAULT 0.0,
    pinned         INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    access_count   INTEGER NOT NULL DEFAULT 0,
    last_accessed  INTEGER,
    mention_count  INTEGER NOT NULL DEFAULT 1,
    tokens         INTEGER NOT NULL DEFAULT 0,
    content_hash   TEXT NOT NULL,
    event_time     INTEGER,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    valid_until    INTEGER,
    expires_at     INTEGER,
    superseded_by  TEXT,
    schema_version INTEGER NOT NULL DEFAULT 1,
    version        INTEGER NOT NULL DEFAULT 1,
    attributes     TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(attributes))
) STRICT;
CREATE INDEX memories_listed ON memories (pinned DESC, updated_at DESC, rowid DESC, id, kind, store, source)
    WHERE valid_until IS NULL;
CREATE INDEX memories_by_created ON memories (pinned DESC, created_at DESC, rowid DESC, id) WHERE valid_until IS NULL;
CREATE INDEX memories_by_name ON memories (pinned DESC, title_key = '', title_key, rowid, id)
    WHERE valid_until IS NULL;
CREATE INDEX memories_deleted ON memories (valid_until DESC, rowid, id, superseded_by) WHERE valid_until IS NOT NULL;
CREATE INDEX memories_aliased ON memories (created_at)
    WHERE valid_until IS NULL AND json_extract(attributes, '$.aliases') IS NOT NULL;
CREATE INDEX memories_by_kind ON memories (kind, updated_at DESC) WHERE valid_until IS NULL;
CREATE INDEX memories_by_title ON memories (title_key) WHERE valid_until IS NULL;
CREATE INDEX memories_by_hash ON memories (content_hash) WHERE valid_until IS NULL;
CREATE INDEX memories_by_session ON memories (session_id) WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX facts_by_key ON memories (category, key)
    WHERE kind = 'fact' AND key <> '' AND valid_until IS NULL;

CREATE TABLE memory_tags (
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE ON UPDATE CASCADE,
    tag       TEXT NOT NULL,
    position  INTEGER NOT NULL,
    PRIMARY KEY (memory_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX tags_by_name ON memory_tags (tag, memory_id);

CREATE TABLE memory_links (
    memory_id  TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE ON UPDATE CASCADE,
    relation   TEXT NOT NULL CHECK (relation IN ('wiki', 'file', 'person')),
    target     TEXT NOT NULL,
    target_key TEXT NOT NULL,
    context    TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (memory_id, relation, target_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_target ON memory_links (relation, target_key, memory_id);

CREATE TABLE memory_sources (
    memory_id   TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE ON UPDATE CASCADE,
    source_kind TEXT NOT NULL CHECK (source_kind IN ('message', 'memory')),
    source_id   TEXT NOT NULL,
    PRIMARY KEY (memory_id, source_kind, source_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sources_by_source ON memory_sources (source_kind, source_id);

CREATE TABLE memory_history (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    target_kind TEXT NOT NULL CHECK (target_kind IN ('memory', 'session', 'entity')),
    target      TEXT NOT NULL,
    event       TEXT NOT NULL,
    before      TEXT CHECK (before IS NULL OR json_valid(before)),
    after       TEXT CHECK (after IS NULL OR json_valid(after)),
    actor       TEXT NOT NULL,
    run_id      TEXT,
    at          INTEGER NOT NULL,
    undone_by   INTEGER REFERENCES memory_history (id)
) STRICT;
CREATE INDEX history_by_target ON memory_history (target, id);
CREATE INDEX history_by_run ON memory_history (run_id, id) WHERE run_id IS NOT NULL;

CREATE TABLE memory_archive (
    id          TEXT PRIMARY KEY,
    kind        TEXT NOT NULL,
    payload     TEXT NOT NULL CHECK (json_valid(payload)),
    archived_at INTEGER NOT NULL,
    reason      TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX archive_by_time ON memory_archive (archived_at);

-- Entities -----------------------------------------------------------------------------------------------------

CREATE TABLE entities (
    rowid          INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    canonical_name TEXT NOT NULL,
    name_key       TEXT NOT NULL,
    type           TEXT NOT NULL,
    summary        TEXT NOT NULL DEFAULT '',
    mention_count  INTEGER NOT NULL DEFAULT 0,
    protected      INTEGER NOT NULL DEFAULT 0 CHECK (protected IN (0, 1)),
    touched        INTEGER NOT NULL DEFAULT 0 CHECK (touched IN (0, 1)),
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    merged_into    TEXT,
    position_x     REAL,
    position_y     REAL,
    attributes     TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(attributes)),
    UNIQUE (name_key, type)
) STRICT;

CREATE TABLE entity_aliases (
    alias_key TEXT NOT NULL,
    entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    alias     TEXT NOT NULL,
    PRIMARY KEY (alias_key, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_by_entity ON entity_aliases (entity_id);

CREATE TABLE mentions (
    entity_id  TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('message', 'memory')),
    owner_id   TEXT NOT NULL,
    start      INTEGER NOT NULL DEFAULT -1,
    length     INTEGER NOT NULL DEFAULT 0,
    confidence REAL NOT NULL DEFAULT 1.0,
    provider   TEXT NOT NULL DEFAULT '',
    at         INTEGER NOT NULL,
    PRIMARY KEY (entity_id, owner_kind, owner_id, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_owner ON mentions (owner_kind, owner_id);

CREATE TABLE relations (
    subject_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    predicate  TEXT NOT NULL,
    object_id  TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    weight     REAL NOT NULL DEFAULT 1.0,
    source     TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    PRIMARY KEY (subject_id, predicate, object_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX relations_by_object ON relations (object_id);

CREATE VIEW co_occurrences AS
    SELECT a.entity_id AS first_id, b.entity_id AS second_id, count(DISTINCT a.owner_id) AS weight, max(a.at) AS last_at
    FROM mentions a
    JOIN mentions b ON a.owner_kind = b.owner_kind AND a.owner_id = b.owner_id AND a.entity_id < b.entity_id
    GROUP BY a.entity_id, b.entity_id;

-- The index ----------------------------------------------------------------------------------------------------

CREATE TABLE chunks (
    id           INTEGER PRIMARY KEY,
    kind         TEXT NOT NULL CHECK (kind IN ('message', 'passage', 'memory')),
    session_id   TEXT,
    memory_id    TEXT,
    seq_start    INTEGER NOT NULL DEFAULT 0,
    seq_end      INTEGER NOT NULL DEFAULT 0,
    store        TEXT NOT NULL DEFAULT 'private',
    role         TEXT NOT NULL DEFAULT '',
    text         TEXT NOT NULL,
    grams        TEXT NOT NULL DEFAULT '',
    content_hash TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    error        TEXT
) STRICT;
CREATE INDEX chunks_by_session ON chunks (session_id, kind, seq_start) WHERE session_id IS NOT NULL;
CREATE INDEX chunks_by_memory ON chunks (memory_id) WHERE memory_id IS NOT NULL;

-- Thai and Indic vowel signs are marks: without "M*" unicode61 would cut words at each of them.
CREATE VIRTUAL TABLE chunks_fts USING fts5 (
    text, grams,
    content = 'chunks', content_rowid = 'id',
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'"
);
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

-- One row per embedding identity; its vectors are in the table vectors_<id>.
CREATE TABLE generations (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    provider   TEXT NOT NULL,
    model      TEXT NOT NULL,
    dimensions INTEGER NOT NULL CHECK (dimensions BETWEEN 1 AND 8192),
    version    TEXT NOT NULL,
    state      TEXT NOT NULL DEFAULT 'building' CHECK (state IN ('building', 'serving', 'retired')),
    created_at INTEGER NOT NULL,
    UNIQUE (provider, model, dimensions, version)
) STRICT;

-- Which chunks still lack their vector: filled by trigger, emptied as vectors are written. A passage that spans turns
-- lends words to the turns in it and has no vector of its own; one inside a long turn stands for that turn.
CREATE TABLE pending_vectors (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    attempts INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TRIGGER chunks_pending AFTER INSERT ON chunks WHEN new.kind <> 'passage' OR new.seq_start = new.seq_end BEGIN
    INSERT INTO pending_vectors (chunk_id) VALUES (new.id);
END;
CREATE TRIGGER chunks_pending_again AFTER UPDATE OF text ON chunks
WHEN new.kind <> 'passage' OR new.seq_start = new.seq_end BEGIN
    INSERT INTO pending_vectors (chunk_id) VALUES (new.id) ON CONFLICT (chunk_id) DO UPDATE SET attempts = 0, retry_at = 0;
END;

CREATE TABLE files (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    source_uri   TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    format       TEXT NOT NULL DEFAULT '',
    target       TEXT NOT NULL DEFAULT '',
    attributes   TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(attributes)),
    imported_at  INTEGER NOT NULL,
    UNIQUE (source_uri)
) STRICT;

-- Schedules ----------------------------------------------------------------------------------------------------

CREATE TABLE schedules (
    schedule_id          TEXT PRIMARY KEY,
    user_id              TEXT NOT NULL,
    name                 TEXT,
    goal                 TEXT NOT NULL,
    cadence_json         TEXT NOT NULL CHECK (json_valid(cadence_json)),
    notification_policy  TEXT NOT NULL DEFAULT 'always',
    status               TEXT NOT NULL DEFAULT 'active',
    created_at           TEXT NOT NULL,
    updated_at           TEXT NOT NULL,
    next_run_at          TEXT,
    last_run_at          TEXT,
    last_run_status      TEXT,
    consecutive_failures INTEGER NOT NULL DEFAULT 0,
    channel_id           TEXT,
    channel_context_id   TEXT
) STRICT;
CREATE INDEX schedules_by_user ON schedules (user_id);
CREATE INDEX schedules_due ON schedules (next_run_at) WHERE status = 'active';
CREATE INDEX schedules_by_status ON schedules (user_id, status);
CREATE INDEX schedules_by_name ON schedules (user_id, name);

CREATE TABLE schedule_runs (
    run_id         TEXT PRIMARY KEY,
    schedule_id    TEXT NOT NULL REFERENCES schedules (schedule_id) ON DELETE CASCADE,
    started_at     TEXT NOT NULL,
    finished_at    TEXT NOT NULL,
    status         TEXT NOT NULL,
    output_summary TEXT,
    output         TEXT,
    turn_count     INTEGER NOT NULL DEFAULT 0,
    cost           REAL NOT NULL DEFAULT 0.0,
    notified       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX runs_by_schedule ON schedule_runs (schedule_id, started_at DESC);

-- Agents -------------------------------------------------------------------------------------------------------

CREATE TABLE agents (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    token_hash TEXT NOT NULL,
    trust      TEXT NOT NULL CHECK (trust IN ('full', 'inner', 'familiar', 'public')),
    stores     TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(stores)),
    enabled    INTEGER NOT NULL DEFAULT 1 CHECK (enabled IN (0, 1)),
    isolated   INTEGER NOT NULL DEFAULT 0 CHECK (isolated IN (0, 1)),
    review     INTEGER NOT NULL DEFAULT 0 CHECK (review IN (0, 1)),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    attributes TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(attributes))
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    at           INTEGER NOT NULL,
    agent        TEXT NOT NULL,
    operation    TEXT NOT NULL,
    ids_read     TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(ids_read)),
    ids_written  TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(ids_written)),
    outcome      TEXT NOT NULL,
    milliseconds REAL NOT NULL
) STRICT;
CREATE INDEX audit_by_agent ON audit (agent, id);

CREATE TABLE inbox (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    agent      TEXT NOT NULL,
    operation  TEXT NOT NULL,
    arguments  TEXT NOT NULL CHECK (json_valid(arguments)),
    reason     TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    decided_at INTEGER,
    decision   TEXT
) STRICT;
CREATE INDEX inbox_open ON inbox (created_at) WHERE decided_at IS NULL;
