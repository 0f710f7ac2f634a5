"""Quarantine of what an agent stated of entities."""

from typing import Any

import pytest

from app.api.caller import Caller
from app.host import Host
from tests.unit.app.quarantine.conftest import RIVAL, SCOUT, do

ALICE = {"name": "Alice Berger", "type": "person", "observations": ["keeps herons"]}
BERTA = {"name": "Berta Wolf", "type": "person", "observations": ["keeps wrens"]}


def relate(host: Host, caller: Caller | None, source: str, kind: str, target: str) -> None:
    arguments = {"relations": [{"source": source, "target": target, "type": kind}]}
    host.call("graph.create_relations", arguments, *(() if caller is None else (caller,))).result()


def seen(host: Host) -> dict[str, Any]:
    """Return what a person sees of entities: the knowledge graph, the list, and the graph with its stated edges."""
    host.ask("vault.settle", names=True)
    graph = host.ask("graph.read")
    names = {row.id: row.name for row in host.ask("entity.list", limit=1000)}
    view = host.ask("entity.graph")
    edges = {(names[edge.source], edge.label, names[edge.target]) for edge in view.edges if edge.kind == "stated"}
    return {
        "entities": {(entity.name, entity.type, tuple(entity.observations)) for entity in graph.entities},
        "relations": {(relation.source, relation.type, relation.target) for relation in graph.relations},
        "names": set(names.values()),
        "edges": edges,
        "aliases": {name: host.ask("entity.info", id=key).entity.aliases for key, name in names.items()},
    }


def names_of(host: Host) -> set[str]:
    return {entity.name for entity in host.ask("graph.read").entities}


def relations_of(host: Host) -> set[tuple[str, str, str]]:
    return {(relation.source, relation.type, relation.target) for relation in host.ask("graph.read").relations}


def test_entities_and_relations_are_hidden_and_come_back(host: Host) -> None:
    host.ask("graph.create_entities", entities=[BERTA])
    do(host, SCOUT, "graph.create_entities", entities=[ALICE])
    relate(host, SCOUT, "Alice Berger", "knows", "Berta Wolf")
    relate(host, SCOUT, "Berta Wolf", "owes", "Carl Unlisted")
    before = seen(host)
    assert {"Alice Berger", "Berta Wolf"} <= before["names"]
    hidden = host.ask("agent.quarantine", name="scout")
    assert hidden.entities == 3
    now = seen(host)
    assert (names_of(host), now["relations"], now["edges"]) == ({"Berta Wolf"}, set(), set())
    assert not {"Alice Berger", "Carl Unlisted"} & now["names"]
    assert host.ask("memory.search", query="Alice Berger", legs=["words"]).hits == ()
    assert "Alice" not in host.ask("memory.context", prompt="Who is Alice Berger?").text
    shown = {(item.title, item.kind) for item in host.ask("agent.quarantined", name="scout")}
    assert {("Alice Berger", "person"), ("Berta Wolf", "relations")} <= shown
    assert host.ask("agent.release", name="scout").skipped == ()
    assert seen(host) == before
    assert host.ask("agent.quarantined", name="scout") == []


def test_a_merge_is_taken_apart_until_it_is_released(host: Host) -> None:
    host.ask("graph.create_entities", entities=[ALICE, BERTA])
    host.ask("vault.settle", names=True)
    ids = {row.name: row.id for row in host.ask("entity.list", limit=1000)}
    do(host, SCOUT, "entity.merge", ids=[ids["Berta Wolf"]], into=ids["Alice Berger"])
    before = seen(host)
    assert "Berta Wolf" not in before["names"]
    host.ask("agent.quarantine", name="scout")
    now = seen(host)
    assert {"Alice Berger", "Berta Wolf"} <= now["names"]
    assert now["aliases"]["Alice Berger"] == ("Alice Berger",)
    assert host.ask("agent.release", name="scout").skipped == ()
    assert seen(host) == before


def test_a_half_of_a_merge_that_was_changed_since_keeps_both(host: Host) -> None:
    host.ask("graph.create_entities", entities=[ALICE, BERTA])
    host.ask("vault.settle", names=True)
    ids = {row.name: row.id for row in host.ask("entity.list", limit=1000)}
    do(host, SCOUT, "entity.merge", ids=[ids["Berta Wolf"]], into=ids["Alice Berger"])
    host.ask("entity.rename", id=ids["Alice Berger"], name="Alice Wolf")
    before = seen(host)
    hidden = host.ask("agent.quarantine", name="scout")
    assert {item.target for item in hidden.skipped} == {ids["Alice Berger"], ids["Berta Wolf"]}
    assert seen(host) == before


