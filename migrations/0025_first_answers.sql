-- An append that is asked for again gets the first answer, which may have made the conversation.
ALTER TABLE append_receipts ADD COLUMN created INTEGER NOT NULL DEFAULT 0 CHECK (created IN (0, 1));
