"""Failures on the wire: ``KeepsakeError.as_dict`` and its sentence inside a JSON-RPC error, and back."""

from collections.abc import Iterator
from typing import Any

import msgspec

from app import errors
from app.errors import InputError, InternalError, KeepsakeError, MachineError
from app.sentence_codec import sentence_from_wire, sentence_to_wire

# JSON-RPC names five numbers; the others are ours, one for each family and for what callers tell apart.
NUMBERS = {
    "bad_json": -32700,
    "bad_frame": -32600,
    "unknown_operation": -32601,
    "invalid_input": -32602,
    "internal": -32603,
    "not_found": -32001,
    "stale": -32002,
    "access_denied": -32003,
    "cancelled": -32004,
    "access_required": -32005,
    "agent_paused": -32006,
    "too_many_calls": -32007,
    "too_many_connections": -32008,
    "idle": -32009,
    "conflict": -32011,
}
_FAMILIES: dict[str, tuple[int, type[KeepsakeError]]] = {
    "machine": (-32010, MachineError),
    "input": (-32020, InputError),
    "internal": (-32603, InternalError),
}


def to_wire(error: KeepsakeError) -> dict[str, Any]:
    """Return the ``error`` member of a JSON-RPC answer."""
    number = NUMBERS.get(error.code) or _FAMILIES.get(error.kind, _FAMILIES["internal"])[0]
    data = msgspec.to_builtins(error.as_dict(), enc_hook=str)
    sentence = sentence_to_wire(error.sentence)
    shown = {} if sentence is None else {"sentence": sentence}
    return {"code": number, "message": error.message, "data": data | shown}


def from_wire(error: object) -> KeepsakeError:
    """Return the failure that ``to_wire`` encoded.

    A code that this version does not know becomes an error of its family.
    """
    outer = _object(error)
    inner = _object(outer.get("data"))
    message = outer.get("message")
    english = message if isinstance(message, str) and message else "The host reported a failure without saying which."
    sentence = sentence_from_wire(inner.get("sentence"), english) or english
    family = _FAMILIES.get(str(inner.get("kind")), _FAMILIES["internal"])[1]
    # Its data may have any names, so they cannot be given as arguments.
    known_error = _BY_CODE.get(str(inner.get("code")), family)(sentence)
    known_error.data = _object(inner.get("data"))
    return known_error


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _kinds(root: type[KeepsakeError]) -> Iterator[type[KeepsakeError]]:
    yield root
    for kind in root.__subclasses__():
        yield from _kinds(kind)


_BY_CODE = {kind.code: kind for kind in _kinds(KeepsakeError) if kind.__module__ == errors.__name__}
