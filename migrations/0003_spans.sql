-- How many turns each passage spans is told from this index, so that nobody need read the texts of a large vault for it.
CREATE INDEX chunks_spanning ON chunks (seq_start, seq_end) WHERE kind = 'passage' AND seq_end > seq_start;
