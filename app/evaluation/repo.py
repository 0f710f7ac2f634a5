"""SQL of the evaluation of search: samples of texts, and judgements."""

from collections.abc import Sequence
from typing import Final

import apsw

from app.core import message_ids
from app.core.clock import to_datetime, to_ms
from app.evaluation.known_item_questions import MAX_READ, KnownItem
from app.evaluation.model import Judgement
from app.index.repo import NOT_HIDDEN, chunk_count

_SPARE: Final = 6
"""Factor by which more texts are read than questions wanted, since many are too short."""
_WHOLE: Final = 1 << 32
_SPREAD: Final = 2_654_435_761  # multiplier that scatters consecutive ids


def sample(connection: apsw.Connection, most: int, seed: int) -> list[KnownItem]:
    """Return sampled texts; the sample changes little as the vault grows."""
    total = chunk_count(connection)
    share = min(_WHOLE, most * _SPARE * _WHOLE // max(total, 1))
    rows = connection.execute(
        "SELECT CASE WHEN c.kind = 'memory' THEN c.memory_id ELSE c.session_id || '#' || c.seq_start END,"
        f" substr(c.text, 1, {MAX_READ}), coalesce(substr(b.content, 1, {MAX_READ}), '') FROM chunk_texts c"
        " LEFT JOIN messages b ON b.session_id = c.session_id AND b.seq = c.seq_start - 1 AND b.role <> c.role"
        " AND b.role NOT IN ('tool', 'system') WHERE c.kind IN ('message', 'memory')"
        f" AND ((c.id * {_SPREAD} + ?) & {_WHOLE - 1}) < ? AND c.role NOT IN ('tool', 'system') AND {NOT_HIDDEN}"
        " ORDER BY c.id",
        (seed * 40_503, share),
    )
    items: dict[str, KnownItem] = {}
    for target, text, before in rows:
        items.setdefault(str(target), KnownItem(str(target), str(text), str(before)))
    return list(items.values())


def exists(connection: apsw.Connection, target: str) -> bool:
    """Return whether there is a message or memory with an id."""
    row = connection.execute(
        "SELECT 1 FROM memories WHERE id = ?1 UNION ALL SELECT 1 FROM memory_archive WHERE id = ?1 UNION ALL"
        " SELECT 1 FROM messages WHERE session_id = ?2 AND seq = ?3 LIMIT 1",
        (target, *_session_and_seq(target)),
    ).fetchone()
    return row is not None


def judge(connection: apsw.Connection, judgement: Judgement) -> None:
    """Store a judgement, replacing an earlier one of the same query and item."""
    connection.execute(
        "INSERT INTO judgements (target, query, good, at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (target, query) DO UPDATE SET good = excluded.good, at = excluded.at",
        (judgement.id, judgement.query, judgement.good, to_ms(judgement.at)),
    )


def unjudge(connection: apsw.Connection, query: str, target: str) -> bool:
    """Delete a judgement, and return whether there was one."""
    connection.execute("DELETE FROM judgements WHERE target = ? AND query = ?", (target, query))
    return connection.changes() > 0


def judgements(connection: apsw.Connection, limit: int) -> list[Judgement]:
    """Return the judgements, the latest first."""
    rows = connection.execute(
        "SELECT query, target, good, at FROM judgements ORDER BY at DESC, target, query LIMIT ?", (limit,)
    )
    return [Judgement(str(query), str(target), bool(good), to_datetime(at)) for query, target, good, at in rows]


def _session_and_seq(target: str) -> Sequence[str | int | None]:
    ref = message_ids.parse(target)
    return (None, None) if ref is None else (ref.session, ref.seq)
