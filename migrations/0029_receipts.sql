-- Appends that their caller gave a key are remembered as other writes are; a key belongs to one operation.
ALTER TABLE write_receipts RENAME TO write_receipts_before;
CREATE TABLE write_receipts (
    actor      TEXT NOT NULL,
    operation  TEXT NOT NULL,
    key        TEXT NOT NULL,
    arguments  TEXT NOT NULL, -- a digest of them
    answer     TEXT NOT NULL CHECK (json_valid(answer)),
    at         INTEGER NOT NULL,
    session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE,
    PRIMARY KEY (actor, operation, key)
) STRICT, WITHOUT ROWID;
INSERT INTO write_receipts (actor, operation, key, arguments, answer, at)
SELECT actor, operation, key, arguments, answer, at FROM write_receipts_before;
DROP TABLE write_receipts_before;
CREATE INDEX write_receipts_by_time ON write_receipts (at);
CREATE INDEX write_receipts_by_session ON write_receipts (session_id) WHERE session_id IS NOT NULL;
INSERT INTO write_receipts (actor, key, operation, arguments, answer, at, session_id)
SELECT actor, key, 'session.append', '',
       json_object('first_seq', first_seq, 'last_seq', last_seq, 'created', json(CASE created WHEN 1 THEN 'true' ELSE 'false' END)),
       at, session_id
FROM append_receipts;
DROP TABLE append_receipts;
