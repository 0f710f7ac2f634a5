"""Types of arguments in words: unknown nested fields, allowed choices, and sentences about wrong values."""

import functools
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Final

import msgspec
from msgspec import inspect

_PLACE: Final = re.compile(r" - at `(?:key in )?\$?\.?([^`]*)`\Z")
_STEP: Final = re.compile(r"\[[^\]]*\]|[^.\[\]]+")
_TYPES: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
    "datetime": "a time",
}
_EXPECTED: Final = re.compile(r"Expected `([^`]*)`( (?:>=|<=|<|>) \S+)?(?:, got `([^`]*)`)?")
_BOUNDS: Final = {">=": "of at least", "<=": "of at most", ">": "above", "<": "below"}
_TIME: Final = "Invalid RFC3339 encoded datetime"

_IS_KEY: Final = "is_idempotency_key"

IdempotencyKey = Annotated[str, msgspec.Meta(extra={_IS_KEY: True})]
"""The argument by which a caller repeats a write safely; it names the call and is no part of what is written."""


def is_idempotency_key(kind: Any) -> bool:
    """Return whether the type of a parameter is ``IdempotencyKey``."""
    return any((getattr(meta, "extra", None) or {}).get(_IS_KEY) for meta in getattr(kind, "__metadata__", ()))


@functools.cache
def described(arguments: type[msgspec.Struct]) -> inspect.Type:
    """Return the description of the type that an operation's arguments are checked against."""
    return inspect.type_info(arguments)


def unknown_field(arguments: type[msgspec.Struct], given: Mapping[str, Any]) -> str | None:
    """Return a sentence about an unknown nested field, ``None`` where all are known.

    It does not repeat the name, which may be content that ended up in the wrong place.
    """
    kinds = _fields_of(described(arguments))
    return next(
        (field for name, value in given.items() if name in kinds for field in _unknown(kinds[name], value, name)), None
    )


def sentence(error: msgspec.ValidationError, arguments: type[msgspec.Struct]) -> str:
    """Return a sentence about wrong arguments, without their values and type names."""
    text = str(error)
    match = _PLACE.search(text)
    place, text = (match[1], text[: match.start()]) if match else ("", text)
    where = f" - at `{place}`" if place else ""
    if text.startswith("Invalid enum value"):
        return f"a word that is not allowed{where}, must be one of: {', '.join(_choices(arguments, place))}"
    if (expected := _EXPECTED.search(text)) is not None:
        return f"it must be {_wanted(expected)}{where}"
    text = text.replace(_TIME, "a time is written as 2026-03-01T10:00:00Z")
    return text.replace("Object contains", "it has").replace("Object", "it is") + where


def _unknown(kind: inspect.Type, value: Any, place: str) -> Iterator[str]:
    """Yield a sentence for each unknown field of a value; model objects have none."""
    if isinstance(kind, inspect.UnionType):
        for member in kind.types:
            yield from _unknown(member, value, place)
    elif isinstance(value, list | tuple) and (inner := getattr(kind, "item_type", None)) is not None:
        for number, item in enumerate(value):
            yield from _unknown(inner, item, f"{place}[{number}]")
    elif isinstance(value, dict) and (fields := _fields_of(kind)):
        for name, item in value.items():
            if name not in fields:
                near = get_close_matches(str(name), fields, 1)
                hint = f" (perhaps you meant `{near[0]}`)" if near else ""
                yield f"it has an unknown field - at `{place}`{hint}, which may have: {', '.join(sorted(fields))}"
            else:
                yield from _unknown(fields[name], item, f"{place}.{name}")


def _fields_of(kind: inspect.Type) -> dict[str, inspect.Type]:
    if isinstance(kind, inspect.StructType | inspect.DataclassType):
        return {field.encode_name: field.type for field in kind.fields}
    return {}


def _choices(arguments: type[msgspec.Struct], place: str) -> list[str]:
    """Return the words that may stand at a place, such as ``messages[0].role``."""
    kinds = [described(arguments)]
    for step in _STEP.findall(place):
        kinds = [inner for kind in kinds for member in _single(kind) for inner in _inside(member, step)]
    return [str(value) for kind in kinds for member in _single(kind) for value in getattr(member, "values", ())]


def _single(kind: inspect.Type) -> tuple[inspect.Type, ...]:
    return kind.types if isinstance(kind, inspect.UnionType) else (kind,)


def _inside(kind: inspect.Type, step: str) -> list[inspect.Type]:
    """Return the types behind one step of a path: a field or an item."""
    if not step.startswith("["):
        fields = _fields_of(kind).get(step)
        return [] if fields is None else [fields]
    inner = getattr(kind, "item_type", None) or getattr(kind, "value_type", None)
    return [] if inner is None else [inner]


def _wanted(expected: re.Match[str]) -> str:
    names, bound, actual = expected.groups()
    words = " or ".join(_TYPES.get(name, "something else") for name in names.split(" | "))
    if bound:
        sign, number = bound.split()
        words += f" {_BOUNDS[sign]} {float(number):g}"
    return f"{words}, not {_TYPES[actual]}" if actual in _TYPES else words
