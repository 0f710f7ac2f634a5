"""Secrets in agents' writes: keys and passwords are replaced before anything is stored."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

import msgspec

from app.core.text_rules.secret_patterns import value_without_secrets
from app.inbox.model import Proposed
from app.memories.model import Written

_MAX_DEPTH: Final = 64


def without_secret_arguments(given: dict[str, Any]) -> tuple[dict[str, Any], Counter[str]]:
    """Return the arguments of a write without secrets, and the number replaced by kind."""
    counts: Counter[str] = Counter()
    changed = {name: _masked(value, counts) for name, value in given.items()}
    return (changed, counts) if counts else (given, counts)


def with_note(value: Any, counts: Counter[str]) -> Any:
    """Return an answer that says what was replaced, where it has words for its caller.

    Elsewhere the stored text in the answer shows it.
    """
    if not counts:
        return value
    kinds = ", ".join(sorted(counts))
    note = f"Secrets are not stored: what looked like one ({kinds}) was replaced."
    if isinstance(value, Written):
        return replace(value, reason=f"{value.reason} {note}".strip())
    return replace(value, message=f"{value.message} {note}") if isinstance(value, Proposed) else value


def _masked(value: Any, counts: Counter[str], depth: int = 0) -> Any:
    if isinstance(value, str) or depth >= _MAX_DEPTH:
        return value_without_secrets(value, counts)
    if isinstance(value, Mapping):
        return value_without_secrets(dict(value), counts)
    if isinstance(value, list | tuple):
        return type(value)(_masked(item, counts, depth + 1) for item in value)
    if isinstance(value, msgspec.Struct) or not is_dataclass(value) or isinstance(value, type):
        return value
    changes = {field.name: _masked(getattr(value, field.name), counts, depth + 1) for field in fields(value)}
    return replace(value, **changes)
