-- All that one agent wrote since a time, to undo or to hide it.
CREATE INDEX history_by_actor ON memory_history (actor, at);
