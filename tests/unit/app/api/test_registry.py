"""Declared operations: documentation, argument checks, trust gate, published changes."""

import asyncio
import re
from datetime import UTC
from pathlib import Path
from typing import Annotated, Any

import pytest
from msgspec import Meta

import app.api.operations
from app.api.caller import OWNER, Caller
from app.api.catalogue import declared
from app.api.operation import Operation
from app.api.registry import Catalogue, Registry, check_arguments, from_builtins, to_builtins, type_name
from app.changes import Changed, ChangeSet, Event
from app.errors import AccessDeniedError, InputError, UnknownOperationError
from app.sessions.model import NewMessage

OPERATIONS = list(declared())
SUBJECTS = Path(app.api.operations.__path__[0])
REGISTRY = Registry()


@REGISTRY.operation("thing.make", access="write", trust="inner")
async def make(
    engine: list[str],
    caller: Caller,
    name: str,
    count: Annotated[int, Meta(ge=0)] = 1,
    tags: list[str] = [],  # noqa: B006  (the registry copies defaults)
) -> Changed[int]:
    """Make things.

    As many as asked for.

    Args:
        name: What they are
            called.
        count: How many.
    """
    engine.extend([name] * count)
    tags.append("seen")
    return Changed(count, ChangeSet(frozenset({"memories"}), (name,), caller.name, history_ids=(5,)))


class Publisher:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.published: list[Event] = []

    def publish(self, event: Event) -> None:
        self.published.append(event)


def call(name: str, arguments: dict[str, Any], caller: Caller = OWNER) -> tuple[Any, list[str], list[Event]]:
    engine, publisher = list[str](), Publisher()
    reply = asyncio.run(Catalogue(engine, REGISTRY.all(), publisher).call(name, arguments, caller))
    return reply, engine, publisher.published


def test_every_subject_is_in_the_catalogue() -> None:
    declared = re.compile(r"^from app\.api\.registry import .*\boperation\b", re.MULTILINE)
    subjects = {path.stem for path in SUBJECTS.rglob("*.py") if declared.search(path.read_text(encoding="utf-8"))}
    assert {item.handler.__module__.rpartition(".")[2] for item in OPERATIONS} == subjects


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda item: item.name)
def test_every_operation_is_documented(operation: Operation) -> None:
    assert operation.summary.endswith(".")
    assert all(parameter.help for parameter in operation.parameters), operation.name
    assert "Annotated" not in type_name(operation.returns)
    assert all("Annotated" not in parameter.type for parameter in operation.parameters)
    assert operation.access == "write" or not operation.destructive


def test_what_takes_something_away_is_not_for_everybody() -> None:
    for operation in OPERATIONS:
        if operation.access == "write" and not operation.open_to_unknown:
            assert operation.trust in ("inner", "full"), operation.name
        if operation.name.startswith(("session.", "vault.", "settings.", "exchange.", "job.")):
            assert operation.trust != "public"


def test_a_declaration_is_read_from_the_function() -> None:
    [item] = REGISTRY.all()
    assert (item.summary, item.doc, item.returns) == ("Make things.", "As many as asked for.", int)
    assert [(p.name, p.type, p.required, p.default, p.help) for p in item.parameters] == [
        ("name", "str", True, None, "What they are called."),
        ("count", "int", False, 1, "How many."),
        ("tags", "list[str]", False, [], ""),
    ]


def test_a_name_is_declared_once() -> None:
    with pytest.raises(ValueError, match="declared twice"):
        REGISTRY.operation("thing.make")(make)


def test_change_is_answered_and_published() -> None:
    reply, engine, published = call("thing.make", {"name": "a", "count": 2})
    assert (reply.value, engine) == (2, ["a", "a"])
    assert published == [reply.changes]
    assert reply.changes.operation == "thing.make"
    assert reply.changes.history_ids == (5,)


def test_a_default_is_not_shared_between_calls() -> None:
    call("thing.make", {"name": "a"})
    call("thing.make", {"name": "a"})
    [item] = REGISTRY.all()
    assert check_arguments(item, {"name": "a"})["tags"] == []


DEEP: list[Any] = []
for _ in range(50_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "arguments",
    [
        {}, {"name": 3}, {"name": None}, {"name": "a", "count": "1"}, {"name": "a", "count": -1},
        {"name": "a", "count": 1.5}, {"name": "a", "more": 1}, {"name": "a", "tags": "a"}, {"name": "a", "tags": [1]},
        {"name": "a", "tags": DEEP}, {"name": b"a"}, {"name": ["a"]},
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(arguments: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"thing\.make: ") as caught:
        call("thing.make", arguments)
    assert caught.value.data["parameters"] == "name, count, tags"


def test_model_objects_are_taken_as_they_are() -> None:
    append = next(item for item in OPERATIONS if item.name == "session.append")
    message = NewMessage("user", "text")
    assert check_arguments(append, {"messages": [message]})["messages"] == [message]
    assert check_arguments(append, {"messages": [{"role": "user", "content": "text"}]})["messages"] == [message]


def test_unknown_operations() -> None:
    with pytest.raises(UnknownOperationError):
        call("thing.break", {})


@pytest.mark.parametrize(("trust", "may"), [("full", True), ("inner", True), ("familiar", False), ("public", False)])
def test_trust_is_checked_before_anything_else(trust: Any, may: bool) -> None:
    if may:
        call("thing.make", {"name": "a"}, Caller("agent", trust))
        return
    with pytest.raises(AccessDeniedError, match=f"needs inner trust; agent has {trust}"):
        call("thing.make", {"name": 3}, Caller("agent", trust))


def test_values_survive_the_wire() -> None:
    changes = ChangeSet(frozenset({"memories"}), ("a",), "person", "x", (1, 2))
    assert from_builtins(to_builtins(changes), ChangeSet) == changes


@pytest.mark.parametrize(
    "text", ["2026-03-01", "2026-03-01T10:00:00", "2026-03-01T10:00:00+01:00", " 2026-03-01 10:00 "]
)
def test_a_time_may_be_written_without_hour_or_zone(text: str) -> None:
    (listing,) = [operation for operation in OPERATIONS if operation.name == "memory.list"]
    when = check_arguments(listing, {"as_of": text})["as_of"]
    assert (when.year, when.tzinfo) == (2026, UTC)


@pytest.mark.parametrize("text", ["2026", "soon", "2026-13-01", "", "5"])
def test_invalid_time_is_answered_with_the_format(text: str) -> None:
    (listing,) = [operation for operation in OPERATIONS if operation.name == "memory.list"]
    with pytest.raises(InputError, match="a time is written as 2026-03-01T10"):
        check_arguments(listing, {"as_of": text})
