-- The history tells of the rules of the inbox, too. Only the check of the kinds of targets changes,
-- which no row can break, so the table is not copied: it may hold the texts of years.

PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, '''saved_search'')', '''saved_search'', ''inbox_rule'')')
WHERE type = 'table' AND name = 'memory_history';
PRAGMA writable_schema = RESET;
