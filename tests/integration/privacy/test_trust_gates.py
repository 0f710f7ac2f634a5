"""Trust gates: hidden content changes no answer."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from app.api.caller import READABLE, Caller, Trust
from app.api.catalogue import declared
from app.api.registry import to_builtins
from app.core.clock import to_datetime
from app.errors import AccessDeniedError, KeepsakeError
from app.host import Host
from app.memories.model import NewMemory
from tests.helpers.access import EVERYTHING
from tests.helpers.engine import engine_of

OPERATIONS = {item.name: item for item in declared()}
READS = sorted(name for name, item in OPERATIONS.items() if item.access == "read" and item.trust != "full")
PEOPLE = ("Alice Jones", "Bob Miller", "Clara Weber", "David Frey")
PLACES = ("Berlin", "Rome", "Zurich", "Oslo")
_ENTITY = re.compile(r"ent-[0-9a-f-]{36}")
# Scores depend on how rare a word is in the whole index; how often something was read depends on nothing here.
_LOOSE = {"score", "features", "gaps", "milliseconds", "rank", "access_count", "last_accessed", "accessed"}
_TIMES_OF_ENTITIES = {"created_at", "updated_at"}


class SetClock:
    """A clock that says what it was set to."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms


@dataclass(frozen=True)
class Item:
    """A memory or, without a store, a conversation; ``number`` makes its words unlike all others'."""

    number: int
    store: str
    kind: str
    person: int
    link: int
    fate: str

    @property
    def id(self) -> str:
        return f"{self.kind}-{self.number}" if self.store else f"talk-{self.number}"

    @property
    def marker(self) -> str:
        return f"zq{self.number}marker{'abcdefgh'[self.number % 8]}"

    @property
    def text(self) -> str:
        who, where = PEOPLE[self.person], PLACES[self.number % len(PLACES)]
        return f"heron {self.marker} {who} was in {where} [[Title {self.link}]] #tag{self.number % 3}/{self.marker}"


ITEMS = st.lists(
    st.tuples(
        st.sampled_from(["private", "private", "shared", "social", ""]),
        st.sampled_from(["note", "fact", "observation"]),
        st.integers(0, len(PEOPLE) - 1),
        st.integers(0, 7),
        st.sampled_from(["", "", "edited", "deleted", "hidden", "archived"]),
    ),
    min_size=4,
    max_size=8,
).map(lambda rows: [Item(number, *row) for number, row in enumerate(rows)])


def visible(items: list[Item], trust: Trust) -> set[int]:
    """Return the numbers of the visible items, including superseded ones."""
    keyed = [(item.store, item.number % 2) if item.kind == "fact" and item.store else None for item in items]
    superseded = {place for place, key in enumerate(keyed) if key is not None and key in keyed[place + 1 :]}
    shown = set()
    for item in items:
        store = "private" if item.fate == "hidden" and item.number not in superseded else item.store
        if store in READABLE[trust]:
            shown.add(item.number)
    return shown


@contextmanager
def vault(items: list[Item], kept: set[int]) -> Iterator[Host]:
    """Run a host on a vault that received only the items of ``kept``."""
    clock = SetClock()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o700)
        host = Host(Path(folder), serve=False, clock=clock, overrides={"backup.daily": False})
        host.start()
        try:
            for item in items:
                clock.ms += 3_600_000
                if item.number in kept:
                    add(host, item)
            for item in items:
                clock.ms += 3_600_000
                if item.number in kept:
                    befall(host, item)
            host.ask("vault.settle", names=True)
            yield host
        finally:
            host.stop()


def add(host: Host, item: Item) -> None:
    engine = engine_of(host)
    if not item.store:
        turns = [{"role": "user", "content": item.text, "author": PEOPLE[item.person]}]
        host.ask("session.append", session=item.id, title=f"Title {item.marker}", agent=item.marker, messages=turns)
        return
    new: Any = {"kind": item.kind, "store": item.store}
    draft = NewMemory(
        item.text,
        title=f"Title {item.number}",
        tags=(f"tag{item.number % 3}", item.marker),
        id=item.id,
        source=f"agent {item.marker}",
        category="c" if item.kind == "fact" else "",
        key=f"k{item.number % 2}" if item.kind == "fact" else "",
        session_id=f"talk-{item.link}",
        **new,
    )
    host.submit(engine.memories.service.save(EVERYTHING, draft)).result()  # type: ignore[attr-defined]


