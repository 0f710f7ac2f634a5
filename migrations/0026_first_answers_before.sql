-- Which appends made their conversations was not noted before the last step. One that holds its first message, and came
-- in the transaction that made it, did.
UPDATE append_receipts SET created = 1
WHERE created = 0
  AND first_seq = (SELECT min(m.seq) FROM messages m WHERE m.session_id = append_receipts.session_id)
  AND EXISTS (
      SELECT 1 FROM sessions s
      WHERE s.id = append_receipts.session_id AND append_receipts.at - s.first_seen BETWEEN 0 AND 50
  );
