"""Files of a vault's database: bytes, pages and logs, read without SQLite."""