def befall(host: Host, item: Item) -> None:
    if not item.store:
        if item.fate == "deleted":
            host.ask("session.forget", session=item.id)
        return
    there = host.ask("note.get", id=item.id)
    if there.deleted_at is not None:  # superseded meanwhile
        return
    if item.fate == "edited":
        host.ask("note.update", id=item.id, version=there.version, content=f"{item.text} later")
    elif item.fate == "hidden":
        host.ask("note.update", id=item.id, version=there.version, store="private")
    elif item.fate == "deleted":
        host.ask("note.delete", id=item.id)
    elif item.fate == "archived":
        host.ask("archive.put", ids=[item.id])


def questions(items: list[Item], entities: dict[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every read with arguments that ask for each item in every way there is."""
    ids = [item.id for item in items]
    markers = [item.marker for item in items]
    then = to_datetime(1_700_000_000_000 + 3_600_000 * (len(items) + len(items) // 2)).isoformat()
    queries = ["heron", "kind:message", "-nothing", "tag:tag1", "store:private", "session:talk", *markers]
    queries += [f'"{PEOPLE[0]}"', f"entity:{PEOPLE[1].split()[0]}", f'entity:"{PEOPLE[0]}"', "agent:agent", "is:pinned"]
    wanted: dict[str, list[dict[str, Any]]] = {
        "archive.get": [{"id": identity} for identity in ids],
        "archive.list": [{}, *({"text": marker} for marker in markers)],
        "entity.graph": [
            {},
            *({"id": entity} for entity in entities),
            {"depth": 2, "limit": 2},
            {"filter": {"text": "miller"}},
            {"filter": {"until": then, "types": ["person"]}},
        ],
        "entity.ids": [{}, {"order": "recent"}, {"filter": {"text": "miller"}}],
        "entity.info": [more | {"id": entity} for entity in entities for more in ({}, {"as_of": then})],
        "entity.list": [{}, {"order": "recent"}, {"filter": {"prefix": "a"}}, {"as_of": then}],
        "entity.of": [{"owner": one} for one in (*ids, *(f"{identity}#1" for identity in ids))],
        "entity.rows": [{"ids": list(entities)}],
        "memory.get": [{"ids": ids}, {"ids": ids, "as_of": then}, {"ids": ids, "max_tokens": 40}]
        + [{"id": identity} for identity in ids],
        "memory.list": [
            {},
            {"as_of": then},
            {"filter": {"text": "heron"}, "as_of": then},
            {"filter": {"deleted": True}},
        ],
        "memory.operators": [{}],
        "memory.parse": [{"query": query} for query in queries],
        "memory.people": [{}, {"text": "jones"}],
        "memory.search": [{"query": query, "limit": 50} | more for query in queries for more in ({}, {"as_of": then})]
        + [{"query": "heron", "limit": 50, "recipe": one} for one in ("words", "vector", "balanced")],
        "memory.stats": [{}, {"steps": 3, "step": "week"}],
        "memory.timeline": [{}, {"around": "2023-11-15", "before": 3, "after": 3}, {"session": "talk-1"}]
        + [{"around": one} for one in (*ids, *(f"{identity}#1" for identity in ids))],
        "note.facets": [{}, {"filter": {"text": "heron"}}, {"filter": {"deleted": True}}],
        "note.get": [{"id": identity} for identity in ids],
        "note.ids": [{}, {"order": "title"}],
        "note.links": [{"id": identity} for identity in ids],
        "note.list": [{}, {"filter": {"text": "heron"}}, {"filter": {"stores": ["private"]}}],
        "note.resolve": [{"title": f"Title {number}"} for number in range(8)],
        "note.rows": [{"ids": ids}],
        "note.titles": [{}, {"prefix": "title"}],
        "session.scratchpad.read": [{"session": identity} for identity in ids],
        "tag.list": [{}, *({"prefix": marker} for marker in markers)],
    }
    for name in READS:
        for arguments in wanted.get(name) or guessed(name, ids, markers, then):
            yield name, arguments


def guessed(name: str, ids: list[str], markers: list[str], then: str) -> list[dict[str, Any]]:
    """Return arguments for a read operation, by its parameters' names and types."""
    by_name: dict[str, list[Any]] = {"ids": [ids], "category": ["c"], "key": ["k0", "k1"], "query": ["heron", *markers]}
    by_type: dict[str, list[Any]] = {
        "str": [*ids, *markers],
        "list[str]": [ids, markers],
        "int": [1],
        "datetime": [then],
    }
    calls: list[dict[str, Any]] = [{}]
    parameters = OPERATIONS[name].parameters
    for parameter in parameters:
        if parameter.required:
            values = by_name.get(parameter.name) or by_type.get(parameter.type, [{}])
            calls = [{**call, parameter.name: value} for call in calls for value in values][:40]
    narrowed = [
        {**call, parameter.name: value}
        for parameter in parameters
        if not parameter.required and parameter.type.startswith("str")
        for value in by_name.get(parameter.name, markers)
        for call in calls[:2]
    ]
    return calls + narrowed


def requested(host: Host, name: str, arguments: dict[str, Any], caller: Caller) -> Any:
    """Return an answer without times, entity ids, scores and the order of equals."""
    try:
        return to_builtins(host.call(name, arguments, caller).result(30).value)
    except KeepsakeError as error:
        return {"refused": type(error).__name__, "message": error.message, "data": to_builtins(dict(error.data))}


def plain(value: Any, names: dict[str, str]) -> Any:
    """Return an answer without what may differ: times and ids of entities, scores, the order of equals."""
    if isinstance(value, dict):
        loose = _LOOSE | (_TIMES_OF_ENTITIES if str(value.get("id", "")).startswith("ent-") else set())
        kept = {key: plain(one, names) for key, one in value.items() if key not in loose}
        if kept.get("kind") == "together":  # such an edge has no direction
            kept["source"], kept["target"] = sorted((kept["source"], kept["target"]))
        if "hits" in kept:
            kept["hits"] = sorted(kept["hits"], key=lambda hit: hit["id"])
        return kept
    if isinstance(value, list | tuple):
        made = [plain(one, names) for one in value]
        return sorted(made, key=repr) if any("ent-" in repr(one) for one in value) else made
    return _ENTITY.sub(lambda found: names.get(found[0], found[0]), value) if isinstance(value, str) else value


def entities_of(host: Host) -> dict[str, str]:
    return {row.id: f"{row.type} {row.name}" for row in host.ask("entity.list", limit=1000)}


# Without shrinking: each example opens two vaults.
@settings(max_examples=4, phases=[Phase.generate], suppress_health_check=list(HealthCheck), deadline=None)
@given(items=ITEMS)
@pytest.mark.parametrize("trust", ["inner", "familiar"])
def test_every_read_answers_as_if_what_is_hidden_never_existed(trust: Trust, items: list[Item]) -> None:
    caller = Caller("agent", trust)
    shown = visible(items, trust)
    hidden = [item.marker for item in items if item.number not in shown]
    with vault(items, {item.number for item in items}) as full, vault(items, shown) as bare:
        names, others = entities_of(full), entities_of(bare)
        same = {name: entity for entity, name in others.items()}
        for name, arguments in questions(items, names):
            answer = requested(full, name, arguments, caller)
            translated = translate(arguments, names, same)
            expected = requested(bare, name, translated, caller)
            answered, wanted = plain(answer, names), plain(expected, others | names)
            assert answered == wanted, (name, arguments)
            text = msgspec.json.encode(answer).decode()
            for marker in hidden:
                if marker not in repr(arguments):
                    assert marker not in text, (name, arguments)


def translate(arguments: Any, names: dict[str, str], same: dict[str, str]) -> Any:
    """Return arguments with entity ids of the other vault."""
    if isinstance(arguments, dict):
        return {key: translate(one, names, same) for key, one in arguments.items()}
    if isinstance(arguments, list):
        return [translate(argument, names, same) for argument in arguments]
    return same.get(names.get(arguments, ""), arguments) if isinstance(arguments, str) else arguments


@pytest.mark.parametrize("name", READS)
def test_strangers_may_ask_nothing_that_says_anything(host: Host, name: str) -> None:
    if OPERATIONS[name].trust == "public":
        return
    with pytest.raises(AccessDeniedError):
        host.call(name, {}, Caller("stranger", "public")).result()


def test_much_that_is_hidden_leaves_others_their_neighbours(host: Host) -> None:
    engine = engine_of(host)
    for number in range(210):
        host.submit(engine.memories.service.save(EVERYTHING, NewMemory(f"heron {number}"))).result()  # type: ignore[attr-defined]
    seen = host.ask("note.save", content="a heron far off among many other birds", store="shared")
    host.ask("vault.settle")
    requested = {"query": "heron", "recipe": "vector", "limit": 5}
    found = host.call("memory.search", requested, Caller("agent", "inner")).result().value
    assert [hit.id for hit in found.hits] == [seen.id]


def test_renaming_reveals_no_conversation(host: Host) -> None:
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "secret"}])
    with pytest.raises(AccessDeniedError):
        host.call("session.rename", {"session": "s", "title": "x"}, Caller("agent", "inner")).result()
