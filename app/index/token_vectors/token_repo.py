"""SQL of token vectors: one table for each generation (model and form of the codes).

A table is made when it is first needed. A row without codes waits for them. Triggers add rows for new texts, and take
the codes of a message that was read with another one when that changes. A row goes with its chunk.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import apsw

from app.core.clock import DAY_MS
from app.embed.model import EmbeddingIdentity, TextInContext
from app.index.repo import NOT_HIDDEN
from app.index.vectors.vector_repo import HAS_VECTOR
from app.store import meta

KEPT_MS: Final = 7 * DAY_MS
"""Milliseconds for which the vectors of a model that is no longer chosen are kept."""
PIECES: Final = 4
"""Chunks of a memory that have token vectors, the first ones."""

_KEY: Final = "token_vectors:"
_READ: Final = 1_000
"""Characters of a text that are read, about 256 tokens: more takes longer than it is worth."""
_READ_BEFORE: Final = 300
"""Characters of the message before that are read."""
_HAS_TOKENS: Final = (
    f"({{0}}.kind = 'message' AND {{0}}.role <> 'tool' OR {{0}}.kind = 'memory' AND {{0}}.seq_start < {PIECES})"
)


@dataclass(frozen=True, slots=True)
class TokenGeneration:
    """The token vectors of one model.

    Args:
        id: The number of its table.
        dimensions: The length of a token vector.
    """

    id: int
    dimensions: int

    @property
    def table(self) -> str:
        """The name of the table; it needs no quotes in SQL."""
        return f"token_vectors_{self.id}"


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Number of texts.

    Args:
        texts: Those that have token vectors or wait for them.
        waiting: Those that wait.
    """

    texts: int
    waiting: int


def find_generation(connection: apsw.Connection, identity: EmbeddingIdentity, form: int) -> TokenGeneration | None:
    """Return the generation of a model if it is in use and lacks no row."""
    for number, row in _rows(connection).items():
        if row == _identity_row(identity, form):
            generation = TokenGeneration(number, identity.dimensions)
            return generation if _is_whole(connection, generation) else None
    return None


def open_generation(
    connection: apsw.Connection, identity: EmbeddingIdentity, form: int, now_ms: int
) -> TokenGeneration:
    """Return the generation of a model, which is made where there is none.

    It has a row for each text. The other generations are retired.
    """
    rows, wanted = _rows(connection), _identity_row(identity, form)
    number = next((number for number, row in rows.items() if row | {"retired_at": None} == wanted), None)
    if number is None:
        number = max(rows, default=0) + 1
    generation = TokenGeneration(number, identity.dimensions)
    retire(connection, now_ms, but=generation)
    meta.write(connection, f"{_KEY}{number}", json.dumps(wanted))
    _create(connection, generation)
    connection.execute(
        f"INSERT INTO {generation.table} (chunk_id) SELECT id FROM chunks c WHERE {_HAS_TOKENS.format('c')}"
        " ON CONFLICT DO NOTHING"
    )
    return generation


def has_generations(connection: apsw.Connection) -> bool:
    """Return whether any token vectors are kept."""
    return bool(_rows(connection))


def retire(connection: apsw.Connection, now_ms: int, but: TokenGeneration | None = None) -> None:
    """Let all generations but one be dropped a week from now."""
    for number, row in _rows(connection).items():
        if row["retired_at"] is None and (but is None or number != but.id):
            meta.write(connection, f"{_KEY}{number}", json.dumps(row | {"retired_at": now_ms}))


def drop_one_expired(connection: apsw.Connection, now_ms: int) -> bool:
    """Drop a generation that was retired a week ago; return whether there was one."""
    for number, row in _rows(connection).items():
        if row["retired_at"] is not None and int(str(row["retired_at"])) <= now_ms - KEPT_MS:
            table = TokenGeneration(number, 0).table
            for trigger in ("added", "parted"):
                connection.execute(f"DROP TRIGGER IF EXISTS {table}_{trigger}")
            connection.execute(f"DROP TABLE IF EXISTS {table}")
            meta.remove(connection, f"{_KEY}{number}")
            return True
    return False


def clear(connection: apsw.Connection) -> None:
    """Delete all token vectors, before all chunks are deleted.

    The triggers bring rows for new chunks.
    """
    for number in _rows(connection):
        table = TokenGeneration(number, 0).table
        if connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).get is not None:
            connection.execute(f"DELETE FROM {table}")


def waiting_chunks(connection: apsw.Connection, generation: TokenGeneration, limit: int) -> list[int]:
    """Return chunks without token vectors, newest first, so that new messages are found first."""
    rows = connection.execute(
        f"SELECT t.chunk_id FROM {generation.table} t CROSS JOIN chunks c ON c.id = t.chunk_id"
        f" WHERE t.codes IS NULL AND {NOT_HIDDEN} ORDER BY t.chunk_id DESC LIMIT ?",
        (limit,),
    )
    return [int(str(row[0])) for row in rows]


def texts_of(connection: apsw.Connection, chunk_ids: Sequence[int]) -> dict[int, TextInContext]:
    """Return the texts of chunks as the model reads them.

    A message comes with its speaker, and after the message that it may answer.
    """
    rows = connection.execute(_TEXTS, (json.dumps(list(chunk_ids)),))
    return {
        int(str(number)): TextInContext(_spoken(before, before_author), _spoken(text, author))
        for number, text, author, before, before_author in rows
    }


