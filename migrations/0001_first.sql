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
CREATE INDEX sessions_listed ON sessions (updated_at DESC, rowid DESC, id, agent, message_count, forgotten_at)
    WHERE forgotten_at IS NULL;
CREATE INDEX sessions_by_channel ON sessions (channel, updated_at) WHERE channel <> '';
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
-- Each of the lists below is read from its index alone, which must hold the column of its own condition for that.
CREATE INDEX memories_listed ON memories
    (pinned DESC, updated_at DESC, rowid DESC, id, kind, store, source, valid_until)
    WHERE valid_until IS NULL;
CREATE INDEX memories_by_created ON memories (pinned DESC, created_at DESC, rowid DESC, id, valid_until)
    WHERE valid_until IS NULL;
CREATE INDEX memories_by_name ON memories (pinned DESC, title_key = '', title_key, rowid, id, valid_until)
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
-- Canonical: what a person decided (entities with touched = 1, their aliases, claims and relations). Derived: mentions,
-- and the entities and counts that only come of them.

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
    attributes     TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(attributes))
) STRICT;
CREATE UNIQUE INDEX entities_by_name ON entities (name_key, type) WHERE merged_into IS NULL;
CREATE INDEX entities_by_count ON entities (mention_count DESC, rowid) WHERE merged_into IS NULL;
CREATE INDEX entities_merged ON entities (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX entities_merged_by_name ON entities (name_key) WHERE merged_into IS NOT NULL;
CREATE INDEX entities_unused ON entities (rowid) WHERE mention_count = 0 AND touched = 0 AND protected = 0;

-- Every name an entity goes by, its canonical one among them.
CREATE TABLE entity_aliases (
    alias_key TEXT NOT NULL,
    entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    alias     TEXT NOT NULL,
    PRIMARY KEY (alias_key, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_by_entity ON entity_aliases (entity_id);

-- What of an owner names an entity although the same name elsewhere names another: the half of a split by owners.
CREATE TABLE entity_claims (
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('message', 'memory')),
    owner_id   TEXT NOT NULL,
    from_id    TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    to_id      TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    PRIMARY KEY (owner_kind, owner_id, from_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_entity ON entity_claims (to_id);

-- surface is the type and key of the name as found; aliases, merges and claims decide which entity that is.
CREATE TABLE mentions (
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('message', 'memory')),
    owner_id   TEXT NOT NULL,
    start      INTEGER NOT NULL DEFAULT -1,
    surface    TEXT NOT NULL,
    length     INTEGER NOT NULL DEFAULT 0,
    entity_id  TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    store      TEXT NOT NULL DEFAULT 'private',
    confidence REAL NOT NULL DEFAULT 1.0,
    provider   TEXT NOT NULL DEFAULT '',
    at         INTEGER NOT NULL,
    PRIMARY KEY (owner_kind, owner_id, start, surface)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_entity ON mentions (entity_id, at, store);
CREATE INDEX mentions_by_surface ON mentions (surface);
CREATE TRIGGER mentions_counted AFTER INSERT ON mentions BEGIN
    UPDATE entities SET mention_count = mention_count + 1 WHERE id = new.entity_id;
END;
CREATE TRIGGER mentions_uncounted AFTER DELETE ON mentions BEGIN
    UPDATE entities SET mention_count = mention_count - 1 WHERE id = old.entity_id;
END;
CREATE TRIGGER mentions_moved AFTER UPDATE OF entity_id ON mentions WHEN new.entity_id <> old.entity_id BEGIN
    UPDATE entities SET mention_count = mention_count - 1 WHERE id = old.entity_id;
    UPDATE entities SET mention_count = mention_count + 1 WHERE id = new.entity_id;
END;

-- Which memories and restored sessions wait to be read for names; new turns are found by their rowid (meta). Mentions of
-- what is forgotten, deleted or rewritten go in the same transaction.
CREATE TABLE pending_mentions (
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('session', 'memory')),
    owner_id   TEXT NOT NULL,
    after_seq  INTEGER NOT NULL DEFAULT -1000000000000000000,
    PRIMARY KEY (owner_kind, owner_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER memories_unread AFTER INSERT ON memories WHEN new.valid_until IS NULL BEGIN
    INSERT INTO pending_mentions (owner_kind, owner_id) VALUES ('memory', new.id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER memories_unread_again AFTER UPDATE OF title, content, facts, event_time, valid_until ON memories
WHEN new.title <> old.title OR new.content <> old.content OR new.facts <> old.facts
    OR new.event_time IS NOT old.event_time OR (new.valid_until IS NULL) <> (old.valid_until IS NULL) BEGIN
    DELETE FROM mentions WHERE owner_kind = 'memory' AND owner_id = new.id;
    DELETE FROM pending_mentions WHERE owner_kind = 'memory' AND owner_id = new.id;
    INSERT INTO pending_mentions (owner_kind, owner_id) SELECT 'memory', new.id WHERE new.valid_until IS NULL;
END;
CREATE TRIGGER memories_shown_to_others AFTER UPDATE OF store ON memories WHEN new.store <> old.store BEGIN
    UPDATE mentions SET store = new.store WHERE owner_kind = 'memory' AND owner_id = new.id;
END;
CREATE TRIGGER memories_unnamed AFTER DELETE ON memories BEGIN
    DELETE FROM mentions WHERE owner_kind = 'memory' AND owner_id = old.id;
    DELETE FROM pending_mentions WHERE owner_kind = 'memory' AND owner_id = old.id;
    DELETE FROM entity_claims WHERE owner_kind = 'memory' AND owner_id = old.id;
END;
CREATE TRIGGER sessions_unnamed AFTER UPDATE OF forgotten_at ON sessions
WHEN new.forgotten_at IS NOT NULL AND old.forgotten_at IS NULL BEGIN
    DELETE FROM mentions WHERE owner_kind = 'message'
        AND owner_id IN (SELECT session_id || '#' || seq FROM messages WHERE session_id = new.id);
    DELETE FROM pending_mentions WHERE owner_kind = 'session' AND owner_id = new.id;
END;
CREATE TRIGGER sessions_unread AFTER UPDATE OF forgotten_at ON sessions
WHEN new.forgotten_at IS NULL AND old.forgotten_at IS NOT NULL BEGIN
    INSERT INTO pending_mentions (owner_kind, owner_id) VALUES ('session', new.id) ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER messages_unnamed AFTER DELETE ON messages BEGIN
    DELETE FROM mentions WHERE owner_kind = 'message' AND owner_id = old.session_id || '#' || old.seq;
    DELETE FROM entity_claims WHERE owner_kind = 'message' AND owner_id = old.session_id || '#' || old.seq;
    UPDATE meta SET value = (SELECT CAST(coalesce(max(rowid), 0) AS TEXT) FROM messages)
        WHERE key = 'entities_message_rowid'
        AND CAST(value AS INTEGER) > (SELECT coalesce(max(rowid), 0) FROM messages);
END;

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
    SELECT a.entity_id AS first_id, b.entity_id AS second_id,
        count(DISTINCT a.owner_kind || a.owner_id) AS weight, max(a.at) AS last_at
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
CREATE INDEX chunks_embedded ON chunks (kind, seq_start, seq_end) WHERE kind <> 'passage' OR seq_start = seq_end;
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
