-- A memory that moves to another store is read for names again: which names are known there depends on what its readers
-- may see, and a name that only full trust sees must not be shown to others by the move.

DROP TRIGGER memories_shown_to_others;
CREATE TRIGGER memories_shown_to_others AFTER UPDATE OF store ON memories WHEN new.store <> old.store BEGIN
    DELETE FROM mentions WHERE owner_kind = 'memory' AND owner_id = new.id;
    DELETE FROM pending_mentions WHERE owner_kind = 'memory' AND owner_id = new.id;
    INSERT INTO pending_mentions (owner_kind, owner_id) SELECT 'memory', new.id WHERE new.valid_until IS NULL;
END;
