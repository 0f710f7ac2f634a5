-- Files and people of a memory are found by their words, and people are mentioned. The chunks of memories that have some
-- are made anew in the background, as those of long memories are: a row of meta names the last chunk that goes, and how
-- many new ones are there.

INSERT INTO meta (key, value)
SELECT 'chunks:' || m.id, coalesce((SELECT max(c.id) FROM chunks c WHERE c.memory_id = m.id), 0) || ' 0'
FROM memories m
WHERE m.valid_until IS NULL AND (m.files <> '[]' OR m.people <> '[]')
ON CONFLICT (key) DO NOTHING;

INSERT INTO pending_mentions (owner_kind, owner_id)
SELECT 'memory', id FROM memories WHERE valid_until IS NULL AND people <> '[]'
ON CONFLICT DO NOTHING;
