-- Decay of facts: when each was last decayed, and what each run changed, so that the run can be undone. A row of a change
-- names its fact by rowid: a night changes every fact, and most of the table is this number.

ALTER TABLE memories ADD COLUMN decayed_at INTEGER;

CREATE TABLE confidence_runs (
    number INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    at     INTEGER NOT NULL
) STRICT;

CREATE TABLE confidence_changes (
    run               INTEGER NOT NULL REFERENCES confidence_runs (number) ON DELETE CASCADE,
    memory            INTEGER NOT NULL,
    before            REAL NOT NULL,
    after             REAL NOT NULL,
    decayed_at_before INTEGER,
    PRIMARY KEY (run, memory)
) STRICT, WITHOUT ROWID;
