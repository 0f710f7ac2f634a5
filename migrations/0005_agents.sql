-- What letting agents in needs: requests for access, the ledger by item, the inbox with its rules, and receipts of writes.

-- Agents -------------------------------------------------------------------------------------------------------

-- The name and version that the program gave of itself, and when it was last connected.
ALTER TABLE agents ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN last_seen_at INTEGER;
ALTER TABLE agents ADD COLUMN echoes INTEGER NOT NULL DEFAULT 0; -- recalled texts that it tried to store again
CREATE UNIQUE INDEX agents_by_token ON agents (token_hash);

-- A program that is not known asks to be let in. Its token is valid once the person has allowed it.
CREATE TABLE access_requests (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    client     TEXT NOT NULL DEFAULT '',
    trust      TEXT NOT NULL CHECK (trust IN ('full', 'inner', 'familiar', 'public')),
    reason     TEXT NOT NULL DEFAULT '',
    token_hash TEXT NOT NULL UNIQUE,
    at         INTEGER NOT NULL,
    decided_at INTEGER,
    decision   TEXT CHECK (decision IN ('allowed', 'refused', 'expired'))
) STRICT, WITHOUT ROWID;
CREATE INDEX access_requests_open ON access_requests (at) WHERE decided_at IS NULL;

-- The ledger ---------------------------------------------------------------------------------------------------

-- The text of a query where the person wants it, else its keyed hash.
ALTER TABLE audit ADD COLUMN query TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN client TEXT NOT NULL DEFAULT '';
CREATE INDEX audit_by_time ON audit (at);

CREATE TABLE audit_items (
    item     TEXT NOT NULL,
    audit_id INTEGER NOT NULL REFERENCES audit (id) ON DELETE CASCADE,
    is_write INTEGER NOT NULL DEFAULT 0 CHECK (is_write IN (0, 1)),
    PRIMARY KEY (item, audit_id, is_write)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_items_by_call ON audit_items (audit_id);

-- The inbox ----------------------------------------------------------------------------------------------------

ALTER TABLE inbox ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE inbox ADD COLUMN target TEXT NOT NULL DEFAULT ''; -- the id of what would be changed
ALTER TABLE inbox ADD COLUMN preview TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(preview));
ALTER TABLE inbox ADD COLUMN expires_at INTEGER;
ALTER TABLE inbox ADD COLUMN result TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(result));
CREATE INDEX inbox_by_agent ON inbox (agent, id);

-- What happens to proposals without being asked; an empty agent or kind means any.
CREATE TABLE inbox_rules (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    agent      TEXT NOT NULL DEFAULT '',
    kind       TEXT NOT NULL DEFAULT '',
    action     TEXT NOT NULL CHECK (action IN ('accept', 'review', 'reject')),
    created_at INTEGER NOT NULL,
    UNIQUE (agent, kind)
) STRICT;

-- Repeated writes ----------------------------------------------------------------------------------------------

-- Answers to writes that their caller gave a key of its own: asked for again, they are not done a second time.
CREATE TABLE write_receipts (
    actor     TEXT NOT NULL,
    key       TEXT NOT NULL,
    operation TEXT NOT NULL,
    arguments TEXT NOT NULL, -- a digest of them
    answer    TEXT NOT NULL CHECK (json_valid(answer)),
    at        INTEGER NOT NULL,
    PRIMARY KEY (actor, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX write_receipts_by_time ON write_receipts (at);
