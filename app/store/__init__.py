"""The vault on disk: lock, connections, one writer and few readers, migrations, backup, integrity, journal."""
