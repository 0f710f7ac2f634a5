"""SQL of generations: vectors that are active, being built, or kept for a rollback."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import apsw

from app.core.clock import DAY_MS
from app.embed.embedder_source import EmbedderSource
from app.embed.model import EmbeddingIdentity
from app.errors import InputError, NotFoundError
from app.index import repo
from app.index.vectors import vector_repo
from app.index.vectors.vector_repo import HAS_VECTOR, Generation
from app.sentence import Sentence
from app.store import meta

KEPT_MS: Final = 7 * DAY_MS
"""Milliseconds for which an inactive generation is kept."""

_PAUSED: Final = "embedding_paused"
_WAITS: Final = "embedding_waits"
_READY: Final = "embedding_ready"
_SQL: Final = "SELECT id, provider, model, dimensions, version, state, source, retired_at, created_at FROM generations"


@dataclass(frozen=True, slots=True)
class GenerationRow:
    """A stored generation.

    Args:
        generation: Its number and vector length.
        identity: The identity of the model that made its vectors.
        state: ``building``, ``serving`` (active) or ``retired``.
        source: The source of its embedder.
        retired_ms: When it became inactive, milliseconds UTC; ``None`` if it never was active.
        created_ms: When it was created, milliseconds UTC.
    """

    generation: Generation
    identity: EmbeddingIdentity
    state: str
    source: EmbedderSource
    retired_ms: int | None
    created_ms: int

    @property
    def until_ms(self) -> int:
        """Return when it is dropped, unless it is activated or built again before."""
        return (self.created_ms if self.retired_ms is None else self.retired_ms) + KEPT_MS


def rows(connection: apsw.Connection) -> list[GenerationRow]:
    """Return all generations, newest first."""
    return [_row(row) for row in connection.execute(f"{_SQL} ORDER BY id DESC").fetchall()]


def active_generation(connection: apsw.Connection) -> GenerationRow | None:
    """Return the active generation, ``None`` before the first vector."""
    row = connection.execute(
        f"{_SQL} WHERE id = (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'generation')"
    ).fetchone()
    return None if row is None else _row(row)


def generation_in_building(connection: apsw.Connection) -> GenerationRow | None:
    """Return the generation being built, if any."""
    return next((row for row in rows(connection) if row.state == "building"), None)


def settled(
    connection: apsw.Connection, identity: EmbeddingIdentity, source: EmbedderSource
) -> vector_repo.Generation | None:
    """Return the active generation if it is as wanted and none is being built."""
    active = active_generation(connection)
    is_waiting = any(meta.read(connection, key) is not None for key in (_WAITS, _READY))
    if active is None or is_waiting or generation_in_building(connection) is not None:
        return None
    return active.generation if (active.identity, active.source) == (identity, source) else None


def _row(found: Sequence[object]) -> GenerationRow:
    number, provider, model, dimensions, version, state, source, retired, created = found
    identity = EmbeddingIdentity(str(provider), str(model), int(str(dimensions)), str(version))
    return GenerationRow(
        Generation(int(str(number)), identity.dimensions),
        identity,
        str(state),
        EmbedderSource.read(str(source)) or _derived_source(identity),
        None if retired is None else int(str(retired)),
        int(str(created)),
    )


def _derived_source(identity: EmbeddingIdentity) -> EmbedderSource:
    """Return the likely source of an embedder for which none was stored."""
    return EmbedderSource(
        identity.provider if identity.provider in {"static", "hashed"} else str(identity).partition("/")[0]
    )


def note_source(connection: apsw.Connection, generation: Generation, source: EmbedderSource) -> None:
    """Store the source of a generation's embedder."""
    connection.execute("UPDATE generations SET source = ? WHERE id = ?", (source.text(), generation.id))


def begin_building(
    connection: apsw.Connection,
    identity: EmbeddingIdentity,
    source: EmbedderSource,
    now_ms: int,
    *,
    waits: bool | None = None,
) -> Generation:
    """Return the generation of ``identity``, marked as being built.

    Vectors that it has already are kept.

    Only one generation is built at a time: another one is retired.

    Args:
        connection: The writer.
        identity: The identity of the model.
        source: The source of its embedder.
        now_ms: Milliseconds UTC.
        waits: Whether the complete generation waits for a switch; ``None`` keeps the earlier decision.
    """
    generation = vector_repo.generation_of(connection, identity, now_ms)
    if waits is not None:
        allow_activation(connection)
    if waits:
        meta.write(connection, _WAITS, str(generation.id))
    connection.execute(
        "UPDATE generations SET state = 'retired' WHERE state = 'building' AND id <> ?", (generation.id,)
    )
    connection.execute("UPDATE generations SET state = 'building', retired_at = NULL WHERE id = ?", (generation.id,))
    note_source(connection, generation, source)
    return generation


def abandon_building(connection: apsw.Connection) -> None:
    """Retire the generation being built, which was never active."""
    connection.execute("UPDATE generations SET state = 'retired' WHERE state = 'building'")
    allow_activation(connection)


def waits_for_switch(connection: apsw.Connection, generation: Generation) -> bool:
    """Return whether a complete generation has to wait for ``allow_activation``."""
    return _meta_number(connection, _WAITS) == generation.id


def is_ready(connection: apsw.Connection, generation: Generation) -> bool:
    """Return whether a waiting generation has been complete; it may lack newer texts."""
    return waits_for_switch(connection, generation) and _meta_number(connection, _READY) == generation.id


def note_ready(connection: apsw.Connection, generation: Generation) -> bool:
    """Record that a generation is complete if it has to wait, and return that."""
    if not waits_for_switch(connection, generation):
        return False
    meta.write(connection, _READY, str(generation.id))
    return True