def store_codes(
    connection: apsw.Connection,
    generation: TokenGeneration,
    texts: Mapping[int, TextInContext],
    codes: Sequence[bytes],
) -> None:
    """Store the codes of texts that are still what was read."""
    current = texts_of(connection, [*texts])
    rows = [
        (code, chunk_id)
        for (chunk_id, text), code in zip(texts.items(), codes, strict=True)
        if current.get(chunk_id) == text
    ]
    connection.executemany(f"UPDATE {generation.table} SET codes = ? WHERE chunk_id = ?", rows)


def counts(connection: apsw.Connection, generation: TokenGeneration) -> TokenCounts:
    """Return how many texts there are and how many wait.

    Those of forgotten sessions count until they are deleted.
    """
    made, waiting = (
        int(connection.execute(f"SELECT count(*) FROM {generation.table} WHERE codes IS {state}").get)
        for state in ("NOT NULL", "NULL")
    )
    return TokenCounts(made + waiting, waiting)


def codes_of_message(
    connection: apsw.Connection, generation: TokenGeneration, session_id: str, seq: int
) -> list[bytes | None]:
    """Return the codes of a message, ``None`` while it waits for them."""
    return _codes(connection, generation, "session_id = ? AND kind = 'message' AND seq_start = ?", (session_id, seq))


def codes_of_memory(connection: apsw.Connection, generation: TokenGeneration, memory_id: str) -> list[bytes | None]:
    """Return the codes of a memory's first chunks, ``None`` for those that wait for them."""
    return _codes(connection, generation, "memory_id = ?", (memory_id,))


def _codes(
    connection: apsw.Connection, generation: TokenGeneration, where: str, values: Sequence[object]
) -> list[bytes | None]:
    rows = connection.execute(
        f"SELECT codes FROM {generation.table} WHERE chunk_id IN (SELECT id FROM chunks WHERE {where})"
        " ORDER BY chunk_id",
        tuple(values),
    )
    return [None if row[0] is None else bytes(row[0]) for row in rows]


def _create(connection: apsw.Connection, generation: TokenGeneration) -> None:
    table = generation.table
    # The next message was read with this one, or without it.
    follower = (
        "SELECT id FROM chunks WHERE {0}.kind = 'message' AND session_id = {0}.session_id AND kind = 'message'"
        " AND seq_start = {0}.seq_start + 1"
    )
    stale = f"UPDATE {table} SET codes = NULL WHERE codes IS NOT NULL AND chunk_id IN ({follower})"
    connection.execute(
        f"CREATE TABLE IF NOT EXISTS {table}"
        " (chunk_id INTEGER PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE, codes BLOB) STRICT"
    )
    # Rows are long: what only counts them or looks for those that wait need not read them.
    for name, state in (("made", "NOT NULL"), ("waiting", "NULL")):
        connection.execute(f"CREATE INDEX IF NOT EXISTS {table}_{name} ON {table} (chunk_id) WHERE codes IS {state}")
    connection.execute(
        f"CREATE TRIGGER IF NOT EXISTS {table}_added AFTER INSERT ON chunks WHEN {_HAS_TOKENS.format('new')}"
        f" BEGIN INSERT INTO {table} (chunk_id) VALUES (new.id); {stale.format('new')}; END"
    )
    connection.execute(
        f"CREATE TRIGGER IF NOT EXISTS {table}_parted AFTER DELETE ON chunks WHEN old.kind = 'message'"
        f" BEGIN {stale.format('old')}; END"
    )


def _is_whole(connection: apsw.Connection, generation: TokenGeneration) -> bool:
    """Return whether the table and its triggers are there and each text has a row.

    One may lack its row after a repair.
    """
    names = [generation.table, *(f"{generation.table}_{name}" for name in ("made", "waiting", "added", "parted"))]
    there = connection.execute(
        "SELECT count(*) FROM sqlite_schema WHERE name IN (SELECT value FROM json_each(?))", (json.dumps(names),)
    ).get
    # So written, the index of chunks with a vector answers it.
    texts = connection.execute(
        f"SELECT count(*) FROM chunks WHERE {HAS_VECTOR} AND kind <> 'passage'"
        f" AND (kind = 'message' OR seq_start < {PIECES})"
    ).get
    return int(there) == len(names) and int(texts) == counts(connection, generation).texts


def _rows(connection: apsw.Connection) -> dict[int, dict[str, object]]:
    """Return the stored facts of each generation by its number."""
    rows = connection.execute("SELECT key, value FROM meta WHERE key >= ? AND key < ?", (_KEY, _KEY + "~"))
    return {int(str(key).removeprefix(_KEY)): json.loads(str(value)) for key, value in rows.fetchall()}


def _identity_row(identity: EmbeddingIdentity, form: int) -> dict[str, object]:
    return {
        "model": identity.model,
        "version": identity.version,
        "dimensions": identity.dimensions,
        "form": form,
        "retired_at": None,
    }


def _spoken(text: object, author: object) -> str:
    return f"{author}: {text}" if author and text else str(text or "")


_BEFORE: Final = (
    "SELECT {0} FROM chunk_texts b JOIN messages n ON n.session_id = b.session_id AND n.seq = b.seq_start"
    " WHERE c.kind = 'message' AND b.session_id = c.session_id AND b.kind = 'message'"
    " AND b.seq_start = c.seq_start - 1 LIMIT 1"
)
_TEXTS: Final = (
    f"SELECT c.id, substr(c.text, 1, {_READ}), m.author,"
    f" ({_BEFORE.format(f'substr(b.text, 1, {_READ_BEFORE})')}), ({_BEFORE.format('n.author')})"
    " FROM json_each(?) e CROSS JOIN chunk_texts c ON c.id = e.value"
    " LEFT JOIN messages m ON c.kind = 'message' AND m.session_id = c.session_id AND m.seq = c.seq_start"
)
