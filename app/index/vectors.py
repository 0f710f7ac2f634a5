"""Vectors in sqlite-vec, one table for each embedding identity (a generation)."""

from collections.abc import Sequence
from dataclasses import dataclass

import apsw

from app.embed.model import Identity

# As the triggers of the first migration have it.
HAS_VECTOR = "(kind <> 'passage' OR seq_start = seq_end)"


@dataclass(frozen=True, slots=True)
class Generation:
    """The vectors made by one embedding identity; ``table`` holds them, ``dimensions`` wide."""

    id: int
    dimensions: int

    @property
    def table(self) -> str:
        """Return the name of the table, made of a number only."""
        return f"vectors_{self.id}"


def open_generation(connection: apsw.Connection, identity: Identity, now_ms: int) -> Generation:
    """Return the generation of ``identity``, making it when it is new.

    A new one queues every chunk for embedding; the vectors of other identities stay until they are dropped.
    """
    key = (identity.provider, identity.model, identity.dimensions, identity.version)
    found = connection.execute(
        "SELECT id, state FROM generations WHERE provider = ? AND model = ? AND dimensions = ? AND version = ?", key
    ).fetchone()
    if found is None:
        connection.execute(
            "INSERT INTO generations (provider, model, dimensions, version, state, created_at)"
            " VALUES (?, ?, ?, ?, 'serving', ?)",
            (*key, now_ms),
        )
        found = (connection.last_insert_rowid(), "serving")
        create_table(connection, Generation(found[0], identity.dimensions))
    generation = Generation(found[0], identity.dimensions)
    active = connection.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
    if active is None or int(active[0]) != generation.id:
        _activate(connection, generation)
    return generation


def create_table(connection: apsw.Connection, generation: Generation) -> None:
    """Create the table of a generation."""
    connection.execute(
        f"CREATE VIRTUAL TABLE {generation.table} USING vec0("
        f"chunk_id INTEGER PRIMARY KEY, embedding float[{generation.dimensions}] distance_metric=cosine)"
    )


def _activate(connection: apsw.Connection, generation: Generation) -> None:
    connection.execute(
        "INSERT INTO meta (key, value) VALUES ('generation', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (str(generation.id),),
    )
    connection.execute("UPDATE generations SET state = 'retired' WHERE id <> ?", (generation.id,))
    connection.execute("UPDATE generations SET state = 'serving' WHERE id = ?", (generation.id,))
    # A generation that served before lacks what came since; what it has needs no second time.
    connection.execute(
        f"DELETE FROM {generation.table} WHERE chunk_id IN"
        f" (SELECT chunk_id FROM {generation.table} EXCEPT SELECT id FROM chunks)"
    )
    connection.execute(
        "INSERT INTO pending_vectors (chunk_id)"
        f" SELECT id FROM chunks WHERE {HAS_VECTOR} AND id NOT IN (SELECT chunk_id FROM {generation.table})"
        " ON CONFLICT (chunk_id) DO UPDATE SET attempts = 0, retry_at = 0"
    )
    connection.execute(f"DELETE FROM pending_vectors WHERE chunk_id IN (SELECT chunk_id FROM {generation.table})")


def store_vectors(connection: apsw.Connection, generation: Generation, vectors: Sequence[tuple[int, bytes]]) -> None:
    """Store vectors (float32 little-endian, ``dimensions`` long) by chunk id and take them off the queue."""
    ids = [(chunk_id,) for chunk_id, _ in vectors]
    connection.executemany(f"DELETE FROM {generation.table} WHERE chunk_id = ?", ids)
    connection.executemany(
        f"INSERT INTO {generation.table} (chunk_id, embedding) VALUES (?, ?)",
        vectors,
    )
    connection.executemany("DELETE FROM pending_vectors WHERE chunk_id = ?", ids)


def delete_vectors(connection: apsw.Connection, chunk_ids: Sequence[int]) -> None:
    """Delete the vectors of chunks from every generation."""
    for (number,) in connection.execute("SELECT id FROM generations").fetchall():
        connection.executemany(
            f"DELETE FROM vectors_{int(str(number))} WHERE chunk_id = ?",
            [(chunk_id,) for chunk_id in chunk_ids],
        )


def nearest(
    connection: apsw.Connection,
    generation: Generation,
    vector: bytes,
    k: int,
    subset: tuple[str, Sequence[object]] | None,
) -> list[tuple[int, float]]:
    """Return the ``k`` nearest chunks with their cosine, best first; those that have no direction are left out.

    Args:
        connection: A reader.
        generation: Whose vectors.
        vector: The query, float32 little-endian.
        k: How many.
        subset: A query that gives the chunk ids allowed, with its values; ``None`` allows all.
    """
    allowed, values = ("", ()) if subset is None else (f" AND chunk_id IN ({subset[0]})", tuple(subset[1]))
    rows = connection.execute(
        f"SELECT chunk_id, 1.0 - distance FROM {generation.table}"
        f" WHERE embedding MATCH ? AND k = ?{allowed} ORDER BY distance",
        (vector, k, *values),
    )
    # A text with nothing in it has a vector without direction, whose cosine with any other is undefined.
    return [(row[0], row[1]) for row in rows if row[1] is not None]
