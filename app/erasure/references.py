"""References to a string: a scan of every text column of every table."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import apsw

SCHEMA = "sqlite_schema"
_STATES = ("before", "after")
_SAMPLE = 32  # bytes
_MOST_SAMPLES = 50  # of the states of one memory
_MOST = 20  # rows named for one string and table
_AS_TEXT = {"TEXT": '"{}"', "ANY": 'state_json("{}")'}
# How a row is named where it has no id of its own; a name is never a text.
_KEYS = {
    "messages": "session_id || '#' || seq",
    "withheld_messages": "session_id || '#' || seq",
    "turn_writers": "session_id",
    "memory_tags": "memory_id",
    "memory_links": "memory_id",
    "memory_sources": "memory_id",
    "memory_history": "target",
    "session_state": "session_id",
    "session_summaries": "session_id",
    "entity_aliases": "entity_id",
    "mentions": "owner_id",
    "enriched_texts": "owner_id",
    "schedules": "schedule_id",
    "schedule_runs": "run_id",
    "chunks": "coalesce(memory_id, session_id || '#' || seq_start)",
}


@dataclass(frozen=True, slots=True)
class QuotingRow:
    """A row that says a string.

    Args:
        key: Whose it is, ``""`` when it has no id.
        is_common: So many rows of the table say it that it is nobody's words in particular.
    """

    table: str
    key: str
    is_common: bool = False


def find_quotes(connection: apsw.Connection, needle: str) -> list[QuotingRow]:
    """Return rows that contain ``needle``, the first few of each table.

    Each owner is listed once; the schema itself may be among them.
    """
    quotes: dict[QuotingRow, None] = {}
    if connection.execute("SELECT 1 FROM sqlite_schema WHERE instr(sql, ?)", (needle,)).fetchone():
        quotes[QuotingRow(SCHEMA, "")] = None
    for table, columns in _texts(connection):
        key = _key(connection, table)
        where = " OR ".join(f"instr({column}, :needle)" for column in columns)
        sql = f'SELECT DISTINCT {key} FROM "{table}" WHERE {where} LIMIT {_MOST}'
        rows = connection.execute(sql, {"needle": needle}).fetchall()
        quotes.update((QuotingRow(table, str(row[0] or ""), len(rows) == _MOST), None) for row in rows)
    return list(quotes)


def meets_in_a_row(connection: apsw.Connection, needle: str) -> bool:
    """Return whether texts that are stored side by side make up ``needle``.

    They are in a row or in an index.
    """
    return any(
        connection.execute(f'SELECT 1 FROM "{table}" WHERE instr({texts}, ?) LIMIT 1', (needle,)).fetchone()
        for table in _tables(connection)
        for texts in _side_by_side(connection, table)
    )


def _side_by_side(connection: apsw.Connection, table: str) -> Iterator[str]:
    """Yield the texts that are stored one after the other, joined in SQL."""
    columns = connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,)).fetchall()
    types = {str(name): str(kind) for name, kind in columns}
    orders = [list(types)]
    for (index,) in connection.execute("SELECT name FROM pragma_index_list(?)", (table,)).fetchall():
        rows = connection.execute("SELECT name FROM pragma_index_xinfo(?) ORDER BY seqno", (index,))
        orders.append([str(row[0]) for row in rows])
    for order in orders:
        for is_text, names in groupby(order, lambda name: types.get(name) == "TEXT"):
            if is_text:
                yield " || ".join(f"coalesce(\"{name}\", '')" for name in names)


def packed_samples(connection: apsw.Connection, memory: str) -> Iterator[bytes]:
    """Yield some bytes of a memory's packed states, which prove that these are gone."""
    for column in _STATES:
        sample = f"substr({column}, length({column}) / 2, {_SAMPLE})"
        rows = connection.execute(f"{_packed(sample, column)} AND target = ? LIMIT {_MOST_SAMPLES}", (memory,))
        yield from (bytes(row[0]) for row in rows)


def said_when_packed(connection: apsw.Connection, needles: Collection[str]) -> set[str]:
    """Return the ``needles`` that packed states say, where no byte is as it was said."""
    packed: set[str] = set()
    for column in _STATES:
        for (text,) in connection.execute(_packed(f"state_json({column})", column)):
            packed.update(needle for needle in needles if needle not in packed and needle in text)
    return packed


def is_stored(connection: apsw.Connection, sample: bytes) -> bool:
    """Return whether a packed state that is there has these bytes."""
    return any(
        connection.execute(f"{_packed('1', column)} AND instr({column}, ?) LIMIT 1", (sample,)).fetchone()
        for column in _STATES
    )


def _packed(what: str, column: str) -> str:
    return f"SELECT {what} FROM memory_history WHERE target_kind = 'memory' AND typeof({column}) = 'blob'"


def _texts(connection: apsw.Connection) -> Iterator[tuple[str, list[str]]]:
    """Yield each table with its texts in SQL."""
    for table in _tables(connection):
        columns = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
        texts = [_AS_TEXT[str(row[2])].format(row[1]) for row in columns if row[2] in _AS_TEXT]
        if texts:
            yield table, texts


def _tables(connection: apsw.Connection) -> list[str]:
    """Return the tables, virtual ones left out."""
    rows = connection.execute(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'"
    )
    return [str(row[0]) for row in rows]


def _key(connection: apsw.Connection, table: str) -> str:
    if table in _KEYS:
        return _KEYS[table]
    names: Iterable[str] = [str(row[1]) for row in connection.execute(f'PRAGMA table_info("{table}")')]
    return "id" if "id" in names else "''"
