-- Notes whose Markdown file lies in a folder that is mirrored: the state in which file and note agreed.

CREATE TABLE mirrored_notes (
    folder      TEXT NOT NULL,
    place       TEXT NOT NULL,     -- the file's path in the folder
    memory_id   TEXT NOT NULL,
    file_hash   TEXT NOT NULL,     -- '' while the file is still to be written, or lies in the folder's trash
    version     INTEGER NOT NULL,  -- of the memory
    PRIMARY KEY (folder, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX mirrored_notes_by_memory ON mirrored_notes (memory_id);
