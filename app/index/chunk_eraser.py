"""Stepwise erasure of chunks, their words, and their vectors in every generation."""

import apsw

from app.index.vectors import vector_repo

Removed = dict[str, int]


def of_memory(connection: apsw.Connection, memory_id: str, limit: int) -> Removed:
    """Remove at most ``limit`` chunks of a memory; return row counts by table."""
    return _drop(connection, "memory_id = ?", memory_id, limit)


def of_session(connection: apsw.Connection, session_id: str, limit: int) -> Removed:
    """Remove at most ``limit`` chunks of a session's messages.

    Memories that came from it keep theirs.
    """
    return _drop(connection, "session_id = ? AND kind IN ('message', 'passage')", session_id, limit)


def _drop(connection: apsw.Connection, where: str, owner: str, limit: int) -> Removed:
    rows = connection.execute(
        f"DELETE FROM chunks WHERE id IN (SELECT id FROM chunks WHERE {where} LIMIT ?) RETURNING id", (owner, limit)
    ).fetchall()
    ids = [int(str(row[0])) for row in rows]
    if not ids:
        return {}
    stored = sum(_stored(connection, int(str(row[0])), ids) for row in connection.execute("SELECT id FROM generations"))
    vector_repo.delete_vectors(connection, ids)
    return {"chunks": len(ids), "vectors": stored}


def _stored(connection: apsw.Connection, generation: int, ids: list[int]) -> int:
    marks = ", ".join("?" * len(ids))
    sql = f"SELECT count(*) FROM vectors_{generation} WHERE chunk_id IN ({marks})"
    return int(connection.execute(sql, tuple(ids)).get)
