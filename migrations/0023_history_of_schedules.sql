-- The history tells of schedules and saved searches, too. Only the check of the kinds of targets changes,
-- which no row can break, so the table is not copied: it may hold the texts of years.

PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, '''entity'', ''proposal'')', '''entity'', ''proposal'', ''schedule'', ''saved_search'')')
WHERE type = 'table' AND name = 'memory_history';
PRAGMA writable_schema = RESET;

-- What is deleted is set aside, so that it comes back as it was: a schedule with its runs, a search at its place.
ALTER TABLE schedules ADD COLUMN deleted_at TEXT;
ALTER TABLE saved_searches ADD COLUMN deleted_at INTEGER;
