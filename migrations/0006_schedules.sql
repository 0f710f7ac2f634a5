-- What running schedules needs beside their definitions: who runs one at the moment, so that none runs twice.

CREATE TABLE schedule_claims (
    schedule_id   TEXT PRIMARY KEY REFERENCES schedules (schedule_id) ON DELETE CASCADE,
    run_id        TEXT NOT NULL UNIQUE,
    holder        TEXT NOT NULL, -- the process or agent that runs it
    scheduled_for TEXT NOT NULL, -- the occurrence that it runs
    is_manual     INTEGER NOT NULL DEFAULT 0 CHECK (is_manual IN (0, 1)), -- run on request, not because it was due
    started_at    TEXT NOT NULL,
    expires_at    TEXT NOT NULL
) STRICT, WITHOUT ROWID;