def allow_activation(connection: apsw.Connection) -> None:
    """Allow the generation being built to become active as soon as it is complete."""
    meta.remove(connection, _WAITS)
    meta.remove(connection, _READY)


def generation_to_compare(connection: apsw.Connection, number: int, now_ms: int) -> GenerationRow:
    """Return an inactive generation that can be searched.

    Raises:
        NotFoundError: No generation has that number, or it is about to be dropped.
        InputError: The generation is active or incomplete.
    """
    row = next((row for row in rows(connection) if row.generation.id == number), None)
    if row is None or (row.state == "retired" and row.until_ms <= now_ms):
        raise NotFoundError(
            Sentence("There are no vectors with the number {number}; 'embedding.status' lists them.", number=number),
            id=number,
        )
    if row.state == "serving":
        raise InputError(
            Sentence("The vectors of {model} answer searches already; name others.", model=row.source.model), id=number
        )
    vectors = count(connection, row.generation)
    served = row.retired_ms is not None
    if not vectors or not (served or is_ready(connection, row.generation)):
        wanted = repo.chunk_count(connection)
        raise InputError(
            Sentence(
                "The vectors of {model} are not complete: {vectors} of {wanted} are there.",
                model=row.source.model,
                vectors=vectors,
                wanted=wanted,
            ),
            id=number,
        )
    return row


def previous_generation(connection: apsw.Connection, now_ms: int, number: int | None = None) -> GenerationRow | None:
    """Return the previous generation, or one by number, while it is kept."""
    retired = [row for row in rows(connection) if row.state == "retired" and row.retired_ms is not None]
    kept_rows = [row for row in retired if number in (None, row.generation.id) and row.until_ms > now_ms]
    return max(kept_rows, key=lambda row: row.retired_ms or 0, default=None)


def chunks_without_vector(
    connection: apsw.Connection, generation: Generation, after: int, limit: int, *, may_send: bool
) -> tuple[list[repo.PendingText], int]:
    """Return chunks without a vector in ``generation``, oldest first, and the last chunk examined.

    Args:
        connection: A reader.
        generation: The generation being built.
        after: Only chunks with higher ids are returned.
        limit: The most chunks to return.
        may_send: False leaves out private chunks.
    """
    # This plain table of sqlite-vec has an index on ids, which its virtual table lacks.
    cursor = connection.execute(
        f"SELECT id, text FROM chunk_texts c WHERE id > ? AND {HAS_VECTOR} AND (? OR store <> 'private')"
        f" AND {repo.NOT_HIDDEN} AND NOT EXISTS (SELECT 1 FROM {generation.table}_rowids r WHERE r.rowid = c.id)"
        " ORDER BY id LIMIT ?",
        (after, may_send, limit),
    )
    texts = [repo.PendingText(int(str(row[0])), str(row[1]), 0) for row in cursor]
    return texts, texts[-1].chunk_id if texts else after


def store_built(
    connection: apsw.Connection, generation: Generation, texts: Sequence[repo.PendingText], made: Sequence[bytes]
) -> list[tuple[int, bytes]]:
    """Store vectors of chunks that are still there in an inactive generation, and return them."""
    pairs = repo.current_vectors(connection, texts, made)
    vector_repo.put(connection, generation, pairs)
    return pairs


def count(connection: apsw.Connection, generation: Generation) -> int:
    """Return how many vectors a generation has.

    It has none if its table is missing, which the vault check reports.
    """
    if connection.execute("SELECT 1 FROM pragma_table_list WHERE name = ?", (generation.table,)).get is None:
        return 0
    return int(connection.execute(f"SELECT count(*) FROM {generation.table}_rowids").get)


def withheld_count(connection: apsw.Connection) -> int:
    """Return how many chunks have no vector because they are private."""
    return int(connection.execute("SELECT count(*) FROM pending_vectors WHERE retry_at = ?", (repo.NEVER,)).get)


def withhold(connection: apsw.Connection, chunk_ids: Sequence[int]) -> None:
    """Remove chunks that must not be sent from the queue, until ``requeue_withheld``."""
    connection.executemany(
        "UPDATE pending_vectors SET retry_at = ? WHERE chunk_id = ?", [(repo.NEVER, chunk_id) for chunk_id in chunk_ids]
    )


def requeue_withheld(connection: apsw.Connection) -> None:
    """Queue the withheld chunks again."""
    connection.execute("UPDATE pending_vectors SET retry_at = 0, attempts = 0 WHERE retry_at = ?", (repo.NEVER,))


def drop_one_expired(connection: apsw.Connection, now_ms: int) -> bool:
    """Drop a generation that has been inactive for a week; return whether there was one."""
    row = connection.execute(
        "SELECT id, dimensions FROM generations WHERE state = 'retired' AND coalesce(retired_at, created_at) <= ?"
        " LIMIT 1",
        (now_ms - KEPT_MS,),
    ).fetchone()
    if row is None:
        return False
    connection.execute(f"DROP TABLE {Generation(int(str(row[0])), int(str(row[1]))).table}")
    connection.execute("DELETE FROM generations WHERE id = ?", (row[0],))
    return True


def is_paused(connection: apsw.Connection) -> bool:
    """Return whether the person paused the build."""
    return meta.read(connection, _PAUSED) is not None


def pause(connection: apsw.Connection, *, is_paused: bool) -> None:
    """Pause the build or continue it; this is kept over a restart."""
    if is_paused:
        meta.write(connection, _PAUSED, "1")
    else:
        meta.remove(connection, _PAUSED)


def _meta_number(connection: apsw.Connection, key: str) -> int | None:
    number = meta.read(connection, key)
    return None if number is None else int(number)
