"""Undo of facts and archived memories: in pairs and in any order."""

import contextlib
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.history.state_diff import VOLATILE
from app.host import Host

ACTIONS = [
    "set",
    "correct",
    "remember",
    "confirm",
    "resolve",
    "forget",
    "put",
    "restore",
    "edit",
    "pin",
    "undo",
    "undo",
]
STEPS = st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 5), st.integers(0, 3)), min_size=3, max_size=14)


def newest(host: Host) -> Any:
    return host.ask("memory.history", limit=1)[0]


def light_after_dark(host: Host) -> tuple[str, str]:
    return tuple(host.ask("fact.set", category="look", key="theme", value=value).fact.id for value in ("dark", "light"))  # type: ignore[return-value]


@pytest.mark.parametrize("which", [0, 1])
def test_undoing_one_entry_of_a_replaced_fact_brings_the_old_value_back(host: Host, which: int) -> None:
    dark, _ = light_after_dark(host)
    entries = host.ask("memory.history", limit=2)
    assert entries[0].run_id == entries[1].run_id != ""
    assert len(host.ask("memory.undo", history_ids=[entries[which].id])) == 2
    fact = host.ask("fact.get", category="look", key="theme")
    assert (fact.id, fact.content) == (dark, "dark")
    with pytest.raises(InputError, match="undone already"):
        host.ask("memory.undo", history_ids=[entries[which].id])
    host.ask("memory.undo", history_ids=[newest(host).id])
    assert host.ask("fact.get", category="look", key="theme").content == "light"


def test_undoing_a_correction_brings_the_wrong_fact_back(host: Host) -> None:
    wrong = host.ask("fact.remember", content="Rosa lives in Graz").memory
    right = host.ask("fact.correct", id=wrong.id, content="Rosa lives in Linz").fact
    host.ask("memory.undo", history_ids=[newest(host).id])
    assert [fact.id for fact in host.ask("fact.list")] == [wrong.id]
    host.ask("memory.undo", history_ids=[newest(host).id])
    assert [fact.id for fact in host.ask("fact.list")] == [right.id]


def test_one_entry_of_a_batch_is_still_undone_alone(host: Host) -> None:
    facts = [{"content": f"Heron {number} stands"} for number in range(3)]
    host.ask("fact.batch", facts=facts)
    host.ask("memory.undo", history_ids=[newest(host).id])
    assert len(host.ask("fact.list")) == 2


def test_archiving_and_bringing_back_is_undone_step_by_step(host: Host) -> None:
    note = host.ask("note.save", content="heron")
    host.ask("archive.put", ids=[note.id])
    host.ask("archive.restore", id=note.id)
    put, back = sorted(entry.id for entry in host.ask("memory.history", target=note.id, limit=2))
    host.ask("memory.undo", history_ids=[back])
    assert host.ask("archive.list")[0].id == note.id
    host.ask("memory.undo", history_ids=[put])
    assert host.ask("note.get", id=note.id).deleted_at is None
    every = [entry.id for entry in host.ask("memory.history", target=note.id)]
    host.ask("memory.undo", history_ids=every)
    assert host.ask("note.list") == host.ask("archive.list") == []


def state(host: Host) -> dict[str, Any]:
    """Return all that memories say now, counters and versions left out."""
    said: dict[str, Any] = {}
    for deleted in (False, True):
        rows = host.ask("memory.list", filter={"deleted": deleted}, limit=1000)
        for memory in host.ask("memory.get", ids=[row.id for row in rows]).memories if rows else ():
            fields = {name: getattr(memory, name) for name in memory.__dataclass_fields__}
            said[memory.id] = {name: value for name, value in fields.items() if name not in {*VOLATILE, "tokens"}}
            said[memory.id].pop("deleted_at")
            said[memory.id]["is_deleted"] = deleted
    return said | {row.id: "archived" for row in host.ask("archive.list", limit=1000)}


def ids(host: Host) -> list[str]:
    return sorted([*state(host)], key=lambda one: one)


def act(host: Host, action: str, which: int, what: int) -> None:
    known = ids(host)
    one = known[which % len(known)]
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "set": ("fact.set", {"category": "c", "key": f"k{which % 2}", "value": f"value {what}"}),
        "correct": ("fact.correct", {"id": one, "content": f"right {what}"}),
        "remember": ("fact.remember", {"content": f"right {what}"}),
        "confirm": ("fact.confirm", {"id": one}),
        "resolve": ("fact.resolve", {"new_id": one, "old_id": known[what % len(known)]}),
        "forget": ("note.delete", {"id": one}),
        "put": ("archive.put", {"ids": [one]}),
        "restore": ("archive.restore", {"id": one}),
        "edit": ("note.update", {"id": one, "version": 1, "content": f"text {what}"}),
        "pin": ("note.pin", {"id": one, "pinned": bool(what % 2)}),
        "undo": ("memory.undo", {"history_ids": [entry.id for entry in host.ask("memory.history", limit=3)][:1]}),
    }
    name, arguments = calls[action]
    with contextlib.suppress(InputError):
        host.ask(name, **arguments)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_all_that_was_done_since_is_undone_at_once(host: Host, steps: list[tuple[str, int, int]]) -> None:
    if not state(host):
        host.ask("note.save", content="a note")
        host.ask("fact.remember", content="a fact")
        light_after_dark(host)
    since, before = newest(host).id, state(host)
    for step in steps:
        act(host, *step)
    done = [entry.id for entry in host.ask("memory.history", limit=1000) if entry.id > since]
    if done:
        host.ask("memory.undo", history_ids=done)
    after = state(host)
    made = {one for one in after if one not in before}
    assert {one: after[one] for one in before} == before
    assert all(after[one]["is_deleted"] for one in made)


TEA = {"name": "Sencha", "type": "tea", "observations": ["comes from Kakegawa", "needs cool water"]}
SHOP = {"name": "The tea shop", "type": "shop", "observations": []}
SELLS = {"source": "The tea shop", "target": "Sencha", "type": "sells"}


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("graph.delete_entities", {"names": ["Sencha"]}),
        ("graph.delete_observations", {"observations": [{"entity": "Sencha", "contents": ["needs cool water"]}]}),
        ("graph.delete_relations", {"relations": [SELLS]}),
    ],
)
def test_what_is_deleted_from_the_graph_comes_back(host: Host, operation: str, arguments: dict[str, Any]) -> None:
    host.ask("graph.create_entities", entities=[TEA, SHOP])
    host.ask("graph.create_relations", relations=[SELLS])
    before, mark = host.ask("graph.read"), newest(host).id
    assert host.ask(operation, **arguments) == 1
    assert host.ask("graph.read") != before
    host.ask("memory.undo", history_ids=[one.id for one in host.ask("memory.history", limit=50) if one.id > mark])
    assert host.ask("graph.read") == before
