-- Rows of the word index and of the queue of vectors are inserted by the program, many at a time. With triggers, every
-- row opened a savepoint, at which FTS5 wrote what it had gathered: an index of one row each, to be merged later.

DROP TRIGGER chunks_inserted;
DROP TRIGGER chunks_pending;
