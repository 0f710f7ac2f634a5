"""Truncation of the write-ahead log."""

import apsw

from app.store.connection import BUSY_MS

_CHECKPOINT_MS = 200  # so long a checkpoint waits for readers before others may write again


def empty_log(connection: apsw.Connection) -> bool:
    """Checkpoint the log and truncate it; False while a reader needs it."""
    connection.set_busy_timeout(_CHECKPOINT_MS)
    try:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
    except apsw.BusyError:
        return False
    finally:
        connection.set_busy_timeout(BUSY_MS)
    return not busy
