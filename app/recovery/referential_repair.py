"""Repair of references and counts between rows; content is never invented."""

from collections.abc import Iterator

import apsw

from app.sentence import Sentence

# What a conversation is called of which only its messages were left.
UNTITLED = "Conversation found again"

_COUNTS = {
    "{count} sessions count their messages wrongly.": (
        "sessions",
        "message_count",
        "(SELECT count(*) FROM messages m WHERE m.session_id = sessions.id)",
        "<>",
    ),
    "{count} sessions number their messages wrongly.": (
        "session_state",
        "last_seq",
        "(SELECT coalesce(max(m.seq), last_seq) FROM messages m WHERE m.session_id = session_state.session_id)",
        "<",
    ),
    "{count} entities count their mentions wrongly.": (
        "entities",
        "mention_count",
        "(SELECT count(*) FROM mentions m WHERE m.entity_id = entities.id)",
        "<>",
    ),
}


def wrong_counts(connection: apsw.Connection) -> Iterator[str]:
    """Return a sentence for each kind of count that is not what it counts."""
    for what, (table, column, right, sign) in _COUNTS.items():
        number = connection.execute(f"SELECT count(*) FROM {table} WHERE {column} {sign} {right}").get
        if number:
            yield Sentence(what, count=number)


def recount(connection: apsw.Connection) -> int:
    """Make every count what it counts; return how many rows changed."""
    changed = 0
    for table, column, right, sign in _COUNTS.values():
        connection.execute(f"UPDATE {table} SET {column} = {right} WHERE {column} {sign} {right}")
        changed += connection.changes()
    return changed


def restore_lanes(connection: apsw.Connection) -> None:
    """Make the lanes again that turns or changes name but no row describes.

    A turn names its lane by number, a change by the lane itself. Which of them were the same is not known any more, so
    each gets a lane of its own, and no number is given to another.
    """
    connection.execute(
        "INSERT INTO lanes (number, lane, is_own, began_at)"
        " SELECT origin, (random() & 0x7ffffffffffffffe) + 1, 0, min(created_at) FROM"
        " (SELECT origin, created_at FROM messages UNION ALL SELECT origin, created_at FROM withheld_messages)"
        " WHERE origin NOT IN (SELECT number FROM lanes) GROUP BY origin"
    )
    connection.execute(
        "INSERT INTO lanes (lane, n, hlc, sealed, is_own, began_at)"
        " SELECT lane, max(n), max(hlc), max(n), 0, min(at) FROM memory_history"
        " WHERE n > 0 AND lane > 0 AND lane NOT IN (SELECT lane FROM lanes) GROUP BY lane"
    )


def stateless_sessions(connection: apsw.Connection) -> int:
    """Return how many sessions lack the row that says how far they are."""
    return int(
        connection.execute("SELECT count(*) FROM sessions WHERE id NOT IN (SELECT session_id FROM session_state)").get
    )


def join_pieces(connection: apsw.Connection) -> tuple[int, dict[str, int]]:
    """Create missing sessions of messages, and remove rows whose owner is gone.

    Returns:
        How many sessions were made, and how many rows were taken away by table.
    """
    connection.execute(
        "INSERT INTO sessions (id, title, created_at, updated_at, first_seen)"
        " SELECT session_id, ?, min(created_at), max(created_at), min(created_at) FROM messages"
        " WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id",
        (UNTITLED,),
    )
    count = connection.changes()
    connection.execute(
        "INSERT INTO session_state (session_id, updated_at) SELECT id, updated_at FROM sessions"
        " WHERE id NOT IN (SELECT session_id FROM session_state)"
    )
    dropped: dict[str, int] = {}
    while lost := _drop_orphans(connection):
        for table, number in lost.items():
            dropped[table] = dropped.get(table, 0) + number
    recount(connection)
    return count, dropped


def _drop_orphans(connection: apsw.Connection) -> dict[str, int]:
    lost: dict[str, int] = {}
    for table, column, parent, key in _references(connection):
        orphaned = f"{column} IS NOT NULL AND {column} NOT IN (SELECT {key} FROM {parent})"
        if table == parent:
            # An entry of the history stays, even when the one that undid it is gone.
            connection.execute(f"UPDATE {table} SET {column} = NULL WHERE {orphaned}")
            continue
        connection.execute(f"DELETE FROM {table} WHERE {orphaned}")
        if number := connection.changes():
            name = table.strip('"')
            lost[name] = lost.get(name, 0) + number
    return lost


def _references(connection: apsw.Connection) -> list[tuple[str, str, str, str]]:
    """Return every foreign key: table, column, the table it points to, and the column there."""
    rows = connection.execute(
        'SELECT t.name, f."from", f."table", f."to" FROM pragma_table_list t, pragma_foreign_key_list(t.name) f'
        " WHERE t.schema = 'main' AND t.type = 'table' ORDER BY t.name, f.id"
    )
    return [(f'"{table}"', f'"{column}"', f'"{parent}"', f'"{key}"') for table, column, parent, key in rows]
