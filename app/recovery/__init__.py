"""Recovery of a damaged database: pages read without SQLite, salvage into a new vault."""
