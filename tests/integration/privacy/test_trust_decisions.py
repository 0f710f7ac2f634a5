"""What the person decides across stores tells nothing of the hidden side of it."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from app.api.caller import Caller
from app.api.catalogue import declared
from app.api.registry import to_builtins
from app.errors import KeepsakeError
from app.host import Host

READER = Caller("reader", "inner")
READS = [item for item in declared() if item.access == "read" and not item.owner_only]


def said_to(host: Host, caller: Caller, ids: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what every read operation answers, asked for each id and without any."""
    for operation in READS:
        required = [item for item in operation.parameters if item.required]
        for identity in ids:
            given: dict[str, Any] = {"list[str]": [identity], "int": 1, "datetime": "2030-01-01T00:00Z"}
            arguments = {item.name: given.get(item.type, identity) for item in required}
            try:
                answer = to_builtins(host.call(operation.name, arguments, caller).result().value)
            except KeepsakeError as error:
                answer = error.as_dict()
            yield f"{operation.name} {arguments}", msgspec.json.encode(answer).decode().lower()


def test_decisions_of_the_person_name_nothing_hidden(host: Host) -> None:
    ask = host.ask
    shared = ask("note.save", content="Alice Jones was in Rome.", store="shared").id
    ask("note.save", content="Olga Hiddenmarker was in Rome. [[Hiddenmarker]]")
    old = ask("fact.set", category="c", key="k", value="Alice Jones likes tea.", store="shared").fact.id
    ask("vault.settle", names=True)
    entities = {row.name: row.id for row in ask("entity.list", limit=100)}
    alice, rome, hidden = entities["Alice Jones"], entities["Rome"], entities["Olga Hiddenmarker"]
    ask("entity.rename", id=alice, summary="hiddenmarker says the summary")
    ask("entity.relate", subject=alice, predicate="hiddenmarker of", target=rome)
    ask("entity.merge", ids=[hidden], into=alice)
    new = ask("fact.set", category="c", key="k", value="Alice Jones likes hiddenmarker.", store="private").fact.id
    wrong = ask("fact.remember", content="The shared one says so.", store="shared").memory.id
    right = ask("fact.remember", content="The hiddenmarker says so.", store="private").memory.id
    ask("fact.resolve", new_id=right, old_id=wrong)
    ask("vault.settle", names=True)
    trusted = "".join(said for _, said in said_to(host, Caller("friend", "full"), [alice, wrong, old]))
    assert trusted.count("hiddenmarker") > 3  # there is something to tell
    for called, said in said_to(host, READER, [shared, old, wrong, alice, rome, "Alice", "heron"]):
        assert "hiddenmarker" not in said, called
        assert new not in said, called
        assert right not in said, called


@pytest.mark.parametrize("name", ["Olga Hiddenmarker", "hiddenmarker"])
def test_a_name_known_from_a_hidden_text_finds_nothing(host: Host, name: str) -> None:
    ask = host.ask
    ask("note.save", content="Alice Jones was in Rome.", store="shared")
    ask("note.save", content="Olga Hiddenmarker was in Rome.")
    ask("vault.settle", names=True)
    entities = {row.name: row.id for row in ask("entity.list", limit=100)}
    ask("entity.merge", ids=[entities["Olga Hiddenmarker"]], into=entities["Alice Jones"])
    ask("vault.settle", names=True)
    for arguments in ({"query": f'entity:"{name}"'}, {"query": name}, {"query": f'entity:"{name}"', "recipe": "rrf"}):
        found = host.call("memory.search", arguments, READER).result().value
        nothing = host.call("memory.search", json.loads(json.dumps(arguments).replace(name, "Zxq Vwy")), READER)
        assert {hit.id for hit in found.hits} == {hit.id for hit in nothing.result().value.hits}, arguments
    assert host.call("memory.people", {"text": "hiddenmarker"}, READER).result().value == []
    assert host.call("entity.list", {"filter": {"text": "hiddenmarker"}}, READER).result().value == []
