-- What moves to another project is read for names again, by which that project is among the entities.

CREATE TRIGGER memories_of_another_project AFTER UPDATE OF attributes ON memories
WHEN new.attributes ->> '$.project' IS NOT old.attributes ->> '$.project' BEGIN
    INSERT INTO pending_mentions (owner_kind, owner_id) SELECT 'memory', new.id WHERE new.valid_until IS NULL
    ON CONFLICT DO NOTHING;
END;
CREATE TRIGGER sessions_of_another_project AFTER UPDATE OF attributes ON sessions
WHEN new.attributes ->> '$.project' IS NOT old.attributes ->> '$.project' BEGIN
    INSERT INTO pending_mentions (owner_kind, owner_id) SELECT 'session', new.id WHERE new.forgotten_at IS NULL
    ON CONFLICT DO UPDATE SET after_seq = excluded.after_seq;
END;
