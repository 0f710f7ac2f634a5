-- A state of a memory in the history has its whole text, once more for each change. A long one is packed and is a blob
-- then. The table is not copied: it may hold the texts of years.

PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(
    replace(
        sql, 'TEXT CHECK (before IS NULL OR', 'ANY CHECK (before IS NULL OR typeof(before) = ''blob'' OR'
    ), 'TEXT CHECK (after IS NULL OR', 'ANY CHECK (after IS NULL OR typeof(after) = ''blob'' OR'
)
WHERE type = 'table' AND name = 'memory_history';
PRAGMA writable_schema = RESET;

UPDATE memory_history
SET before = stored_state(target_kind, before), after = stored_state(target_kind, after)
WHERE target_kind = 'memory' AND (length(before) >= 1024 OR length(after) >= 1024);
