"""SQL of vectors in sqlite-vec: one table for each generation (embedding identity)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from app.core.process.lazy_module import LazyModule
from app.embed.model import EmbeddingIdentity
from app.store import meta

if TYPE_CHECKING:
    from app.store import vector_bytes
else:
    vector_bytes = LazyModule("app.store.vector_bytes")  # loads numpy

# The same condition as in the triggers of the first migration.
HAS_VECTOR = "(kind <> 'passage' OR seq_start = seq_end) AND role <> 'tool'"


@dataclass(frozen=True, slots=True)
class Generation:
    """The vectors made by one embedding identity; ``table`` holds them, ``dimensions`` wide."""

    id: int
    dimensions: int

    @property
    def table(self) -> str:
        """The name of the table; it needs no quotes in SQL."""
        return f"vectors_{self.id}"


def open_generation(connection: apsw.Connection, identity: EmbeddingIdentity, now_ms: int) -> Generation:
    """Return the generation of ``identity``, created if it is new, and activate it.

    A new one queues every chunk for embedding; other generations stay until they are dropped.
    """
    generation = generation_of(connection, identity, now_ms)
    active = meta.read(connection, "generation")
    if active is None or int(active) != generation.id:
        activate(connection, generation, now_ms)
    return generation


def generation_of(connection: apsw.Connection, identity: EmbeddingIdentity, now_ms: int) -> Generation:
    """Return the generation of ``identity``, created if it is new; the active one stays active."""
    key = (identity.provider, identity.model, identity.dimensions, identity.version)
    row = connection.execute(
        "SELECT id FROM generations WHERE provider = ? AND model = ? AND dimensions = ? AND version = ?", key
    ).get
    if row is not None:
        return Generation(int(row), identity.dimensions)
    connection.execute(
        "INSERT INTO generations (provider, model, dimensions, version, created_at) VALUES (?, ?, ?, ?, ?)",
        (*key, now_ms),
    )
    generation = Generation(connection.last_insert_rowid(), identity.dimensions)
    create_table(connection, generation)
    return generation


def create_table(connection: apsw.Connection, generation: Generation) -> None:
    """Create the table of a generation."""
    column = f"embedding {vector_bytes.COLUMN_TYPE}[{generation.dimensions}] distance_metric=cosine"
    connection.execute(f"CREATE VIRTUAL TABLE {generation.table} USING vec0(chunk_id INTEGER PRIMARY KEY, {column})")


def activate(connection: apsw.Connection, generation: Generation, now_ms: int) -> None:
    """Activate a generation, and queue the vectors that it lacks."""
    meta.write(connection, "generation", str(generation.id))
    connection.execute(
        "UPDATE generations SET state = 'retired', retired_at = CASE state WHEN 'serving' THEN ? END"
        " WHERE id <> ? AND state <> 'retired'",
        (now_ms, generation.id),
    )
    connection.execute("UPDATE generations SET state = 'serving', retired_at = NULL WHERE id = ?", (generation.id,))
    # A generation that was active before lacks only the vectors of newer chunks. The plain table in which sqlite-vec
    # keeps ids can be read without the vectors.
    ids = f"{generation.table}_rowids"
    connection.execute(
        f"DELETE FROM {generation.table} WHERE chunk_id IN"
        f" (SELECT r.rowid FROM {ids} r WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.id = r.rowid))"
    )
    connection.execute(
        "INSERT INTO pending_vectors (chunk_id)"
        f" SELECT id FROM chunks c WHERE {HAS_VECTOR} AND NOT EXISTS (SELECT 1 FROM {ids} r WHERE r.rowid = c.id)"
        " ON CONFLICT (chunk_id) DO UPDATE SET attempts = 0, retry_at = 0"
    )
    connection.execute(
        f"DELETE FROM pending_vectors AS p WHERE EXISTS (SELECT 1 FROM {ids} r WHERE r.rowid = p.chunk_id)"
    )


def store_vectors(connection: apsw.Connection, generation: Generation, vectors: Sequence[tuple[int, bytes]]) -> None:
    """Store vectors by chunk id, and remove the chunks from the queue.

    Vectors are float32 little-endian, ``dimensions`` long.
    """
    put(connection, generation, vectors)
    connection.executemany("DELETE FROM pending_vectors WHERE chunk_id = ?", [(chunk_id,) for chunk_id, _ in vectors])


def put(connection: apsw.Connection, generation: Generation, vectors: Sequence[tuple[int, bytes]]) -> None:
    """Store vectors by chunk id, replacing existing ones.

    Vectors are float32 little-endian, ``dimensions`` long; see ``app.store.vector_bytes`` for what is kept of them.
    """
    connection.executemany(
        f"DELETE FROM {generation.table} WHERE chunk_id = ?", [(chunk_id,) for chunk_id, _ in vectors]
    )
    stored = vector_bytes.encode([vector for _, vector in vectors])
    connection.executemany(
        f"INSERT INTO {generation.table} (chunk_id, embedding) VALUES (?, vec_int8(?))",
        [(chunk_id, row) for (chunk_id, _), row in zip(vectors, stored, strict=True)],
    )


def delete_vectors(connection: apsw.Connection, chunk_ids: Sequence[int]) -> int:
    """Delete the vectors of chunks from every generation, and return their number."""
    count = 0
    for (number,) in connection.execute("SELECT id FROM generations").fetchall():
        # sqlite-vec finds one id at once, but for a list of ids it reads the whole table.
        sql = f"DELETE FROM vectors_{int(str(number))} WHERE chunk_id = ?"
        for chunk_id in chunk_ids:
            connection.execute(sql, (chunk_id,))
            count += connection.changes()
    return count


def nearest(
    connection: apsw.Connection,
    generation: Generation,
    vector: bytes,
    k: int,
    subset: tuple[str, Sequence[object]] | None,
) -> list[tuple[int, float]]:
    """Return the ``k`` nearest chunks with their cosine, best first.

    Vectors without a direction are never returned.

    Args:
        connection: A reader.
        generation: The generation to search.
        vector: The query, float32 little-endian.
        k: The number of chunks.
        subset: An SQL query for the allowed chunk ids, with its values; ``None`` allows all.
    """
    allowed, values = ("", ()) if subset is None else (f" AND chunk_id IN ({subset[0]})", tuple(subset[1]))
    rows = connection.execute(
        f"SELECT chunk_id, 1.0 - distance FROM {generation.table}"
        f" WHERE embedding MATCH vec_int8(?) AND k = ?{allowed} ORDER BY distance",
        (vector_bytes.as_stored(vector), k, *values),
    )
    # The vector of an empty text is zero, and its cosine with any other is undefined.
    return [(row[0], row[1]) for row in rows if row[1] is not None]


def drop_tool_vectors(connection: apsw.Connection, limit: int = 500) -> bool:
    """Delete some vectors of tool output, which older versions made.

    Return whether more may follow.
    """
    key = "index.drop_tool_vectors"
    after = meta.read(connection, key)
    if after is None:
        return False
    sql = "SELECT id FROM chunks WHERE kind = 'message' AND role = 'tool' AND id > ? ORDER BY id LIMIT ?"
    ids = [int(str(row[0])) for row in connection.execute(sql, (int(after), limit))]
    delete_vectors(connection, ids)
    if ids:
        meta.write(connection, key, str(ids[-1]))
    else:
        meta.remove(connection, key)
    return bool(ids)
