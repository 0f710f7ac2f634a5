-- Names that spaCy or a language model found in a text, beside those that the fast rules find. Derived, but slow to find
-- again: reading a text again keeps them. They go when the text changes, which is then searched again.
CREATE TABLE enriched_texts (
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('message', 'memory')),
    owner_id   TEXT NOT NULL,
    run_id     TEXT NOT NULL,
    at         INTEGER NOT NULL,
    names      TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(names)),
    PRIMARY KEY (owner_kind, owner_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX enriched_texts_by_run ON enriched_texts (run_id);
CREATE TRIGGER memories_unenriched AFTER UPDATE OF title, content, facts ON memories
WHEN new.title <> old.title OR new.content <> old.content OR new.facts <> old.facts BEGIN
    DELETE FROM enriched_texts WHERE owner_kind = 'memory' AND owner_id = new.id;
END;
CREATE TRIGGER memories_gone_unenriched AFTER DELETE ON memories BEGIN
    DELETE FROM enriched_texts WHERE owner_kind = 'memory' AND owner_id = old.id;
END;
CREATE TRIGGER messages_gone_unenriched AFTER DELETE ON messages BEGIN
    DELETE FROM enriched_texts WHERE owner_kind = 'message' AND owner_id = old.session_id || '#' || old.seq;
END;

-- Merges of two entities that Keepsake proposed to the person; each pair once. The first id is the smaller one.
CREATE TABLE proposed_merges (
    first_id    TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    second_id   TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    proposal_id INTEGER NOT NULL,
    run_id      TEXT NOT NULL,
    at          INTEGER NOT NULL,
    decision    TEXT NOT NULL DEFAULT 'waiting'
        CHECK (decision IN ('waiting', 'accepted', 'rejected', 'expired', 'withdrawn')),
    PRIMARY KEY (first_id, second_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX proposed_merges_by_second ON proposed_merges (second_id);
CREATE INDEX proposed_merges_by_proposal ON proposed_merges (proposal_id);
CREATE INDEX proposed_merges_by_run ON proposed_merges (run_id);
CREATE TRIGGER merges_decided AFTER UPDATE OF decision ON inbox WHEN new.decision IS NOT NULL BEGIN
    UPDATE proposed_merges SET decision = new.decision WHERE proposal_id = new.id AND decision = 'waiting';
END;
