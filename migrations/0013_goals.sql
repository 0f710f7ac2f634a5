-- What goals and notifications need beside the definitions of schedules.

CREATE TABLE schedule_goals (
    schedule_id TEXT PRIMARY KEY REFERENCES schedules (schedule_id) ON DELETE CASCADE,
    trust       TEXT NOT NULL CHECK (trust IN ('full', 'inner', 'familiar', 'public')), -- at which its tools work
    max_turns   INTEGER CHECK (max_turns > 0), -- of the model; null: the settings decide
    max_cost    REAL CHECK (max_cost > 0)
) STRICT, WITHOUT ROWID;

INSERT INTO schedule_goals (schedule_id, trust)
SELECT s.schedule_id, coalesce(a.trust, 'inner') FROM schedules s LEFT JOIN agents a ON a.name = s.user_id
WHERE s.user_id <> 'keepsake';

-- What the person is to be told of schedules; a note waits until somebody is there to see it.
CREATE TABLE schedule_notes (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id TEXT NOT NULL REFERENCES schedules (schedule_id) ON DELETE CASCADE,
    run_id      TEXT,
    kind        TEXT NOT NULL CHECK (kind IN ('finished', 'failed', 'paused', 'missed', 'broken')),
    text        TEXT NOT NULL,
    made_at     TEXT NOT NULL,
    shown_at    TEXT
) STRICT;
CREATE INDEX schedule_notes_waiting ON schedule_notes (id) WHERE shown_at IS NULL;
CREATE INDEX schedule_notes_by_schedule ON schedule_notes (schedule_id);
