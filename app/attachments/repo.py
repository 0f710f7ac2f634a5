"""SQL of attachments: the memories and messages that mention them."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

import apsw

from app.attachments.model import FOLDER, link_of, name_of

_LINK: Final = re.compile(rf"{FOLDER}/[^\s()<>\[\]\"'\\/]+")
# What memories say and once said, and what messages say; each condition names the memory, or the conversation.
_OF_MEMORIES: Final = (
    ("SELECT content FROM memories", "id"),
    ("SELECT attributes FROM memories", "id"),
    ("SELECT payload FROM memory_archive", "id"),
    ("SELECT state_json(before) FROM memory_history WHERE target_kind = 'memory' AND before IS NOT NULL", "target"),
    ("SELECT state_json(after) FROM memory_history WHERE target_kind = 'memory' AND after IS NOT NULL", "target"),
)
_OF_SESSIONS: Final = (("SELECT content FROM messages", "session_id"),)


def mentioned_only_by(connection: apsw.Connection, ids: Sequence[str], sessions: Sequence[str] = ()) -> frozenset[str]:
    """Return the attachments that some memories and conversations mention and no other does.

    What memories once said counts as well, as their history has it.

    Args:
        connection: The vault's database.
        ids: The memories.
        sessions: The conversations.
    """
    texts = [(*text, json.dumps(list(ids))) for text in _OF_MEMORIES]
    texts += [(*text, json.dumps(list(sessions))) for text in _OF_SESSIONS]
    names = {
        name
        for sql, column, wanted in texts
        for text in _said(connection, sql, column, wanted)
        for name in _names(text)
    }
    return frozenset(name for name in names if not _is_in_others(connection, name, texts))


def _said(connection: apsw.Connection, sql: str, column: str, ids: str) -> Iterator[str]:
    joined = "AND" if "WHERE" in sql else "WHERE"
    query = f"{sql} {joined} {column} IN (SELECT value FROM json_each(?))"
    yield from (str(row[0]) for row in connection.execute(query, (ids,)))


def _names(text: str) -> Iterator[str]:
    for match in _LINK.finditer(text):
        if name := name_of(match[0]):
            yield name


def _is_in_others(connection: apsw.Connection, name: str, texts: Sequence[tuple[str, str, str]]) -> bool:
    link = link_of(name)
    spellings = {link, json.dumps(link)[1:-1]}  # as text, and as JSON may write it
    for sql, column, ids in texts:
        joined = "AND" if "WHERE" in sql else "WHERE"
        column_name = sql.removeprefix("SELECT ").partition(" ")[0]
        query = f"{sql} {joined} {column} NOT IN (SELECT value FROM json_each(?)) AND instr({column_name}, ?) LIMIT 1"
        if any(connection.execute(query, (ids, spelling)).fetchone() for spelling in spellings):
            return True
    return False
