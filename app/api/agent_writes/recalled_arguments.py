"""Anti-echo for agents: recalled text is removed from the arguments of all writes.

In the messages of a conversation the ids of what was recalled stay in its place. A write of nothing else is refused.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from app.core.text_rules.recall_fence import may_hold_recalled, refer_to_recalled, without_recalled
from app.errors import InputError

ECHO: Final = "That is what Keepsake told you: it is stored already. Write what is new, in words of your own."
_MAX_DEPTH: Final = 64


def texts_with_recalled(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts anywhere in ``value`` that may hold what Keepsake told."""
    if isinstance(value, str):
        if may_hold_recalled(value):
            yield value
    elif depth < _MAX_DEPTH:
        for item in _inner(value):
            yield from texts_with_recalled(item, depth + 1)


def without_recalled_arguments(given: dict[str, Any], transcript: str = "") -> dict[str, Any]:
    """Return the arguments of a write without what Keepsake told.

    Args:
        given: The arguments.
        transcript: The argument in which a reference takes the place of recalled text, ``""`` for none.

    Raises:
        InputError: Nothing else is in one of them.
    """
    if next(texts_with_recalled(given), None) is None:
        return given
    changed = dict(given)
    for name, value in given.items():
        changed[name] = _mapped(value, refer_to_recalled if name == transcript else _stripped, name)
    for name, value in given.items():
        has_more = (name == "content" and changed.get("facts")) or (name == "title" and changed.get("content"))
        if _is_empty(changed[name]) and not _is_empty(value) and not has_more:
            raise InputError(ECHO, field=name)
    return changed


def _stripped(text: str) -> str:
    return without_recalled(text) if may_hold_recalled(text) else text


def _mapped(value: Any, change: Callable[[str], str], field: str) -> Any:
    """Return ``value`` with all texts in it changed; empty texts leave their list."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _mapped(item, change, field) for name, item in value.items()}
    if isinstance(value, list | tuple):
        items = ((item, _mapped(item, change, field)) for item in value)
        return type(value)(after for before, after in items if after != "" or before == "")
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changes = {member.name: _mapped(getattr(value, member.name), change, field) for member in fields(value)}
    if changes.get("content") == "" and getattr(value, "content", "") and not changes.get("facts"):
        raise InputError(ECHO, field=field)
    return replace(value, **changes)


def _is_empty(value: Any) -> bool:
    return isinstance(value, str | list | tuple) and not value


def _inner(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from value.values()
    elif isinstance(value, list | tuple):
        yield from value
    elif is_dataclass(value) and not isinstance(value, type):
        yield from (getattr(value, field.name) for field in fields(value))
