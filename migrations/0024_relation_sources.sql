-- Who states a relation is part of its key: what somebody else stated already neither hides nor answers for a statement.

CREATE TABLE relations_stated (
    subject_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    predicate  TEXT NOT NULL,
    object_id  TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    weight     REAL NOT NULL DEFAULT 1.0,
    source     TEXT NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    PRIMARY KEY (subject_id, predicate, object_id, source)
) STRICT, WITHOUT ROWID;
INSERT INTO relations_stated (subject_id, predicate, object_id, weight, source, created_at)
    SELECT subject_id, predicate, object_id, weight, source, created_at FROM relations;
DROP TABLE relations;
ALTER TABLE relations_stated RENAME TO relations;
CREATE INDEX relations_by_object ON relations (object_id);
