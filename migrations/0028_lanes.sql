-- A history that several machines can share: each change has a place that means the same on all of them.

-- The changes that one installation writes are its lane; it numbers them 1, 2, 3 …. A vault that was copied or put
-- back from a backup begins a new lane, so that no number is ever given twice. Number 1 holds what was there before
-- the vault had lanes.
CREATE TABLE lanes (
    number   INTEGER PRIMARY KEY,
    lane     INTEGER NOT NULL UNIQUE CHECK (lane > 0), -- drawn at random, the same on every machine
    n        INTEGER NOT NULL DEFAULT 0, -- the number of its last change
    hlc      INTEGER NOT NULL DEFAULT 0, -- the hybrid clock of its last change: milliseconds << 16 + counter
    sealed   INTEGER NOT NULL DEFAULT 0 CHECK (sealed <= n), -- changes up to this number stay as they are
    is_own   INTEGER NOT NULL CHECK (is_own IN (0, 1)), -- 1 for the only one that is written here
    began_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX own_lane ON lanes (is_own) WHERE is_own;
CREATE INDEX lanes_by_hlc ON lanes (hlc);
INSERT INTO lanes (number, lane, is_own, began_at)
VALUES (1, (random() & 0x7ffffffffffffffe) + 1, 1, unixepoch() * 1000);

ALTER TABLE memory_history ADD COLUMN lane INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memory_history ADD COLUMN n INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memory_history ADD COLUMN hlc INTEGER NOT NULL DEFAULT 0;
-- The clock never goes back: each is the time of its change, or one more than the clock before.
UPDATE memory_history
SET lane = (SELECT lane FROM lanes WHERE number = 1), n = placed.n, hlc = placed.hlc
FROM (
    SELECT id, n, n + max((min(max(at, 0), 0x3fffffffffff) << 16) - n) OVER (ORDER BY id) AS hlc
    FROM (SELECT id, at, row_number() OVER (ORDER BY id) AS n FROM memory_history)
) AS placed
WHERE placed.id = memory_history.id;
UPDATE lanes
SET n = (SELECT coalesce(max(n), 0) FROM memory_history), hlc = (SELECT coalesce(max(hlc), 0) FROM memory_history);
UPDATE lanes SET sealed = n;

CREATE UNIQUE INDEX history_by_lane ON memory_history (lane, n) WHERE n > 0;
DROP INDEX history_by_target;
CREATE INDEX history_by_target ON memory_history (target, hlc, lane, n, at, target_kind);
DROP INDEX history_by_run;
CREATE INDEX history_by_run ON memory_history (run_id, hlc, lane, n, at, target_kind, event, undone_by)
WHERE run_id IS NOT NULL;

-- The number of the lane that a turn was written in. A turn is named by conversation, lane and number.
ALTER TABLE messages ADD COLUMN origin INTEGER NOT NULL DEFAULT 1;
ALTER TABLE withheld_messages ADD COLUMN origin INTEGER NOT NULL DEFAULT 1;
