-- The ledger: an item that many calls name is stored once, and a call says what it was besides.

DROP TABLE audit_items;
ALTER TABLE audit DROP COLUMN ids_read;
ALTER TABLE audit DROP COLUMN ids_written;
ALTER TABLE audit ADD COLUMN access TEXT NOT NULL DEFAULT 'read' CHECK (access IN ('read', 'write'));
ALTER TABLE audit ADD COLUMN is_echo INTEGER NOT NULL DEFAULT 0 CHECK (is_echo IN (0, 1));
ALTER TABLE audit ADD COLUMN more_read INTEGER NOT NULL DEFAULT 0; -- items beyond those that are named
ALTER TABLE audit ADD COLUMN more_written INTEGER NOT NULL DEFAULT 0;

-- Ids of memories, conversations and entities; nothing of what they say.
CREATE TABLE audit_names (
    id   INTEGER PRIMARY KEY,
    item TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE audit_items (
    audit_id INTEGER NOT NULL REFERENCES audit (id) ON DELETE CASCADE,
    is_write INTEGER NOT NULL CHECK (is_write IN (0, 1)),
    name_id  INTEGER NOT NULL REFERENCES audit_names (id) ON DELETE CASCADE,
    PRIMARY KEY (audit_id, is_write, name_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_items_by_name ON audit_items (name_id, audit_id);

-- Writes of an agent, of which ``echoes`` brought recalled text back.
ALTER TABLE agents ADD COLUMN writes INTEGER NOT NULL DEFAULT 0;
