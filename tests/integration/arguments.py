"""Sound and bad arguments for every operation of the catalogue."""

import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.api.catalogue import declared
from app.api.operation import Operation
from app.host import Host
from tests.helpers.sample_data import NAUGHTY

OPERATIONS = {item.name: item for item in declared()}
TEXTS = (*NAUGHTY, "a\x00b", "\ud83d lone", "lone \udcff", "\ud83d\ude00", "q" * 60_000)
DEEP: list[Any] = []
for _ in range(5_000):
    DEEP = [DEEP]
WRONG: tuple[Any, ...] = (
    None, True, 0, -1, 1 << 31, 1 << 63, -(1 << 70), 10**5_000, 1.5, float("nan"), float("inf"), "", "text", b"bytes",
    [], [None], [""], [[]], {}, {"": None}, {"role": "user"}, DEEP, {"a": DEEP},
)  # fmt: skip


@dataclass(frozen=True)
class Known:
    """Content of the vault before the calls."""

    session: str
    note: str
    version: int
    history: int
    file: Path


def known(host: Host, folder: Path) -> Known:
    """Put a conversation, a note and a file to import where operations find them."""
    session = host.ask("session.append", messages=[{"role": "user", "content": "first words"}], session="s").session_id
    saved = host.call("note.save", {"content": "a note #tag", "title": "Note"}).result()
    file = folder / "more.jsonl"
    file.write_text('{"type":"message","session":"file","role":"user","content":"from a file"}\n')
    assert saved.changes is not None
    return Known(session, saved.value.id, saved.value.version, saved.changes.history_ids[0], file)


def sound(operation: Operation, there: Known) -> dict[str, Any]:
    """Return arguments that the operation takes."""
    given: dict[str, Any] = {
        "session": there.session,
        "id": there.note,
        "ids": [there.note, there.session],
        "path": str(there.file),
        "content": "content",
        "messages": [{"role": "user", "content": "words"}],
        "version": there.version,
        "text": "words",
        "when": "2024-02-03T04:05:06Z",
        "day": "2024-02-03",
        "seq": 3,
        "title": "Title",
        "query": "words",
        "history_ids": [there.history],
        "job": "job",
        "name": "search.limit",
        "after": "2024-02-03T04:05:06Z",
        "before": "2024-02-04T04:05:06Z",
    }
    if operation.name == "settings.set":
        given["value"] = 50
    if operation.name == "exchange.export":
        given["path"] = str(there.file.with_name("out.jsonl"))
    by_type = {"str": there.note, "int": 1, "float": 1.0, "bool": True, "list[str]": [there.note], "list[int]": [1]}
    requested = [item for item in operation.parameters if item.required]
    return {item.name: given.get(item.name, by_type.get(item.type, {})) for item in requested}


def replaced_texts(operation: Operation, there: Known, text: str) -> Iterator[dict[str, Any]]:
    """Yield arguments with ``text`` in place of each text, nested ones included."""
    hints = typing.get_type_hints(operation.arguments)
    for name, hint in hints.items():
        for value in _values(hint, text):
            yield sound(operation, there) | {name: value}


def _values(hint: Any, text: str) -> Iterator[Any]:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is str or origin is typing.Literal:
        yield text
    elif origin in (typing.Union, types.UnionType):
        for part in inner:
            yield from _values(part, text)
    elif origin in (list, tuple):
        yield from ([value] for value in _values(inner[0], text))
    elif origin is dict:
        yield from ({text: "value"}, {"key": text}, {"key": [{"inner": text}]})
    elif hasattr(hint, "__dataclass_fields__"):
        yield from _objects(hint, text)


def _objects(kind: Any, text: str) -> Iterator[dict[str, Any]]:
    base = {"role": "user", "content": "words"} if kind.__name__ == "NewMessage" else {}
    for name, hint in typing.get_type_hints(kind).items():
        for value in _values(hint, text):
            yield base | {name: value}


def wrong(operation: Operation, there: Known) -> Iterator[dict[str, Any]]:
    """Yield arguments with one fault each: a bad value, a missing or an extra one."""
    start = sound(operation, there)
    yield start | {"unheard_of": 1}
    for name in start:
        yield {key: value for key, value in start.items() if key != name}
    for parameter in operation.parameters:
        yield from (start | {parameter.name: value} for value in WRONG)
        if parameter.name in ("filter", "messages"):
            yield from (start | {parameter.name: value} for value in _wrong_objects(operation, parameter.name))


def _wrong_objects(operation: Operation, name: str) -> Iterator[Any]:
    hint = typing.get_type_hints(operation.arguments)[name]
    in_list = typing.get_origin(hint) is list
    kind = typing.get_args(hint)[0] if in_list else hint
    base = {"role": "user", "content": "words"} if in_list else {}
    for field in typing.get_type_hints(kind):
        for value in WRONG:
            item = base | {field: value}
            yield [item] if in_list else item
