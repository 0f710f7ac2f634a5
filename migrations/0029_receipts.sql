-- Appends that their caller gave a key are remembered as other writes are.
ALTER TABLE write_receipts ADD COLUMN session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX write_receipts_by_session ON write_receipts (session_id) WHERE session_id IS NOT NULL;
INSERT OR IGNORE INTO write_receipts (actor, key, operation, arguments, answer, at, session_id)
SELECT actor, key, 'session.append', '',
       json_object('first_seq', first_seq, 'last_seq', last_seq, 'created', json(CASE created WHEN 1 THEN 'true' ELSE 'false' END)),
       at, session_id
FROM append_receipts;
DROP TABLE append_receipts;
