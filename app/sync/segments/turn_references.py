"""References to turns within recorded states, as one machine and as all know them.

A machine names a turn by its number there, all machines by lane and number. A
state that says nothing of turns is returned as it is.
"""

from collections.abc import Callable
from typing import Any, Final

import apsw

from app.sync.segments import turn_log

State = dict[str, Any]

_WITHHELD: Final = "withheld:"
_UPPER: Final = "summary_upper_seq"
_COUNT: Final = "message_count"
_AT: Final = "@"

_Rename = Callable[[str], str]


def to_global(connection: apsw.Connection, kind: str, target: str, state: State | None) -> State | None:
    """Return a state as all machines read it.

    Args:
        connection: Any connection.
        kind: The kind of the row that it is of.
        target: The id of that row.
        state: The state as the history of this machine has it.
    """
    if state is None:
        return None
    if kind == "session":
        return _session_to_global(connection, target, state)
    return _renamed(kind, state, lambda name: _global(connection, name))


def to_local(connection: apsw.Connection, kind: str, target: str, state: State | None) -> State | None:
    """Return a state as the history of this machine keeps it; the reverse of ``to_global``."""
    if state is None:
        return None
    if kind == "session":
        return _session_to_local(connection, target, state)
    return _renamed(kind, state, lambda name: _local(connection, name))


def _renamed(kind: str, state: State, rename: _Rename) -> State:
    if kind == "memory" and any(source["kind"] == "message" for source in state.get("sources", ())):
        sources = [
            {**source, "id": rename(source["id"])} if source["kind"] == "message" else source
            for source in state["sources"]
        ]
        return {**state, "sources": sorted(sources, key=lambda source: (source["kind"], source["id"]))}
    if kind == "entity" and any("#" in claim[1] for claim in state.get("claims", ())):
        return {**state, "claims": [[claim[0], rename(claim[1]), *claim[2:]] for claim in state["claims"]]}
    return state


def _global(connection: apsw.Connection, name: str) -> str:
    session, mark, number = name.rpartition("#")
    if not mark or not number.isdecimal():
        return name
    found = turn_log.global_name(connection, session, int(number))
    return name if found is None else f"{session}#{found[1]}{_AT}{found[0]:x}"


def _local(connection: apsw.Connection, name: str) -> str:
    session, _, rest = name.rpartition("#")
    number, mark, lane = rest.partition(_AT)
    if not mark:
        return name
    found = turn_log.local_number(connection, session, int(lane, 16), int(number))
    # A turn that is not here keeps its name of all machines.
    return name if found is None else f"{session}#{found}"


def _session_to_global(connection: apsw.Connection, session: str, state: State) -> State:
    said: State = {}
    for name, value in state.items():
        if name.startswith(_WITHHELD):
            said[name] = None if value is None else _triples(connection, session, value)
        elif name == _UPPER:
            said[name] = list(turn_log.global_name(connection, session, value) or ()) or None
        elif name != _COUNT:  # which each machine counts
            said[name] = value
    return said


def _triples(connection: apsw.Connection, session: str, ranges: list[list[int]]) -> list[list[int]]:
    """Return ranges of numbers as turns of lanes: lane, first and last number."""
    found: list[list[int]] = []
    for first, last in ranges:
        for seq in range(first, last + 1):
            name = turn_log.global_name(connection, session, seq)
            if name is None:
                continue
            if found and found[-1][0] == name[0] and found[-1][2] == name[1] - 1:
                found[-1][2] = name[1]
            else:
                found.append([*name, name[1]])
    return sorted(found)


def _session_to_local(connection: apsw.Connection, session: str, state: State) -> State:
    said: State = {}
    for name, value in state.items():
        if name.startswith(_WITHHELD) and value is not None:
            said[name] = _ranges(connection, session, value)
        elif name == _UPPER:
            said[name] = 0 if value is None else turn_log.local_number(connection, session, *value) or 0
        else:
            said[name] = value
    return said


def _ranges(connection: apsw.Connection, session: str, triples: list[list[int]]) -> list[list[int]]:
    numbers = sorted(
        {
            number
            for lane, first, last in triples
            for number in turn_log.local_numbers(connection, session, lane, first, last)
        }
    )
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges
