"""SQL of mirrored notes and their files."""

from collections.abc import Sequence
from dataclasses import dataclass

import apsw


@dataclass(frozen=True, slots=True)
class Agreement:
    """State in which a file and its note agreed.

    Args:
        place: The file's path in the folder.
        memory_id: The note.
        file_hash: Of the file's bytes; ``""`` while it is still to be written, or lies in the folder's trash.
        version: Of the note.
    """

    place: str
    memory_id: str
    file_hash: str
    version: int


@dataclass(frozen=True, slots=True)
class NoteState:
    """Version of a note, and whether it is deleted."""

    version: int
    is_deleted: bool


def agreements(connection: apsw.Connection, folder: str) -> list[Agreement]:
    """Return all agreements on a folder, by place."""
    sql = "SELECT place, memory_id, file_hash, version FROM mirrored_notes WHERE folder = ? ORDER BY place"
    return [Agreement(*row) for row in connection.execute(sql, (folder,))]


def states(connection: apsw.Connection, folder: str) -> dict[str, NoteState]:
    """Return the states of the notes of a folder, by id; erased ones are missing."""
    sql = (
        "SELECT memories.id, memories.version, memories.valid_until IS NOT NULL FROM mirrored_notes"
        " JOIN memories ON memories.id = memory_id WHERE folder = ?"
    )
    return {row[0]: NoteState(int(row[1]), bool(row[2])) for row in connection.execute(sql, (folder,))}


def keep(connection: apsw.Connection, folder: str, agreement: Agreement) -> None:
    """Keep an agreement, in place of earlier ones on the file or the note."""
    connection.execute(
        "DELETE FROM mirrored_notes WHERE folder = ? AND memory_id = ? AND place <> ?",
        (folder, agreement.memory_id, agreement.place),
    )
    connection.execute(
        "INSERT INTO mirrored_notes (folder, place, memory_id, file_hash, version) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT DO UPDATE SET memory_id = excluded.memory_id, file_hash = excluded.file_hash,"
        " version = excluded.version",
        (folder, agreement.place, agreement.memory_id, agreement.file_hash, agreement.version),
    )


def drop(connection: apsw.Connection, folder: str, place: str) -> None:
    """Forget a file and its note."""
    connection.execute("DELETE FROM mirrored_notes WHERE folder = ? AND place = ?", (folder, place))


def begin(connection: apsw.Connection, folder: str, since_ms: int) -> None:
    """Let new notes get a file from a moment on, in milliseconds UTC.

    A folder that was begun stays as it is.
    """
    connection.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING", (_since_key(folder), str(since_ms))
    )


def begun_at(connection: apsw.Connection, folder: str) -> int:
    """Return the time from which new notes get a file, in milliseconds UTC."""
    return int(connection.execute("SELECT value FROM meta WHERE key = ?", (_since_key(folder),)).get)


def _since_key(folder: str) -> str:
    return f"mirror_since:{folder}"


def unwritten(connection: apsw.Connection, folder: str, since_ms: int, limit: int) -> Sequence[str]:
    """Return the person's notes since a moment that have no file, oldest first."""
    sql = (
        "SELECT id FROM memories WHERE kind = 'note' AND source IN ('person', 'folder') AND valid_until IS NULL"
        " AND created_at >= ? AND id NOT IN (SELECT memory_id FROM mirrored_notes WHERE folder = ?)"
        " ORDER BY created_at LIMIT ?"
    )
    return [row[0] for row in connection.execute(sql, (since_ms, folder, limit))]
