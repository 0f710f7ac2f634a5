-- How many calls a second an agent may make; what the settings say where it is null.
ALTER TABLE agents ADD COLUMN rate REAL CHECK (rate > 0);
