"""Recovery of texts on broken pages from their copies in history and index."""

import json
from collections.abc import Iterable, Mapping
from typing import Final

import apsw

from app.core.text_rules.token_estimate import estimate_tokens
from app.errors import KeepsakeError
from app.index.indexer import Indexer
from app.memories.state_codec import from_state
from app.memories.writer import write_state
from app.recovery.sqlite_pages import Cell

_LAST_STATE: Final = (
    "SELECT state_json(after) FROM memory_history WHERE target_kind = 'memory' AND target = ? ORDER BY id DESC LIMIT 1"
)


def memories(connection: apsw.Connection, missing: Iterable[str]) -> int:
    """Put back memories from the last state that the history has of them.

    Args:
        connection: The new database, with the history in it.
        missing: Ids that an index of the damaged database knows, of which there is no row.

    Returns:
        How many came back.
    """
    return sum(_put_back(connection, key) for key in sorted(missing))


def _put_back(connection: apsw.Connection, key: str) -> bool:
    try:
        after = connection.execute(_LAST_STATE, (key,)).get
        if after is None:
            return False
        with connection:
            write_state(connection, Indexer(), None, from_state(json.loads(str(after))))
    except (KeepsakeError, apsw.ConstraintError, apsw.CorruptError):
        return False  # what the history has of it is no whole memory
    return True


def messages(
    connection: apsw.Connection,
    missing: Mapping[tuple[Cell, Cell], Cell],
    chunks: Iterable[Mapping[str, Cell]],
) -> int:
    """Put back messages from the search index, which has their words, who spoke and when.

    Args:
        connection: The new database.
        missing: By session and number the rows that an index of the damaged database knows and that are not there.
        chunks: The rows of the damaged search index, by column.

    Returns:
        How many came back.
    """
    regained = 0
    for chunk in chunks:
        key = (chunk["session_id"], chunk["seq_start"])
        if chunk["kind"] == "message" and key in missing:
            text = str(chunk["own_text" if "own_text" in chunk else "text"])
            connection.execute(
                "INSERT OR IGNORE INTO messages (rowid, session_id, seq, role, content, tokens, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (missing[key], *key, chunk["role"], text, estimate_tokens(text), chunk["created_at"]),
            )
            regained += connection.changes()
    return regained