@pytest.mark.parametrize("by_person", [False, True])
def test_what_somebody_else_stated_too_stays(host: Host, by_person: bool) -> None:
    other = None if by_person else RIVAL
    do(host, SCOUT, "graph.create_entities", entities=[ALICE, BERTA])
    more = [{"entity": "Alice Berger", "contents": ["paints"]}]
    host.call("graph.add_observations", {"observations": more}, *(() if other is None else (other,))).result()
    relate(host, SCOUT, "Alice Berger", "knows", "Berta Wolf")
    relate(host, other, "Berta Wolf", "likes", "Alice Berger")
    before = seen(host)
    host.ask("agent.quarantine", name="scout")
    graph = host.ask("graph.read")
    assert {(entity.name, tuple(entity.observations)) for entity in graph.entities} == {
        ("Alice Berger", ("paints",)),
        ("Berta Wolf", ()),
    }
    assert relations_of(host) == {("Berta Wolf", "likes", "Alice Berger")}
    host.ask("agent.release", name="scout")
    after = seen(host)
    assert after["relations"] == before["relations"]
    assert {(name, frozenset(said)) for name, _, said in after["entities"]} == {
        (name, frozenset(said)) for name, _, said in before["entities"]
    }


def test_relations_come_back_to_an_entity_that_the_person_changed_meanwhile(host: Host) -> None:
    host.ask("graph.create_entities", entities=[ALICE, BERTA])
    relate(host, SCOUT, "Alice Berger", "owes", "Berta Wolf")
    host.ask("agent.quarantine", name="scout")
    relate(host, None, "Alice Berger", "knows", "Berta Wolf")
    released = host.ask("agent.release", name="scout")
    assert (released.entities, released.skipped) == (1, ())
    both = {("Alice Berger", "owes", "Berta Wolf"), ("Alice Berger", "knows", "Berta Wolf")}
    assert relations_of(host) == both
    host.ask("memory.undo", run_id=released.run_id)
    assert relations_of(host) == {("Alice Berger", "knows", "Berta Wolf")}
    assert len(host.ask("agent.quarantined", name="scout")) == 1


def test_two_agents_are_hidden_and_released_in_any_order(host: Host) -> None:
    host.ask("graph.create_entities", entities=[ALICE, BERTA])
    relate(host, SCOUT, "Alice Berger", "owes", "Berta Wolf")
    relate(host, RIVAL, "Alice Berger", "knows", "Berta Wolf")
    before = seen(host)
    for name in ("scout", "rival"):
        host.ask("agent.quarantine", name=name)
    assert relations_of(host) == set()
    for name in ("scout", "rival"):
        host.ask("agent.release", name=name)
    assert seen(host) == before


def test_an_entity_that_the_persons_notes_name_stays_by_that_name(host: Host) -> None:
    host.ask("note.save", content="Alice Berger called today.")
    host.ask("vault.settle", names=True)
    do(host, SCOUT, "graph.create_entities", entities=[ALICE])
    relate(host, SCOUT, "Alice Berger", "owes", "Dora Unlisted")
    before = seen(host)
    host.ask("agent.quarantine", name="scout")
    now = seen(host)
    assert (names_of(host), now["names"] & {"Alice Berger", "Dora Unlisted"}) == (set(), {"Alice Berger"})
    host.ask("agent.release", name="scout")
    assert seen(host) == before


def test_more_entities_than_one_transaction_takes_are_hidden_and_come_back(host: Host) -> None:
    made = [{"name": f"Heron {number}", "type": "animal", "observations": []} for number in range(45)]
    do(host, SCOUT, "graph.create_entities", entities=made)
    relate(host, SCOUT, "Heron 1", "follows", "Heron 44")
    before = seen(host)
    run = host.ask("agent.quarantine", name="scout")
    assert (run.entities, run.left) == (45, 0)
    assert not host.ask("graph.read").entities
    host.ask("agent.release", name="scout")
    assert seen(host) == before
