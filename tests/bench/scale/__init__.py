"""How fast and how large: appending, bulk import, search, start-up and memory, beside plain SQLite in the same run."""
