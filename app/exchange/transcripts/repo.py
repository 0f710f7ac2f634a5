"""SQL of positions in transcripts."""

import json

import apsw

from app.exchange.transcripts.model import TranscriptFile

_COLUMNS = "path, format, agent, position, tail, size, changed, state"
_SINCE = "capture.watched_since"


def transcript_file(connection: apsw.Connection, path: str) -> TranscriptFile | None:
    """Return how far a transcript was read, ``None`` where it never was."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM transcript_files WHERE path = ?", (path,)).fetchone()
    if row is None:
        return None
    name, form, agent, offset, tail, size, changed, state = row
    return TranscriptFile(name, form, agent, offset, tail, size, changed, json.loads(state))


def known_files(connection: apsw.Connection) -> dict[str, tuple[int, int]]:
    """Return size and time of every transcript that was read, by path."""
    rows = connection.execute("SELECT path, size, changed FROM transcript_files")
    return {str(path): (int(str(size)), int(str(changed))) for path, size, changed in rows}


def count_files(connection: apsw.Connection) -> int:
    """Return how many transcripts were read."""
    return int(connection.execute("SELECT count(*) FROM transcript_files").get)


def put_file(connection: apsw.Connection, file: TranscriptFile, now_ms: int) -> None:
    """Store how far a transcript was read."""
    connection.execute(
        f"INSERT INTO transcript_files ({_COLUMNS}, read_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (path) DO UPDATE SET format = excluded.format, agent = excluded.agent,"
        " position = excluded.position, tail = excluded.tail, size = excluded.size, changed = excluded.changed,"
        " state = excluded.state, read_at = excluded.read_at",
        (
            file.path,
            file.format,
            file.agent,
            file.offset,
            file.tail,
            file.size,
            file.changed_ns,
            json.dumps(file.state),
            now_ms,
        ),
    )


def watched_since(connection: apsw.Connection, now_ms: int) -> int:
    """Return when transcripts began to be watched, which is now where they were not."""
    connection.execute("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING", (_SINCE, str(now_ms)))
    return int(str(connection.execute("SELECT value FROM meta WHERE key = ?", (_SINCE,)).get))


def end_watch(connection: apsw.Connection) -> None:
    """Forget when transcripts began to be watched."""
    connection.execute("DELETE FROM meta WHERE key = ?", (_SINCE,))
