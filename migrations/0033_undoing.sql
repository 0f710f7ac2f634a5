-- Which change an undoing takes back is a part of what it says; it never changes, whoever else takes that back too.
ALTER TABLE memory_history ADD COLUMN undoes_lane INTEGER;
ALTER TABLE memory_history ADD COLUMN undoes_n INTEGER;
UPDATE memory_history SET undoes_lane = undone.lane, undoes_n = undone.n
FROM memory_history AS undone WHERE undone.undone_by = memory_history.id AND undone.n > 0;
