-- Who may not read every store finds in a text only the names that rest on what all readers of its store see. Where the
-- registry knows better, such a mention is of no entity (entity_id NULL), and only they see it. As before, they do not
-- see one without a store ('').

CREATE TABLE mentions_before AS SELECT * FROM mentions;
DROP TABLE mentions;
CREATE TABLE mentions (
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('message', 'memory')),
    owner_id   TEXT NOT NULL,
    start      INTEGER NOT NULL DEFAULT -1,
    surface    TEXT NOT NULL,
    length     INTEGER NOT NULL DEFAULT 0,
    entity_id  TEXT REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    store      TEXT NOT NULL DEFAULT 'private',
    confidence REAL NOT NULL DEFAULT 1.0,
    provider   TEXT NOT NULL DEFAULT '',
    at         INTEGER NOT NULL,
    PRIMARY KEY (owner_kind, owner_id, start, surface)
) STRICT, WITHOUT ROWID;
INSERT INTO mentions (owner_kind, owner_id, start, surface, length, entity_id, store, confidence, provider, at)
SELECT owner_kind, owner_id, start, surface, length, entity_id, store, confidence, provider, at FROM mentions_before;
DROP TABLE mentions_before;
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

-- What somebody decided or stated is looked up before each batch of texts is read.
CREATE INDEX entities_touched ON entities (rowid) WHERE touched = 1;
