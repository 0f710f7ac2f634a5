"""Visibility by trust: full, inner, familiar and public."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from app.api.caller import READABLE, Caller, Trust
from app.api.catalogue import declared
from app.api.registry import to_builtins
from app.core.stores import STORES
from app.errors import AccessDeniedError, InputError, NotFoundError
from app.host import Host

LEVELS: list[Trust] = ["full", "inner", "familiar", "public"]
OPERATIONS = {item.name: item for item in declared()}


def fill(host: Host) -> dict[str, str]:
    """Store linked notes of each store and a conversation; return the notes' ids."""
    host.ask("session.append", session="talk", messages=[{"role": "user", "content": "heron in message"}])
    ids = {}
    for store in STORES:
        links = " ".join(f"[[Of {other}]]" for other in STORES)
        note = host.ask(
            "note.save", content=f"heron in {store} {links}", title=f"Of {store}", store=store, tags=[store]
        )
        ids[store] = note.id
    host.ask("vault.settle")
    return ids


def arguments(name: str, note: str) -> dict[str, Any]:
    given: dict[str, Any] = {
        "session": "talk",
        "id": note,
        "ids": [note],
        "query": "heron",
        "title": "Of private",
        "text": "heron",
    }
    given |= {"when": "2000-01-01T00:00Z", "seq": 9}
    by_type: dict[str, Any] = {"str": note, "int": 1, "list[str]": [note], "list[int]": [1]}
    requested = [item for item in OPERATIONS[name].parameters if item.required]
    return {item.name: given.get(item.name, by_type.get(item.type, {})) for item in requested}


READS = sorted(name for name, item in OPERATIONS.items() if item.access == "read" and not name.startswith("exchange."))


@pytest.mark.parametrize("trust", LEVELS)
def test_no_read_shows_what_is_not_for_the_caller(host: Host, trust: Trust) -> None:
    ids, caller = fill(host), Caller("agent", trust)
    hidden = set(STORES) - set(READABLE[trust])
    for name in READS:
        for note in ids.values():
            try:
                value = host.call(name, arguments(name, note), caller).result().value
            except InputError:
                continue
            shown = msgspec.json.encode(to_builtins(value)).decode()
            for store in hidden:
                assert f"heron in {store}" not in shown, name
                if name not in ("note.resolve", "memory.parse"):
                    assert ids[store] not in shown, name
            if trust != "full":
                assert "heron in message" not in shown, name


@pytest.mark.parametrize("trust", LEVELS)
def test_search_finds_what_the_caller_may_read(host: Host, trust: Trust) -> None:
    fill(host)
    caller = Caller("agent", trust)
    if trust == "public":
        with pytest.raises(AccessDeniedError):
            host.call("memory.search", {"query": "heron"}, caller).result()
        return
    for recipe in ("words", "vector", "balanced"):
        found = host.call("memory.search", {"query": "heron", "recipe": recipe}, caller).result().value
        assert {hit.store for hit in found.hits if hit.target == "memory"} == set(READABLE[trust])
        assert any(hit.target == "message" for hit in found.hits) == (trust == "full")
        assert {facet.value for facet in found.facets if facet.name == "tag"} <= set(READABLE[trust])
    requested = {"query": "store:private"}
    assert bool(host.call("memory.search", requested, caller).result().value.hits) == (trust == "full")


@pytest.mark.parametrize("trust", LEVELS)
def test_no_change_reaches_what_the_caller_does_not_see(host: Host, trust: Trust) -> None:
    ids, caller = fill(host), Caller("agent", trust)
    for store in set(STORES) - set(READABLE[trust]):
        for name, more in (
            ("note.update", {"version": 1, "content": "mine"}),
            ("note.delete", {}),
            ("note.restore", {}),
            ("note.pin", {}),
        ):
            with pytest.raises((AccessDeniedError, NotFoundError)):
                host.call(name, {"id": ids[store]} | more, caller).result()
    for name in ("note.delete_many", "note.tag_many"):
        try:
            changed = host.call(name, {"ids": list(ids.values())}, replace(caller, has_confirmed=True)).result().value
        except AccessDeniedError:
            continue
        assert set(changed) <= {ids[store] for store in READABLE[trust]}
    for store in set(STORES) - set(READABLE[trust]):
        assert host.ask("note.get", id=ids[store]).version == 1


def test_conversations_history_and_settings_are_for_full_trust_alone() -> None:
    for name, item in OPERATIONS.items():
        if item.access == "read" and name.startswith(("vault.", "settings.", "exchange.", "job.")):
            assert item.trust == "full", name
    for name in ("list", "ids", "rows", "agents", "pending", "digest.list", "rename", "forget"):
        assert OPERATIONS[f"session.{name}"].trust == "full", name
    assert OPERATIONS["memory.history"].trust == OPERATIONS["memory.undo"].trust == "full"


@pytest.mark.parametrize("needed", LEVELS)
def test_levels_are_ordered(needed: Trust) -> None:
    assert [Caller("x", trust).reaches(needed) for trust in LEVELS] == [
        LEVELS.index(trust) <= LEVELS.index(needed) for trust in LEVELS
    ]
