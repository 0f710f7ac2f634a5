-- How far each conversation was consolidated, and what its summary stands for.

-- The last message whose facts were drawn.
ALTER TABLE session_state ADD COLUMN consolidated_seq INTEGER NOT NULL DEFAULT 0;

-- The language model that wrote a summary, empty for none, and the last message that it read.
ALTER TABLE session_summaries ADD COLUMN made_by TEXT NOT NULL DEFAULT '';
ALTER TABLE session_summaries ADD COLUMN upper_seq INTEGER NOT NULL DEFAULT 0;
