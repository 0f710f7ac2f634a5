"""Lines of Keepsake's own format beside sessions, messages and memories: their fields, read and written."""

import math
from collections.abc import Callable
from typing import Any

from app.core.clock import optional_datetime, parse_instant
from app.core.text import storable
from app.exchange.model import DetailType, VaultDetail
from app.exchange.parsing.lenient import clean
from app.exchange.parsing.object_fields import WrongFieldError

# The kind of each field: a question mark says that it may be null.
FIELDS: dict[DetailType, dict[str, str]] = {
    "session_state": {
        "session": "text",
        "last_seq": "whole",
        "trust": "trust",
        "first_seen": "instant",
        "preview": "text",
        "updated_at": "instant",
        "consolidated_at": "instant?",
        "summary": "text",
        "summary_epoch": "whole",
        "summary_upper_seq": "whole",
        "scratchpad": "texts",
        "captured_seq": "whole",
        "state_updated_at": "instant",
    },
    "session_alias": {"session": "text", "alias": "text", "added_at": "instant"},
    "session_summary": {
        "session": "text",
        "agent": "text",
        "summary": "text",
        "created_at": "instant",
        "updated_at": "instant",
    },
    "entity": {
        "id": "text",
        "name": "text",
        "entity_type": "text",
        "aliases": "texts",
        "summary": "text",
        "protected": "flag",
        "touched": "flag",
        "merged_into": "text?",
        "x": "number?",
        "y": "number?",
        "attributes": "object",
        "created_at": "instant",
        "updated_at": "instant",
    },
    "relation": {
        "subject": "text",
        "predicate": "text",
        "object": "text",
        "weight": "number",
        "source": "text",
        "created_at": "instant",
    },
    "claim": {"owner_kind": "owner", "owner": "text", "from": "text", "to": "text"},
    "import_source": {
        "source_uri": "text",
        "content_hash": "text",
        "format": "text",
        "target": "text",
        "attributes": "object",
        "imported_at": "instant",
    },
    "history": {
        "id": "whole",
        "target_kind": "target",
        "target": "text",
        "event": "text",
        "before": "object?",
        "after": "object?",
        "actor": "text",
        "run_id": "text?",
        "at": "instant",
        "undone_by": "whole?",
    },
}
_MAX_WHOLE = 1 << 53


def detail_type(name: str) -> DetailType | None:
    """Return the line type with a name, ``None`` when there is none."""
    return next((field for field in FIELDS if field == name), None)


def write_detail(detail: VaultDetail) -> dict[str, Any]:
    """Return the line of a detail, times as ISO 8601."""
    fields: dict[str, Any] = {"type": detail.type}
    for name, kind in FIELDS[detail.type].items():
        value = detail.fields[name]
        if kind.startswith("instant") and value is not None:
            when = optional_datetime(value)
            value = None if when is None else when.isoformat(timespec="milliseconds")
        fields[name] = value
    return fields


def read_detail(kind: DetailType, source: dict[str, Any]) -> tuple[VaultDetail, list[str]]:
    """Return the detail in a line, and the names of its unknown fields.

    Raises:
        WrongFieldError: A field is missing or has a wrong value.
    """
    known = FIELDS[kind]
    fields = {name: _value(name, wanted, source.get(name)) for name, wanted in known.items()}
    return VaultDetail(kind, fields), [name for name in source if name not in known and name != "type"]


def _value(name: str, wanted: str, given: Any) -> Any:
    kind, may_be_null = wanted.rstrip("?"), wanted.endswith("?")
    if given is None and may_be_null:
        return None
    value = _CHECKS[kind](given)
    if value is None:
        raise WrongFieldError(f"its '{name}' is missing" if given is None else f"its '{name}' cannot be read")
    return value


def _text(value: Any) -> str | None:
    return storable(value)[0] if isinstance(value, str) else None


def _texts(value: Any) -> list[str] | None:
    is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return [storable(item)[0] for item in value] if is_list else None


def _whole(value: Any) -> int | None:
    is_whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_WHOLE
    return value if is_whole else None


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_number else None


def _one_of(*allowed: str) -> Callable[[Any], str | None]:
    return lambda value: value if value in allowed else None


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "text": _text,
    "texts": _texts,
    "whole": _whole,
    "number": _number,
    "flag": lambda value: value if isinstance(value, bool) else None,
    "object": lambda value: clean(value) if isinstance(value, dict) else None,
    "instant": parse_instant,
    "trust": _one_of("full", "inner", "familiar", "public"),
    "owner": _one_of("message", "memory"),
    "target": _one_of("memory", "session", "entity"),
}
