"""A memory as the state its history records, and back."""

import dataclasses
from typing import Any

from app.core.clock import to_datetime, to_ms
from app.errors import InternalError
from app.history.state_diff import READ_COUNTS
from app.memories.model import Memory, Source

_TIMES = ("created_at", "updated_at", "event_time", "expires_at", "deleted_at")
_LISTS = ("tags", "facts", "files", "people")
_FIELDS = tuple(field.name for field in dataclasses.fields(Memory) if field.name not in READ_COUNTS)


def to_state(memory: Memory) -> dict[str, Any]:
    """Return the fields of ``memory`` as JSON-ready values, times in milliseconds.

    Every field is there except the counts of how often it was read.
    """
    state = {name: getattr(memory, name) for name in _FIELDS}
    for name in _TIMES:
        state[name] = None if state[name] is None else to_ms(state[name])
    for name in _LISTS:
        state[name] = list(state[name])
    state["sources"] = [{"kind": source.kind, "id": source.id} for source in memory.sources]
    return state


def from_state(state: dict[str, Any]) -> Memory:
    """Return the memory that ``state`` records; fields it lacks get their defaults."""
    values = {name: state[name] for name in _FIELDS if name in state}
    for name in _TIMES:
        if values.get(name) is not None:
            values[name] = to_datetime(values[name])
    for name in _LISTS:
        values[name] = tuple(values.get(name, ()))
    values["sources"] = tuple(Source(**source) for source in values.get("sources", ()))
    try:
        return Memory(**values)
    except TypeError as error:
        raise InternalError("An entry of the history lacks fields of the memory it records.") from error
