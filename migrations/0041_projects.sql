-- Conversations and memories name their project in an attribute. Of the sessions that Gemini's transcripts made, that
-- attribute was a hash.

UPDATE sessions
SET attributes = json_set(json_remove(attributes, '$.project'), '$.projectHash', attributes ->> '$.project')
WHERE json_type(attributes, '$.project') = 'text' AND id LIKE 'gemini:%';

CREATE INDEX sessions_by_project ON sessions (attributes ->> '$.project') WHERE attributes ->> '$.project' IS NOT NULL;
CREATE INDEX memories_by_project ON memories (attributes ->> '$.project') WHERE attributes ->> '$.project' IS NOT NULL;
CREATE INDEX projects ON entities (id) WHERE type = 'project';

-- Memories that named one already mention it.
INSERT INTO pending_mentions (owner_kind, owner_id)
SELECT 'memory', id FROM memories WHERE valid_until IS NULL AND attributes ->> '$.project' IS NOT NULL
ON CONFLICT DO NOTHING;
