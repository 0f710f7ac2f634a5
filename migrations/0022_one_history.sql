-- One history of all that can be undone: decisions about proposals, too. Only the check of the kinds
-- of targets changes, which no row can break, so the table is not copied: it may hold the texts of years.

PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, '(''memory'', ''session'', ''entity'')', '(''memory'', ''session'', ''entity'', ''proposal'')')
WHERE type = 'table' AND name = 'memory_history';
PRAGMA writable_schema = RESET;

-- Runs and single changes by time, counted without reading the states.
DROP INDEX history_by_run;
CREATE INDEX history_by_run ON memory_history (run_id, id, at, target_kind, event, undone_by) WHERE run_id IS NOT NULL;
CREATE INDEX history_of_single_changes ON memory_history (at, id, actor) WHERE run_id IS NULL;
CREATE INDEX history_undoing ON memory_history (undone_by) WHERE undone_by IS NOT NULL;

-- The history of a proposal goes with it.
CREATE TRIGGER proposals_gone AFTER DELETE ON inbox BEGIN
    DELETE FROM memory_history WHERE target_kind = 'proposal' AND target = CAST(old.id AS TEXT);
END;
-- A merge waits again with its proposal.
CREATE TRIGGER merges_waiting_again AFTER UPDATE OF decision ON inbox
WHEN new.decision IS NULL AND old.decision IS NOT NULL BEGIN
    UPDATE proposed_merges SET decision = 'waiting' WHERE proposal_id = new.id AND decision <> 'withdrawn';
END;
