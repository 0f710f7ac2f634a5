"""Relations by who states them: each caller states, sees and takes back its own; who sees all sees each once."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.api.caller import OWNER, Caller
from app.api.registry import to_builtins
from app.core.paths import migrations
from app.host import Host
from app.store.connection import APPLICATION_ID, create_file, open_writer
from app.store.store import prepare_folder

SCOUT, RIVAL, FRIEND = Caller("scout", "inner"), Caller("rival", "inner"), Caller("friend", "full")
NARROW = Caller("narrow", "full", ("private", "shared"))  # full trust, but not in all stores
ADA, BO = ({"name": name, "type": "person", "observations": []} for name in ("Ada", "Bo"))
KNOWS = {"source": "Ada", "target": "Bo", "type": "knows"}
UNLISTED = {"source": "Zoe", "target": "Yan", "type": "owes"}


def opened(folder: Path) -> Host:
    host = Host(folder, serve=False, overrides={"index.vectors": False})
    host.start()
    return host


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = opened(vault)
    running.ask("graph.create_entities", entities=[ADA, BO], store="shared")
    yield running
    running.stop()


def do(host: Host, caller: Caller, operation: str, **arguments: Any) -> Any:
    return host.call(operation, arguments, caller).result(30).value


def stated(host: Host, caller: Caller) -> list[tuple[str, str, str]]:
    return [(relation.source, relation.type, relation.target) for relation in do(host, caller, "graph.read").relations]


def sources(host: Host) -> set[str]:
    connection = apsw.Connection(str(host.vault / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
    found = {str(row[0]) for row in connection.execute("SELECT source FROM relations")}
    connection.close()
    return found


def entity_ids(host: Host) -> dict[str, str]:
    host.ask("note.save", content="Ada met Bo.")
    host.ask("vault.settle", names=True)
    return {row.name: row.id for row in host.ask("entity.list", limit=100)}


@pytest.mark.parametrize("guesser", [SCOUT, NARROW])
@pytest.mark.parametrize("other", [OWNER, RIVAL, FRIEND])
def test_what_somebody_else_stated_neither_answers_a_guess_nor_swallows_it(
    host: Host, guesser: Caller, other: Caller
) -> None:
    do(host, other, "graph.create_relations", relations=[KNOWS])
    first = host.call("graph.create_relations", {"relations": [KNOWS]}, guesser).result(30)
    assert list(to_builtins(first.value)) == [KNOWS]
    assert stated(host, guesser) == [("Ada", "knows", "Bo")]
    assert do(host, guesser, "graph.create_relations", relations=[KNOWS]) == ()
    assert stated(host, OWNER) == stated(host, FRIEND) == [("Ada", "knows", "Bo")]
    assert do(host, guesser, "graph.delete_relations", relations=[KNOWS]) == 1
    assert do(host, guesser, "graph.delete_relations", relations=[KNOWS]) == 0
    assert (stated(host, guesser), stated(host, OWNER)) == ([], [("Ada", "knows", "Bo")])


def test_who_lists_a_name_and_in_which_store_changes_nothing_for_who_related_it(host: Host) -> None:
    do(host, SCOUT, "graph.create_relations", relations=[UNLISTED], store="social")
    host.ask("graph.create_entities", entities=[{"name": "Zoe", "type": "secret", "observations": ["private word"]}])
    do(host, RIVAL, "graph.create_entities", entities=[{"name": "Yan", "type": "person"}], store="shared")
    graph = do(host, SCOUT, "graph.read")
    assert [entity.name for entity in graph.entities] == ["Ada", "Bo", "Yan"]
    assert stated(host, SCOUT) == [("Zoe", "owes", "Yan")]
    assert (
        do(host, SCOUT, "graph.delete_observations", observations=[{"entity": "Zoe", "contents": ["private word"]}])
        == 0
    )
    assert do(host, SCOUT, "graph.create_entities", entities=[{"name": "Zoe", "type": "mine"}])[0].type == "mine"
    assert do(host, SCOUT, "graph.create_relations", relations=[UNLISTED]) == ()
    assert do(host, SCOUT, "graph.delete_entities", names=["Zoe"]) == 1
    assert (stated(host, SCOUT), sources(host)) == ([], set())
    assert [(entity.name, entity.type) for entity in host.ask("graph.read").entities if entity.name == "Zoe"] == [
        ("Zoe", "secret")
    ]


def test_who_sees_all_sees_a_relation_once_and_takes_it_back_for_all(host: Host) -> None:
    for caller in (SCOUT, RIVAL):
        do(host, caller, "graph.create_relations", relations=[KNOWS])
    assert do(host, OWNER, "graph.create_relations", relations=[KNOWS]) == ()  # it is there, as they see
    assert sources(host) == {"scout", "rival", "person"}
    ids = entity_ids(host)
    assert [relation.predicate for relation in host.ask("entity.info", id=ids["Ada"]).relations] == ["knows"]
    (edge,) = [edge for edge in host.ask("entity.graph").edges if edge.kind == "stated"]
    assert (edge.source, edge.target, edge.label) == (ids["Ada"], ids["Bo"], "knows")
    assert host.ask("graph.delete_relations", relations=[KNOWS]) == 1
    assert (stated(host, SCOUT), stated(host, OWNER), sources(host)) == ([], [], set())


def test_the_latest_statement_is_the_one_shown_now_and_as_of_a_moment(host: Host) -> None:
    do(host, SCOUT, "graph.create_relations", relations=[KNOWS])
    ids = entity_ids(host)
    host.ask("entity.relate", subject=ids["Ada"], predicate="knows", target=ids["Bo"], weight=3.0)
    for moment in ({}, {"as_of": "2100-01-01T00:00Z"}):
        (shown,) = host.ask("entity.info", id=ids["Ada"], **moment).relations
        assert (shown.weight, shown.source) == (3.0, "person")
    (edge,) = [edge for edge in host.ask("entity.graph").edges if edge.kind == "stated"]
    assert edge.weight == 3.0
    host.ask("entity.unrelate", subject=ids["Ada"], predicate="knows", target=ids["Bo"])
    assert sources(host) == set()
    assert host.ask("entity.info", id=ids["Ada"]).relations == ()


def test_the_persons_statement_outlives_the_quarantine_of_who_stated_it_first(host: Host) -> None:
    do(host, SCOUT, "graph.create_relations", relations=[KNOWS])
    host.ask("graph.create_relations", relations=[KNOWS])
    host.ask("agent.quarantine", name="scout")
    assert (stated(host, OWNER), sources(host)) == ([("Ada", "knows", "Bo")], {"person"})
    host.ask("graph.create_relations", relations=[UNLISTED])  # Ada's other relations have changed: all come back
    assert host.ask("agent.release", name="scout").skipped == ()
    assert sources(host) == {"person", "scout"}


def test_a_statement_is_undone_alone(host: Host) -> None:
    changes = host.call("graph.create_relations", {"relations": [KNOWS]}).result(30).changes
    do(host, SCOUT, "graph.create_relations", relations=[KNOWS])
    assert changes is not None
    entry = next(one for one in host.ask("memory.history", limit=5) if one.actor == "scout")
    host.ask("memory.undo", history_ids=[entry.id])
    assert sources(host) == {"person"}
    host.ask("memory.undo", history_ids=list(changes.history_ids))
    assert sources(host) == set()


@pytest.mark.parametrize("other", [OWNER, RIVAL])
def test_names_that_only_anothers_relation_has_are_not_confirmed(host: Host, other: Caller) -> None:
    do(host, other, "graph.create_relations", relations=[UNLISTED], store="shared")
    assert do(host, SCOUT, "graph.delete_entities", names=["Zoe", "Yan"]) == 0
    assert stated(host, OWNER) == [("Zoe", "owes", "Yan")]
    for name in ("Cy", "Zoe"):  # in the order in which this caller stated them
        do(host, SCOUT, "graph.create_entities", entities=[{"name": name}], store="social")
    assert [entity.name for entity in do(host, SCOUT, "graph.read").entities] == ["Ada", "Bo", "Cy", "Zoe"]
    changes = host.call("graph.delete_entities", {"names": ["Zoe"]}, SCOUT).result(30).changes
    assert changes is not None
    assert changes.scopes == (("social",),)


@pytest.mark.parametrize("other", [OWNER, RIVAL])
def test_deleting_an_entity_takes_only_the_own_statements_about_it(host: Host, other: Caller) -> None:
    do(host, SCOUT, "graph.create_entities", entities=[{"name": "Cy"}], store="shared")
    for subject, target in (("Cy", "Bo"), ("Ada", "Cy")):
        relation = {"source": subject, "target": target, "type": "knows"}
        for caller in (SCOUT, other):
            do(host, caller, "graph.create_relations", relations=[relation])
    assert do(host, SCOUT, "graph.delete_entities", names=["Cy"]) == 1
    assert do(host, SCOUT, "graph.delete_entities", names=["Cy"]) == 0
    graph = do(host, SCOUT, "graph.read")
    assert ([entity.name for entity in graph.entities], graph.relations) == (["Ada", "Bo"], ())
    assert sorted(stated(host, OWNER)) == [("Ada", "knows", "Cy"), ("Cy", "knows", "Bo")]
    assert sources(host) == {other.name}
    assert do(host, SCOUT, "graph.create_entities", entities=[{"name": "Cy"}])[0].name == "Cy"
    assert host.ask("graph.delete_entities", names=["Cy"]) == 1
    assert (stated(host, OWNER), sources(host)) == ([], set())


def test_an_export_keeps_every_statement_and_the_graphs_file_has_it_once(host: Host, tmp_path: Path) -> None:
    for caller in (SCOUT, OWNER):
        do(host, caller, "graph.create_relations", relations=[KNOWS])
    whole, graph = tmp_path / "whole.jsonl", tmp_path / "memory.jsonl"
    host.ask("exchange.export", path=str(whole), format="jsonl")
    host.ask("exchange.export", path=str(graph), format="mcp-memory")
    lines = [json.loads(line) for line in graph.read_text().splitlines()]
    assert [line["relationType"] for line in lines if line["type"] == "relation"] == ["knows"]
    other = opened(tmp_path / "other")
    try:
        for _ in range(2):
            assert other.ask("exchange.import", path=str(whole)).problems == ()
            assert sources(other) == {"scout", "person"}
        assert stated(other, SCOUT) == stated(other, OWNER) == [("Ada", "knows", "Bo")]
    finally:
        other.stop()


def test_relations_of_a_vault_whose_key_had_no_source_stay(tmp_path: Path) -> None:
    folder = tmp_path / "older"
    prepare_folder(folder)
    create_file(folder / "memory.db")
    connection = open_writer(folder / "memory.db")
    connection.execute("BEGIN")
    for number, step in enumerate(sorted(migrations().glob("*.sql"))[:22], 1):
        connection.execute(step.read_text(encoding="utf-8"))
        connection.pragma("user_version", number)
    connection.pragma("application_id", APPLICATION_ID)
    for key in ("ent-a", "ent-b"):
        connection.execute(
            "INSERT INTO entities (id, canonical_name, name_key, type, touched, created_at, updated_at)"
            " VALUES (?1, ?1, ?1, 'person', 1, 1, 1)",
            (key,),
        )
    connection.execute("INSERT INTO relations VALUES ('ent-a', 'knows', 'ent-b', 2.5, 'scout', 7)")
    connection.execute("COMMIT")
    connection.close()
    host = opened(folder)
    try:
        (shown,) = host.ask("entity.info", id="ent-a").relations
        assert (shown.predicate, shown.object_id, shown.weight, shown.source) == ("knows", "ent-b", 2.5, "scout")
        assert host.ask("vault.check").ok
    finally:
        host.stop()
