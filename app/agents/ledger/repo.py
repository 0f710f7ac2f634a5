"""SQL of the ledger."""

import hashlib
import json
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import apsw

from app.agents.ledger.item_ids import item_of
from app.agents.ledger.model import DONE, PROPOSED, REFUSED, AgentActivity, LedgerCall, LedgerFilter, NewCall, Reader
from app.core.clock import to_datetime, to_ms
from app.store import meta

KEY: Final = "ledger_key"
_TEXT, _HASH = "=", "#"  # what the stored query begins with
_HASH_BYTES: Final = 10
_MOST_OPERATION: Final = 100
_COLUMNS = "id, at, agent, client, operation, access, outcome, milliseconds, more_read, more_written, query, is_echo"


def key(connection: apsw.Connection) -> bytes:
    """Return the vault's key for hashes of queries, made at the first call."""
    return bytes.fromhex(meta.read_or_write(connection, KEY, secrets.token_hex(32)))


def query_hash(hash_key: bytes, query: str) -> str:
    """Return the keyed hash of a query; case and spacing do not count."""
    words = " ".join(query.casefold().split())
    return hashlib.blake2b(words.encode("utf-8", "replace"), key=hash_key, digest_size=_HASH_BYTES).hexdigest()


def insert(connection: apsw.Connection, calls: Iterable[NewCall], echoes: set[int]) -> None:
    """Store calls, and count writes and echoes of their agents.

    Args:
        connection: The writer's connection, inside the transaction.
        calls: The calls, in order.
        echoes: The places of those that brought recalled text back.
    """
    hash_key, counted = key(connection), dict[str, list[int]]()
    for place, call in enumerate(calls):
        query = _stored_query(hash_key, call)
        connection.execute(
            "INSERT INTO audit (at, agent, client, operation, access, outcome, milliseconds, more_read, more_written,"
            " query, is_echo) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                call.at_ms,
                call.agent,
                call.client,
                call.operation[:_MOST_OPERATION],
                call.access,
                call.outcome,
                call.milliseconds,
                call.more_read,
                call.more_written,
                query,
                place in echoes,
            ),
        )
        _insert_items(connection, connection.last_insert_rowid(), call)
        if call.access == "write" and call.outcome not in REFUSED:
            count = counted.setdefault(call.agent, [0, 0])
            count[0] += 1
            count[1] += place in echoes
    connection.executemany(
        "UPDATE agents SET writes = writes + ?, echoes = echoes + ? WHERE name = ?",
        [(writes, echoed, agent) for agent, (writes, echoed) in counted.items()],
    )


def _insert_items(connection: apsw.Connection, call_id: int, call: NewCall) -> None:
    items = [(name, False) for name in call.read] + [(name, True) for name in call.written]
    if not items:
        return
    connection.executemany("INSERT OR IGNORE INTO audit_names (item) VALUES (?)", [(name,) for name, _ in items])
    connection.executemany(
        "INSERT OR IGNORE INTO audit_items (audit_id, is_write, name_id)"
        " VALUES (?, ?, (SELECT id FROM audit_names WHERE item = ?))",
        [(call_id, is_write, name) for name, is_write in items],
    )


def _stored_query(hash_key: bytes, call: NewCall) -> str:
    if not call.query:
        return ""
    return _TEXT + call.query if call.keeps_query else _HASH + query_hash(hash_key, call.query)


def page(connection: apsw.Connection, wanted: LedgerFilter, limit: int, before: int | None) -> list[LedgerCall]:
    """Return calls, the newest first."""
    conditions, values = _conditions(wanted)
    if before is not None:
        conditions.append("id < ?")
        values.append(before)
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    statement = f"SELECT {_COLUMNS} FROM audit{where} ORDER BY id DESC LIMIT ?"
    rows: list[Any] = connection.execute(statement, (*values, limit)).fetchall()
    items = _items(connection, [row[0] for row in rows])
    states = _proposal_states(connection, rows, items)
    return [_call(row, items.get(row[0], {}), states) for row in rows]


def _proposal_states(
    connection: apsw.Connection, rows: Sequence[Any], items: Mapping[int, dict[bool, list[str]]]
) -> dict[str, str]:
    """Return what became of the proposals among calls, by their ids."""
    ids = [name for row in rows if row[6] == PROPOSED for name in items.get(row[0], {}).get(True, ())]
    cursor = connection.execute(
        "SELECT CAST(id AS TEXT), coalesce(decision, 'waiting') FROM inbox WHERE id IN"
        " (SELECT CAST(value AS INTEGER) FROM json_each(?))",
        (json.dumps(ids),),
    )
    return {str(name): str(state) for name, state in cursor}


def readers(connection: apsw.Connection, item: str) -> list[Reader]:
    """Return who was given an item, the latest first."""
    rows = connection.execute(
        "SELECT agent, count(*), min(at), max(at) FROM audit_names n JOIN audit_items i ON i.name_id = n.id"
        " JOIN audit a ON a.id = i.audit_id WHERE n.item = ? AND NOT i.is_write GROUP BY agent ORDER BY 4 DESC, agent",
        (item_of(item),),
    )
    return [Reader(agent, count, to_datetime(first), to_datetime(last)) for agent, count, first, last in rows]


