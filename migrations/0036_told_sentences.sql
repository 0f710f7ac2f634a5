-- What runs and notes say is told in the language of the window: beside the English text stand its template and what is
-- in its fields, as JSON; '' where the text is no sentence of the program.

ALTER TABLE schedule_runs ADD COLUMN sentence TEXT NOT NULL DEFAULT '';
ALTER TABLE schedule_notes ADD COLUMN sentence TEXT NOT NULL DEFAULT '';
