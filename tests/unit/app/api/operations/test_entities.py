"""Operations on entities of a running host."""

from typing import Any

import pytest

from app.api.caller import Caller
from app.errors import AccessDeniedError, NotFoundError
from app.host import Host
from tests.helpers.engine import engine_of

FAMILIAR = Caller("visitor", "familiar")
INNER = Caller("helper", "inner")


def read_all(host: Host) -> None:
    """Wait until the background has read everything for names."""
    host.submit(engine_of(host).entities.worker.wait_idle()).result(30)


def ask_as(host: Host, caller: Caller, operation: str, **arguments: Any) -> Any:
    return host.call(operation, arguments, caller).result(30).value


@pytest.fixture
def filled(host: Host) -> Host:
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "Bob met Alice Jones in Berlin."}])
    host.ask("note.save", content="Bob lives in Rome.", store="social")
    read_all(host)
    return host


def by_name(host: Host) -> dict[str, str]:
    return {row.name: row.id for row in host.ask("entity.list")}


def test_lists_profiles_and_graph(filled: Host) -> None:
    ids = by_name(filled)
    assert set(ids) == {"Bob", "Alice Jones", "Berlin", "Rome"}
    every = filled.ask("entity.ids", order="name")
    assert [row.id for row in filled.ask("entity.rows", ids=every)] == every
    info = filled.ask("entity.info", id=ids["Bob"])
    assert {person.name for person in info.people} == {"Alice Jones"}
    assert len(filled.ask("entity.graph", id=ids["Bob"], filter={"types": ["location"]}).nodes) == 3
    assert [mention.name for mention in filled.ask("entity.of", owner="s#1")] == ["Bob", "Alice Jones", "Berlin"]


def test_others_see_their_stores_and_decide_nothing(filled: Host) -> None:
    ids = by_name(filled)
    assert {row.name for row in ask_as(filled, FAMILIAR, "entity.list")} == {"Bob", "Rome"}
    assert ask_as(filled, INNER, "entity.of", owner="s#1") == []
    with pytest.raises(NotFoundError):
        ask_as(filled, INNER, "entity.info", id=ids["Berlin"])
    with pytest.raises(AccessDeniedError):
        ask_as(filled, INNER, "entity.merge", ids=[ids["Bob"]], into=ids["Rome"])
    with pytest.raises(AccessDeniedError):
        ask_as(filled, Caller("stranger", "public"), "entity.list")


def test_decisions_can_be_undone_and_search_follows_them(filled: Host) -> None:
    ids = by_name(filled)
    reply = filled.call("entity.merge", {"ids": [ids["Bob"]], "into": ids["Alice Jones"]}).result(30)
    assert reply.changes is not None
    assert reply.changes.areas == {"entities"}
    assert reply.changes.operation == "entity.merge"
    result = filled.ask("memory.search", query="entity:bob")
    assert len(result.hits) == 2
    filled.ask("memory.undo", history_ids=list(reply.changes.history_ids))
    assert by_name(filled) == ids
    split = filled.ask("entity.split", id=ids["Bob"], messages=["s#1"], name="Bob from Berlin")
    assert split.mentions == 1
    assert filled.ask("entity.rename", id=split.id, name="Bobby", type="other").type == "other"
    filled.ask("entity.relate", subject=split.id, predicate="knows", target=ids["Bob"])
    filled.ask("entity.unrelate", subject=split.id, predicate="knows", target=ids["Bob"])
    assert filled.ask("entity.protect", id=split.id).protected
    assert filled.ask("entity.place", positions=[[split.id, 1.0, 2.0]]) == 1


def test_private_names_and_protection_are_hidden_from_agents(host: Host) -> None:
    host.ask("note.save", id="open", content="Alice Jones came", store="shared")
    host.ask("note.save", id="diary", content="Bob Miller came")
    host.ask("vault.settle", names=True)
    ids = by_name(host)
    host.ask("entity.merge", ids=[ids["Bob Miller"]], into=ids["Alice Jones"])
    host.ask("entity.protect", id=ids["Alice Jones"])
    host.ask("vault.settle", names=True)
    assert {hit.id for hit in host.ask("memory.search", query='entity:"Bob Miller"').hits} == {"open", "diary"}
    for query in ('entity:"Bob Miller"', 'came -entity:"Bob Miller"'):
        hits = ask_as(host, INNER, "memory.search", query=query).hits
        assert {hit.id for hit in hits} == ({"open"} if "-" in query else set())
    assert {hit.id for hit in ask_as(host, INNER, "memory.search", query='entity:"Alice Jones"').hits} == {"open"}
    rows = ask_as(host, INNER, "entity.list")
    assert [(row.name, row.protected) for row in rows] == [("Alice Jones", False)]
    assert ask_as(host, INNER, "entity.list", filter={"protected": True}) == []
    assert ask_as(host, INNER, "entity.list", filter={"protected": False}) == rows
    assert [row.id for row in host.ask("entity.list", filter={"protected": True})] == [ids["Alice Jones"]]
