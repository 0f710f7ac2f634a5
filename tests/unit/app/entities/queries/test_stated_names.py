"""Stated names stand in lists and in the graph although no text mentions them."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.api.caller import Caller
from app.core.stores import STORES
from app.entities import repo
from app.entities.model import EntityFilter, EntityOrder
from app.entities.queries import entity_lists
from app.host import Host
from tests.unit.app.entities.conftest import EntityHarness

SCOUT = Caller("scout")
LIVES = {"source": "Marta Obel", "target": "Graz", "type": "lives in"}
GRAPH_LINES = (
    {"type": "entity", "name": "Marta Obel", "entityType": "person", "observations": []},
    {"type": "relation", "from": "Marta Obel", "to": "Graz", "relationType": "lives in"},
)
MEM0 = {
    "results": [{"id": "m1", "memory": "Herons nest early."}],
    "relations": [{"source": "Marta Obel", "relationship": "lives in", "destination": "Graz"}],
}
COUNT = 5_000


def do(host: Host, operation: str, **arguments: Any) -> Any:
    return host.call(operation, arguments, SCOUT).result(30).value


def shown(host: Host, **fields: Any) -> set[str]:
    """Return the listed names, which all ways to ask for them must agree on."""
    host.ask("vault.settle", names=True)
    orders: tuple[EntityOrder, ...] = ("mentions", "name", "recent")
    chosen = {"filter": EntityFilter(**fields)} if fields else {}
    lists = [{row.name for row in host.ask("entity.list", order=order, **chosen)} for order in orders]
    lists.append({row.name for row in host.ask("entity.rows", ids=host.ask("entity.ids", **chosen))})
    if not fields:
        view = host.ask("entity.graph")
        lists.append({node.name for node in view.nodes})
        assert view.left_out == 0
        assert host.ask("vault.stats").entities == len(lists[0])
    assert all(listed == lists[0] for listed in lists)
    return lists[0]


def test_what_an_agent_stated_is_listed_until_it_is_taken_back(host: Host) -> None:
    do(host, "graph.create_entities", entities=[{"name": "Marta Obel", "type": "person"}])
    assert shown(host) == {"Marta Obel"}
    do(host, "graph.create_relations", relations=[LIVES])
    assert shown(host) == {"Marta Obel", "Graz"}
    assert shown(host, text="obel") == shown(host, types=("person",)) == {"Marta Obel"}
    (edge,) = host.ask("entity.graph").edges
    assert (edge.kind, edge.label) == ("stated", "lives in")
    do(host, "graph.delete_relations", relations=[LIVES])
    assert shown(host) == {"Marta Obel"}
    do(host, "graph.delete_entities", names=["Marta Obel"])
    assert shown(host) == set()


def test_a_person_can_rename_and_take_back_what_an_agent_stated(host: Host) -> None:
    do(host, "graph.create_relations", relations=[LIVES, {**LIVES, "source": "Marta O."}])
    ids = {row.name: row.id for row in host.ask("entity.list")}
    host.ask("entity.rename", id=ids["Graz"], name="Graz an der Mur")
    assert shown(host) == {"Marta Obel", "Marta O.", "Graz an der Mur"}
    for name in ("Marta Obel", "Marta O."):
        host.ask("entity.unrelate", subject=ids[name], predicate="lives in", target=ids["Graz"])
    assert shown(host) == set()


def test_what_was_merged_lends_its_statements(host: Host) -> None:
    note = host.ask("note.save", content="Bob Miller sings.")
    do(host, "graph.create_relations", relations=[LIVES])
    assert shown(host) == {"Bob Miller", "Marta Obel", "Graz"}
    ids = {row.name: row.id for row in host.ask("entity.list")}
    host.ask("entity.merge", ids=[ids["Marta Obel"]], into=ids["Bob Miller"])
    host.ask("note.delete", id=note.id)
    assert shown(host) == {"Bob Miller", "Graz"}


def test_a_name_whose_texts_are_gone_is_not_listed(host: Host) -> None:
    note = host.ask("note.save", content="Bob Miller sings.")
    assert shown(host) == {"Bob Miller"}
    host.ask("entity.rename", id=host.ask("entity.list")[0].id, name="Robert Miller")
    host.ask("note.delete", id=note.id)
    assert shown(host) == set()


def test_undone_statements_are_not_listed(host: Host) -> None:
    reply = host.call("graph.create_entities", {"entities": [{"name": "Graz", "type": "place"}]}, SCOUT).result(30)
    do(host, "graph.create_relations", relations=[LIVES])
    host.ask("memory.undo", history_ids=list(reply.changes.history_ids))
    assert shown(host) == set()


def test_the_past_lists_what_was_stated_then(host: Host) -> None:
    do(host, "graph.create_relations", relations=[LIVES])
    then = max(host.ask("entity.info", id=row.id).entity.updated_at for row in host.ask("entity.list"))
    do(host, "graph.delete_relations", relations=[LIVES])
    assert shown(host) == set()
    assert {row.name for row in host.ask("entity.list", as_of=then)} == {"Marta Obel", "Graz"}


@pytest.mark.parametrize("form", ["memory.jsonl", "mem0.json"])
def test_imported_statements_are_listed(host: Host, tmp_path: Path, form: str) -> None:
    lines = "\n".join(json.dumps(line) for line in GRAPH_LINES)
    (tmp_path / form).write_text(lines if form == "memory.jsonl" else json.dumps(MEM0))
    host.ask("exchange.import", path=str(tmp_path / form))
    assert shown(host) >= {"Marta Obel", "Graz"}


def test_who_reads_few_stores_learns_of_no_statement(host: Host) -> None:
    do(host, "graph.create_relations", relations=[LIVES])
    narrow = Caller("narrow", "inner")
    assert host.call("entity.list", {}, narrow).result(30).value == []
    assert host.call("entity.graph", {}, narrow).result(30).value.nodes == ()


def fill(connection: apsw.Connection, *, stated: int) -> None:
    """Store mentioned names, and ``stated`` ones that nothing mentions."""
    connection.executemany(
        "INSERT INTO entities (id, canonical_name, name_key, type, mention_count, touched, created_at, updated_at,"
        " attributes) VALUES (?1, ?1, ?1, 'person', ?2, ?3, 0, 0, ?4)",
        [(f"ent-{number}", number + 1, 0, "{}") for number in range(COUNT)]
        + [(f"ent-stated-{number}", 0, 1, '{"graph": {"listed": true}}') for number in range(stated)],
    )
    connection.execute(
        "INSERT INTO relations (subject_id, predicate, object_id, created_at)"
        " SELECT id, 'knows', 'ent-stated-0', 0 FROM entities WHERE touched = 1"
    )


def steps(connection: apsw.Connection, work: Callable[[apsw.Connection], object]) -> int:
    """Return how many tens of instructions SQLite took for some work."""
    taken = [0]

    def stepped() -> bool:
        taken[0] += 1
        return False

    connection.set_progress_handler(stepped, 10)
    try:
        work(connection)
    finally:
        connection.set_progress_handler(None)
    return taken[0]


@pytest.mark.parametrize("stated", [1, COUNT])
def test_statements_are_not_read_for_the_first_names(harness: EntityHarness, stated: int) -> None:
    harness.write(partial(fill, stated=stated))

    def listed(connection: apsw.Connection, limit: int) -> None:
        assert len(entity_lists.ids(connection, EntityFilter(), limit=limit, stores=STORES)) == limit

    few, many = (
        harness.do(harness.store.read(partial(steps, work=partial(listed, limit=limit))))
        for limit in (10, COUNT + stated)
    )
    assert few < COUNT / 10 < many


def test_statements_are_found_without_the_names_of_texts(harness: EntityHarness) -> None:
    harness.write(partial(fill, stated=3))

    def ask(connection: apsw.Connection) -> None:
        assert repo.is_stated(connection, "ent-stated-2")
        assert not repo.is_stated(connection, "ent-1")

    assert harness.do(harness.store.read(partial(steps, work=ask))) < COUNT / 10
