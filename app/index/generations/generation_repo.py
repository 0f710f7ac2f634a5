"""SQL of generations: the vectors of one embedding model each, being built, serving, or kept for a way back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import apsw

from app.embed.embedder_source import EmbedderSource
from app.embed.model import EmbeddingIdentity
from app.errors import InputError, NotFoundError
from app.index import repo
from app.index.vectors import vector_repo
from app.index.vectors.vector_repo import HAS_VECTOR, Generation

KEPT_MS: Final = 7 * 24 * 3_600_000
"""How long vectors are kept that no longer serve."""

_PAUSED: Final = "embedding_paused"
_WAITS: Final = "embedding_waits"
_READY: Final = "embedding_ready"
_SQL: Final = "SELECT id, provider, model, dimensions, version, state, source, retired_at, created_at FROM generations"


@dataclass(frozen=True, slots=True)
class GenerationRow:
    """What is stored of a generation.

    Args:
        generation: Its number and width.
        identity: What made its vectors.
        state: ``building``, ``serving`` or ``retired``.
        source: What its embedder is opened from.
        retired_ms: When it ceased to serve, milliseconds UTC; ``None`` also where it never did.
        created_ms: When it was begun.
    """

    generation: Generation
    identity: EmbeddingIdentity
    state: str
    source: EmbedderSource
    retired_ms: int | None
    created_ms: int

    @property
    def until_ms(self) -> int:
        """Return when it is dropped, unless it serves or is built until then."""
        return (self.created_ms if self.retired_ms is None else self.retired_ms) + KEPT_MS


def rows(connection: apsw.Connection) -> list[GenerationRow]:
    """Return every generation, the newest first."""
    return [_row(found) for found in connection.execute(f"{_SQL} ORDER BY id DESC").fetchall()]


def active_generation(connection: apsw.Connection) -> GenerationRow | None:
    """Return the generation that answers searches, ``None`` before the first vector."""
    found = connection.execute(
        f"{_SQL} WHERE id = (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'generation')"
    ).fetchone()
    return None if found is None else _row(found)


def generation_in_building(connection: apsw.Connection) -> GenerationRow | None:
    """Return the generation that is to answer them once it is complete, ``None`` when there is none."""
    return next((row for row in rows(connection) if row.state == "building"), None)


def _row(found: Sequence[object]) -> GenerationRow:
    number, provider, model, dimensions, version, state, source, retired, created = found
    identity = EmbeddingIdentity(str(provider), str(model), int(str(dimensions)), str(version))
    return GenerationRow(
        Generation(int(str(number)), identity.dimensions),
        identity,
        str(state),
        EmbedderSource.read(str(source)) or _guessed(identity),
        None if retired is None else int(str(retired)),
        int(str(created)),
    )


def _guessed(identity: EmbeddingIdentity) -> EmbedderSource:
    """Return where an embedder likely comes from of which that was not noted."""
    return EmbedderSource(
        identity.provider if identity.provider in {"static", "hashed"} else str(identity).partition("/")[0]
    )


def note_source(connection: apsw.Connection, generation: Generation, source: EmbedderSource) -> None:
    """Note what a generation's embedder is opened from."""
    connection.execute("UPDATE generations SET source = ? WHERE id = ?", (source.text(), generation.id))


def begin_building(
    connection: apsw.Connection,
    identity: EmbeddingIdentity,
    source: EmbedderSource,
    now_ms: int,
    *,
    waits: bool | None = None,
) -> Generation:
    """Return the generation of ``identity``, to be built; what it has of an earlier time is kept.

    Only one is built at a time: another one is retired.

    Args:
        connection: The writer.
        identity: What makes its vectors.
        source: What its embedder is opened from.
        now_ms: Milliseconds UTC.
        waits: Whether it lets the old one serve once it is complete; as it was decided before where ``None``.
    """
    made = vector_repo.generation_of(connection, identity, now_ms)
    if waits is not None:
        allow_activation(connection)
    if waits:
        _note(connection, _WAITS, str(made.id))
    connection.execute("UPDATE generations SET state = 'retired' WHERE state = 'building' AND id <> ?", (made.id,))
    connection.execute("UPDATE generations SET state = 'building', retired_at = NULL WHERE id = ?", (made.id,))
    note_source(connection, made, source)
    return made


def abandon_building(connection: apsw.Connection) -> None:
    """Retire what is being built; it never served."""
    connection.execute("UPDATE generations SET state = 'retired' WHERE state = 'building'")
    allow_activation(connection)


def waits_for_switch(connection: apsw.Connection, generation: Generation) -> bool:
    """Return whether a generation is to wait for ``allow_activation`` once it is complete."""
    return _noted(connection, _WAITS) == generation.id


def is_ready(connection: apsw.Connection, generation: Generation) -> bool:
    """Return whether a generation that waits was complete; it may lack what came since."""
    return waits_for_switch(connection, generation) and _noted(connection, _READY) == generation.id


def note_ready(connection: apsw.Connection, generation: Generation) -> bool:
    """Note that a generation is complete if it is to wait; return whether it is."""
    if not waits_for_switch(connection, generation):
        return False
    _note(connection, _READY, str(generation.id))
    return True


def allow_activation(connection: apsw.Connection) -> None:
    """Let what is built serve as soon as it is complete."""
    connection.execute("DELETE FROM meta WHERE key IN (?, ?)", (_WAITS, _READY))


