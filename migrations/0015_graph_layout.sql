-- Where entities stand in the graph around one of them. Where they stand in the graph of all names is in their own rows.
CREATE TABLE graph_positions (
    centre_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    entity_id TEXT NOT NULL REFERENCES entities (id) ON DELETE CASCADE ON UPDATE CASCADE,
    x         REAL NOT NULL,
    y         REAL NOT NULL,
    pinned    INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
    PRIMARY KEY (centre_id, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX graph_positions_by_entity ON graph_positions (entity_id);

ALTER TABLE entities ADD COLUMN position_pinned INTEGER NOT NULL DEFAULT 0 CHECK (position_pinned IN (0, 1));
