-- What other machines must hear of a vault's lanes beside its history.

-- Changes up to this number are in the exchange; their last segment has this digest.
ALTER TABLE lanes ADD COLUMN shared_n INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN digest TEXT NOT NULL DEFAULT '';
-- Lanes that were written here, the own one among them.
ALTER TABLE lanes ADD COLUMN was_own INTEGER NOT NULL DEFAULT 0 CHECK (was_own IN (0, 1));
UPDATE lanes SET was_own = 1;

-- From its change n on, a lane knew another one up to a number.
CREATE TABLE lane_knowledge (
    lane    INTEGER NOT NULL,
    n       INTEGER NOT NULL,
    of_lane INTEGER NOT NULL,
    known   INTEGER NOT NULL,
    PRIMARY KEY (lane, of_lane, n)
) STRICT, WITHOUT ROWID;

-- Turns written here become changes together, when they are sealed: those between two rowids.
CREATE TABLE message_batches (
    lane        INTEGER NOT NULL,
    n           INTEGER NOT NULL,
    hlc         INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    first_rowid INTEGER NOT NULL,
    last_rowid  INTEGER NOT NULL,
    PRIMARY KEY (lane, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_batches_by_end ON message_batches (last_rowid);
-- The rowid of a turn that was the last can be given again; it must then be above those of all batches.
CREATE TRIGGER messages_gone_from_end AFTER DELETE ON messages
WHEN old.rowid > (SELECT coalesce(max(rowid), 0) FROM messages) BEGIN
    UPDATE message_batches SET last_rowid = (SELECT coalesce(max(rowid), 0) FROM messages)
    WHERE last_rowid > (SELECT coalesce(max(rowid), 0) FROM messages);
END;

-- The number that a turn has on the machine that wrote it; without one it was written here.
ALTER TABLE messages ADD COLUMN origin_seq INTEGER;
ALTER TABLE withheld_messages ADD COLUMN origin_seq INTEGER;

-- What was forgotten for ever, by ids alone.
CREATE TABLE erasures (
    lane        INTEGER NOT NULL,
    n           INTEGER NOT NULL,
    hlc         INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    actor       TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target      TEXT NOT NULL,
    PRIMARY KEY (lane, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX erasures_by_target ON erasures (target);