def generation_to_compare(connection: apsw.Connection, number: int, now_ms: int) -> GenerationRow:
    """Return a generation that does not serve and can be searched all the same.

    Raises:
        NotFoundError: There is none of that number, or it is about to be dropped.
        InputError: It serves, or is not complete.
    """
    row = next((row for row in rows(connection) if row.generation.id == number), None)
    if row is None or (row.state == "retired" and row.until_ms <= now_ms):
        raise NotFoundError(f"There are no vectors with the number {number}; 'embedding.status' lists them.", id=number)
    if row.state == "serving":
        raise InputError(f"The vectors of {row.source.model} answer searches already; name others.", id=number)
    made = count(connection, row.generation)
    served = row.retired_ms is not None
    if not made or not (served or is_ready(connection, row.generation)):
        raise InputError(
            f"The vectors of {row.source.model} are not complete: {made:,} of {wanted_count(connection):,} are there.",
            id=number,
        )
    return row


def previous_generation(connection: apsw.Connection, now_ms: int, number: int | None = None) -> GenerationRow | None:
    """Return what served last before what serves now, or the one of that number, while it is kept."""
    retired = [row for row in rows(connection) if row.state == "retired" and row.retired_ms is not None]
    asked = [row for row in retired if number in (None, row.generation.id) and row.until_ms > now_ms]
    return max(asked, key=lambda row: row.retired_ms or 0, default=None)


def chunks_without_vector(
    connection: apsw.Connection, generation: Generation, after: int, limit: int, *, may_send: bool
) -> tuple[list[repo.PendingText], int]:
    """Return chunks without a vector in ``generation``, oldest first, and the last chunk looked at.

    Args:
        connection: A reader.
        generation: The one that is built.
        after: Only chunks with higher ids.
        limit: How many at most.
        may_send: False leaves out what is private.
    """
    # A plain table of sqlite-vec, for its own is read from end to end.
    found = connection.execute(
        f"SELECT id, text, content_hash FROM chunks c WHERE id > ? AND {HAS_VECTOR} AND (? OR store <> 'private')"
        f" AND NOT EXISTS (SELECT 1 FROM {generation.table}_rowids r WHERE r.rowid = c.id) ORDER BY id LIMIT ?",
        (after, may_send, limit),
    )
    texts = [repo.PendingText(int(str(row[0])), str(row[1]), str(row[2]), 0) for row in found]
    return texts, texts[-1].chunk_id if texts else after


def store_built(
    connection: apsw.Connection, generation: Generation, texts: Sequence[repo.PendingText], made: Sequence[bytes]
) -> list[tuple[int, bytes]]:
    """Store vectors of a generation that does not serve yet, of texts that are still the same, and return them."""
    current = repo.still_current(connection, texts)
    pairs = [(text.chunk_id, blob) for text, blob in zip(texts, made, strict=True) if text.chunk_id in current]
    vector_repo.put(connection, generation, pairs)
    return pairs


def count(connection: apsw.Connection, generation: Generation) -> int:
    """Return how many vectors a generation has; none where its table is gone, which a check finds."""
    if connection.execute("SELECT 1 FROM pragma_table_list WHERE name = ?", (generation.table,)).get is None:
        return 0
    return int(connection.execute(f"SELECT count(*) FROM {generation.table}_rowids").get)


def wanted_count(connection: apsw.Connection) -> int:
    """Return how many texts there are to have a vector."""
    return int(connection.execute(f"SELECT count(*) FROM chunks WHERE {HAS_VECTOR}").get)


def withheld_count(connection: apsw.Connection) -> int:
    """Return how many chunks have no vector because they are private."""
    return int(connection.execute("SELECT count(*) FROM pending_vectors WHERE retry_at = ?", (repo.NEVER,)).get)


def withhold(connection: apsw.Connection, chunk_ids: Sequence[int]) -> None:
    """Take chunks off the queue that must not be sent, until ``release``."""
    connection.executemany(
        "UPDATE pending_vectors SET retry_at = ? WHERE chunk_id = ?", [(repo.NEVER, chunk_id) for chunk_id in chunk_ids]
    )


def release(connection: apsw.Connection) -> None:
    """Put back what was withheld."""
    connection.execute("UPDATE pending_vectors SET retry_at = 0, attempts = 0 WHERE retry_at = ?", (repo.NEVER,))


def drop_one_expired(connection: apsw.Connection, now_ms: int) -> bool:
    """Drop a generation that has not served for a week; return whether there was one."""
    found = connection.execute(
        "SELECT id, dimensions FROM generations WHERE state = 'retired' AND coalesce(retired_at, created_at) <= ?"
        " LIMIT 1",
        (now_ms - KEPT_MS,),
    ).fetchone()
    if found is None:
        return False
    connection.execute(f"DROP TABLE {Generation(int(str(found[0])), int(str(found[1]))).table}")
    connection.execute("DELETE FROM generations WHERE id = ?", (found[0],))
    return True


def is_paused(connection: apsw.Connection) -> bool:
    """Return whether the person stopped the building for now."""
    return connection.execute("SELECT 1 FROM meta WHERE key = ?", (_PAUSED,)).get is not None


def pause(connection: apsw.Connection, *, is_paused: bool) -> None:
    """Stop the building for now, or let it go on; the next start remembers."""
    if is_paused:
        _note(connection, _PAUSED, "1")
    else:
        connection.execute("DELETE FROM meta WHERE key = ?", (_PAUSED,))


def _note(connection: apsw.Connection, key: str, value: str) -> None:
    connection.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, value),
    )


def _noted(connection: apsw.Connection, key: str) -> int | None:
    found = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
    return None if found is None else int(str(found))