def activity(connection: apsw.Connection, agent: str, searches: Collection[str], since_ms: int | None) -> AgentActivity:
    """Return sums of an agent's calls, without the sentence.

    Args:
        connection: A connection that reads.
        agent: Its name.
        searches: The operations whose calls count as searches.
        since_ms: Calls at or after; all where ``None``.
    """
    rows: list[Any] = connection.execute(
        "SELECT operation, access, outcome, count(*), sum(is_echo) FROM audit WHERE agent = ? AND at >= ?"
        " GROUP BY operation, access, outcome",
        (agent, since_ms or 0),
    ).fetchall()
    ended = [row for row in rows if row[2] not in REFUSED]
    writes, echoes = sum(row[3] for row in ended if row[1] == "write"), sum(row[4] for row in ended)
    counts: list[Any] = connection.execute(
        "SELECT is_write, count(DISTINCT name_id) FROM audit a JOIN audit_items i ON i.audit_id = a.id"
        f" WHERE agent = ? AND at >= ? AND outcome <> '{PROPOSED}' GROUP BY is_write",
        (agent, since_ms or 0),
    ).fetchall()
    items = dict[int, int](counts)
    return AgentActivity(
        agent,
        None if since_ms is None else to_datetime(since_ms),
        calls=sum(row[3] for row in rows),
        searches=sum(row[3] for row in ended if row[0] in searches),
        reads=sum(row[3] for row in ended if row[1] == "read"),
        writes=writes,
        proposed=sum(row[3] for row in rows if row[2] == "proposed"),
        refusals=sum(row[3] for row in rows if row[2] in REFUSED),
        failures=sum(row[3] for row in rows if row[2] not in REFUSED | DONE),
        echoes=echoes,
        echo_rate=round(echoes / writes, 4) if writes else 0.0,
        items_read=items.get(0, 0),
        items_written=items.get(1, 0),
    )


def delete_before(connection: apsw.Connection, before_ms: int, limit: int) -> int:
    """Delete some calls from before a time, and return how many."""
    return _delete(connection, "SELECT id FROM audit WHERE at < ? ORDER BY at LIMIT ?", (before_ms, limit))


def delete_beyond(connection: apsw.Connection, most: int, limit: int) -> int:
    """Delete some calls where there are more than ``most``, and return how many.

    They are the oldest of the agent with the most calls: a program that calls without end pushes out its own calls and
    nobody else's.
    """
    beyond = int(connection.execute("SELECT count(*) FROM audit").get) - most
    if beyond <= 0:
        return 0
    agent = connection.execute("SELECT agent FROM audit GROUP BY agent ORDER BY count(*) DESC, agent LIMIT 1").get
    return _delete(connection, "SELECT id FROM audit WHERE agent = ? ORDER BY id LIMIT ?", (agent, min(beyond, limit)))


def _delete(connection: apsw.Connection, select: str, values: tuple[Any, ...]) -> int:
    ids = [row[0] for row in connection.execute(select, values)]
    marks = ",".join("?" * len(ids))
    names = [
        row[0]
        for row in connection.execute(f"SELECT DISTINCT name_id FROM audit_items WHERE audit_id IN ({marks})", ids)
    ]
    connection.execute(f"DELETE FROM audit WHERE id IN ({marks})", ids)
    connection.executemany(
        "DELETE FROM audit_names WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM audit_items WHERE name_id = ?1)",
        [(name,) for name in names],
    )
    return len(ids)


def _conditions(wanted: LedgerFilter) -> tuple[list[str], list[Any]]:
    pairs: list[tuple[str, object]] = []
    if wanted.agent:
        pairs.append(("agent = ?", wanted.agent))
    if wanted.item:
        named = "SELECT audit_id FROM audit_names n JOIN audit_items i ON i.name_id = n.id WHERE n.item = ?"
        pairs.append((f"id IN ({named})", item_of(wanted.item)))
    if wanted.since is not None:
        pairs.append(("at >= ?", to_ms(wanted.since)))
    if wanted.until is not None:
        pairs.append(("at < ?", to_ms(wanted.until)))
    if wanted.operation:
        is_subject = wanted.operation.endswith(".")
        pairs.append(("instr(operation, ?) = 1" if is_subject else "operation = ?", wanted.operation))
    conditions, values = [text for text, _ in pairs], [value for _, value in pairs]
    if wanted.outcome == "echo":
        conditions.append("is_echo")
    elif wanted.outcome in ("refused", "failed"):
        names = REFUSED if wanted.outcome == "refused" else REFUSED | DONE
        conditions.append(f"outcome {'IN' if wanted.outcome == 'refused' else 'NOT IN'} ({','.join('?' * len(names))})")
        values += sorted(names)
    elif wanted.outcome:
        conditions.append("outcome = ?")
        values.append(wanted.outcome)
    return conditions, values


def _items(connection: apsw.Connection, ids: Sequence[int]) -> dict[int, dict[bool, list[str]]]:
    items: dict[int, dict[bool, list[str]]] = {}
    rows = connection.execute(
        "SELECT audit_id, is_write, item FROM audit_items i JOIN audit_names n ON n.id = i.name_id"
        f" WHERE audit_id IN ({','.join('?' * len(ids))}) ORDER BY audit_id, is_write, name_id",
        ids,
    )
    for call_id, is_write, item in rows:
        items.setdefault(call_id, {}).setdefault(bool(is_write), []).append(item)
    return items


def _call(row: tuple[Any, ...], items: dict[bool, list[str]], states: Mapping[str, str]) -> LedgerCall:
    query, written = str(row[10]), items.get(True, ())
    is_proposed = row[6] == PROPOSED
    return LedgerCall(
        id=row[0],
        at=to_datetime(row[1]),
        agent=row[2],
        client=row[3],
        operation=row[4],
        access=row[5],
        outcome=row[6],
        milliseconds=row[7],
        read=tuple(items.get(False, ())),
        written=() if is_proposed else tuple(written),
        more_read=row[8],
        more_written=row[9],
        query=query[1:] if query.startswith(_TEXT) else "",
        query_hash=query[1:] if query.startswith(_HASH) else "",
        is_echo=bool(row[11]),
        became=next((states.get(name, "") for name in written), "") if is_proposed else "",
    )
