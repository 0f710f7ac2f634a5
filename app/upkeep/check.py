"""Checks that a vault is sound: the file, its references, its words and vectors, and who may read it."""

import os
import stat
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import apsw

from app.index.vectors import HAS_VECTOR
from app.upkeep.model import Finding

_REBUILD = "Run 'keepsake call vault.reindex {}'; only derived data is rebuilt."
_RESTORE = "Restore a backup; what is readable stays as it is until then."
_MAX_LINES = 20
_LOOKED_AT = 10_000  # characters of a turn looked at for anything but white space


def findings(connection: apsw.Connection, vault: Path) -> list[Finding]:
    """Return everything wrong with the vault behind ``connection``; reads all of it, which may take minutes."""
    parts: tuple[Callable[[apsw.Connection], Iterator[Finding]], ...] = (_database, _references, _words, _vectors)
    return [found for part in parts for found in _readable(part, connection)] + list(_files(vault))


def _readable(part: Callable[[apsw.Connection], Iterator[Finding]], connection: apsw.Connection) -> list[Finding]:
    """Return what ``part`` finds; damage that keeps it from looking is a finding too."""
    try:
        return list(part(connection))
    except apsw.CorruptError as error:
        return [_damage(str(error))]


def _damage(what: str) -> Finding:
    if "chunks_fts" in what or "fts5" in what:
        return Finding("words", "error", f"The word index is damaged: {what}.", _REBUILD)
    return Finding("database", "error", f"SQLite reports: {what}.", _RESTORE)


def _database(connection: apsw.Connection) -> Iterator[Finding]:
    # FTS5 looks at the integrity of the index as this connection last saw it, and reports pages gone since as damage;
    # a search makes it look anew (SQLite 3.54.1).
    connection.execute("SELECT 1 FROM chunks_fts WHERE chunks_fts MATCH 'a' LIMIT 1").fetchall()
    for (line,) in connection.execute(f"PRAGMA integrity_check({_MAX_LINES})"):
        if line != "ok":
            yield _damage(str(line))


def _references(connection: apsw.Connection) -> Iterator[Finding]:
    broken = connection.execute("PRAGMA foreign_key_check")
    for table, rowid, parent, _ in islice(broken, _MAX_LINES):
        yield Finding("references", "error", f"Row {rowid} of {table} points to nothing in {parent}.", _RESTORE)
    counts = connection.execute(
        "SELECT s.id FROM sessions s WHERE s.message_count <>"
        " (SELECT count(*) FROM messages m WHERE m.session_id = s.id) LIMIT ?",
        (_MAX_LINES,),
    )
    for (session,) in counts:
        yield Finding("references", "error", f"Session {session} counts its turns wrongly.", _RESTORE)


def _words(connection: apsw.Connection) -> Iterator[Finding]:
    orphans = connection.execute(
        "SELECT count(*) FROM chunks c WHERE (c.memory_id IS NOT NULL AND NOT EXISTS"
        " (SELECT 1 FROM memories m WHERE m.id = c.memory_id AND m.valid_until IS NULL))"
        " OR (c.kind <> 'memory' AND NOT EXISTS"
        " (SELECT 1 FROM sessions s WHERE s.id = c.session_id AND s.forgotten_at IS NULL))"
    ).get
    if orphans:
        yield Finding("words", "error", f"{orphans} search entries belong to nothing.", _REBUILD)
    turns = connection.execute(
        "SELECT substr(m.content, 1, ?) FROM messages m JOIN sessions s ON s.id = m.session_id"
        " WHERE s.forgotten_at IS NULL AND NOT EXISTS (SELECT 1 FROM"
        " chunks c WHERE c.session_id = m.session_id AND c.kind = 'message' AND c.seq_start = m.seq)",
        (_LOOKED_AT,),
    )
    # What is blank is Python's to say: SQLite knows fewer kinds of white space.
    if missing := sum(1 for (content,) in turns if content.strip()):
        yield Finding("words", "error", f"{missing} turns cannot be found by search.", _REBUILD)
    lost = connection.execute(
        "SELECT count(*) FROM memories m WHERE m.valid_until IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.memory_id = m.id)"
    ).get
    if lost:
        yield Finding("words", "error", f"{lost} notes cannot be found by search.", _REBUILD)


def _vectors(connection: apsw.Connection) -> Iterator[Finding]:
    active = connection.execute("SELECT value FROM meta WHERE key = 'generation'").get
    if active is None:
        return
    table = f"vectors_{int(active)}"
    stray = connection.execute(f"SELECT count(*) FROM (SELECT chunk_id FROM {table} EXCEPT SELECT id FROM chunks)").get
    if stray:
        yield Finding("vectors", "error", f"{stray} vectors belong to nothing.", _REBUILD)
    lost = connection.execute(
        f"SELECT count(*) FROM (SELECT id FROM chunks WHERE {HAS_VECTOR} EXCEPT SELECT chunk_id FROM {table}"
        " EXCEPT SELECT chunk_id FROM pending_vectors)"
    ).get
    if lost:
        yield Finding("vectors", "error", f"{lost} search entries have no vector and wait for none.", _REBUILD)


def _files(vault: Path) -> Iterator[Finding]:
    if os.name != "posix":
        return
    for path in (vault, *vault.glob("memory.db*")):
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield Finding("files", "warning", f"Others on this machine may read {path.name}.", f"chmod go-rwx {path}")
