"""What an agent that does not see every store learns of entities: what mentions in its stores say, and nothing else."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import OWNER, Caller
from app.api.registry import to_builtins
from app.errors import KeepsakeError, NotFoundError
from app.host import Host
from tests.helpers.trust.vaults import SetClock

SCOUT = Caller("scout", "inner")
FULL = Caller("helper", "full")
PRIVATE = "Met Tobias Vantreight in Tallinn. TOBIAS VANTREIGHT is my therapist. I work for Vortexa Inc."


def do(host: Host, caller: Caller, operation: str, **arguments: Any) -> Any:
    return to_builtins(host.call(operation, arguments, caller).result(30).value)


def started(vault: Path, clock: SetClock) -> Host:
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed"}, clock=clock)
    host.start()
    return host


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def host(vault: Path, clock: SetClock) -> Iterator[Host]:
    running = started(vault, clock)
    yield running
    running.stop()


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Host]:
    """A vault in which the person wrote nothing, at the hour when the agent writes."""
    clock = SetClock()
    clock.ms += 7_200_000
    folder = tmp_path / "bare"
    folder.mkdir(mode=0o700)
    running = started(folder, clock)
    yield running
    running.stop()


def settle(host: Host) -> None:
    host.ask("vault.settle", names=True)


def hide(host: Host, clock: SetClock) -> None:
    """Let the person write of people, and decide about them."""
    host.ask("note.save", content=PRIVATE, store="private")
    host.ask("note.save", title="Tobias Vantreight", content="Knows [[Martin Tarrowmont]].", store="private")
    host.ask("note.save", title="Martin Tarrowmont", content="Sings.", store="private")
    settle(host)
    clock.ms += 3_600_000
    ids = {row.name.casefold(): row.id for row in host.ask("entity.list")}
    host.ask("entity.rename", id=ids["tobias vantreight"], name="TOBIAS VANTREIGHT", summary="my therapist")
    host.ask("entity.merge", ids=[ids["tallinn"]], into=ids["tobias vantreight"])
    host.ask("entity.protect", id=ids["vortexa inc"])
    settle(host)
    clock.ms += 3_600_000


def guess(host: Host) -> None:
    """Let the agent write names that it guesses, and one that nobody wrote."""
    texts = (
        "Tobias Vantreight likes jazz from Tallinn. Martin Tarrowmont likes jazz.",
        "i saw tobias vantreight and martin tarrowmont at vortexa inc",
    )
    for text in texts:
        do(host, SCOUT, "memory.write", content=text)
    settle(host)
    stated = [{"name": name, "type": "person", "observations": ["likes jazz"]} for name in ("Zed Ito", "Vortexa Inc")]
    do(host, SCOUT, "graph.create_entities", entities=stated)
    settle(host)


def entity_answers(host: Host, as_of: datetime | None) -> dict[str, Any]:
    """Return all that the agent is told of entities."""
    moment = {} if as_of is None else {"as_of": as_of.isoformat()}
    ids = [row["id"] for row in do(host, SCOUT, "entity.list", **moment)]
    memories = {row["id"] for row in do(host, SCOUT, "memory.list")}
    of_each = [do(host, SCOUT, "entity.of", owner=memory) for memory in sorted(memories)]
    return {
        "list": do(host, SCOUT, "entity.list", order="name", **moment),
        "recent": do(host, SCOUT, "entity.list", order="recent"),
        "prefix": do(host, SCOUT, "entity.list", filter={"prefix": "tob", "types": ["person"]}),
        "info": [_plain(do(host, SCOUT, "entity.info", id=identity, **moment)) for identity in ids],
        "rows": do(host, SCOUT, "entity.rows", ids=ids),
        "graph": do(host, SCOUT, "entity.graph"),
        "around": [do(host, SCOUT, "entity.graph", id=identity, depth=2) for identity in ids],
        "people": do(host, SCOUT, "memory.people"),
        "named": do(host, SCOUT, "note.entities"),
        "kept": [len(do(host, SCOUT, "memory.list", filter={"entities": [identity]})) for identity in ids],
        "found": len(do(host, SCOUT, "memory.search", query='entity:"tobias vantreight"')["hits"]),
        "graph.read": do(host, SCOUT, "graph.read"),
        "of": sorted(repr({**one, "owner_id": ""}) for found in of_each for one in found),
    }


def _plain(info: dict[str, Any]) -> dict[str, Any]:
    return {**info, "facts": [{**fact, "id": ""} for fact in info["facts"]]}


@pytest.mark.parametrize("is_past", [False, True])
def test_a_guessed_name_tells_nothing_of_what_is_hidden(host: Host, bare: Host, clock: SetClock, is_past: bool) -> None:
    hide(host, clock)
    guess(host)
    guess(bare)
    as_of = datetime.fromtimestamp(clock.ms / 1000 + 1).astimezone() if is_past else None
    whole, nothing = entity_answers(host, as_of), entity_answers(bare, as_of)
    for name in whole:
        assert whole[name] == nothing[name], name
    names = {row["name"]: row["type"] for row in whole["list"]}
    assert names == {
        "Martin Tarrowmont": "person",
        "Tallinn": "location",
        "Tobias Vantreight": "person",
        "Vortexa Inc": "person",
        "Zed Ito": "person",
    }


def test_an_id_stays_the_same_when_a_name_comes_and_goes(host: Host, clock: SetClock) -> None:
    hide(host, clock)

    def write_and_look() -> str:
        written = do(host, SCOUT, "memory.write", content="Tobias Vantreight likes jazz.")
        settle(host)
        (row,) = do(host, SCOUT, "entity.list", filter={"text": "tobias"})
        do(host, SCOUT, "note.delete", id=written["memory"]["id"])
        settle(host)
        return str(row["id"])

    first = write_and_look()
    with pytest.raises(NotFoundError):  # gone for the agent, though it stands in a private note
        do(host, SCOUT, "entity.info", id=first)
    assert do(host, SCOUT, "entity.rows", ids=[first]) == []
    clock.ms += 60_000
    assert write_and_look() == first


def test_the_registrys_own_ids_mean_nothing_to_others(host: Host, clock: SetClock) -> None:
    hide(host, clock)
    guess(host)
    for row in host.ask("entity.list"):
        for operation in ("entity.info", "entity.graph"):
            with pytest.raises(KeepsakeError):
                do(host, SCOUT, operation, id=row.id)
        assert do(host, SCOUT, "entity.rows", ids=[row.id]) == []
        assert do(host, SCOUT, "memory.list", filter={"entities": [row.id]}) == []


@pytest.mark.parametrize("caller", [OWNER, FULL])
def test_who_sees_everything_sees_the_registry(host: Host, clock: SetClock, caller: Caller) -> None:
    hide(host, clock)
    guess(host)
    rows = {row["name"]: row["id"] for row in do(host, caller, "entity.list")}
    (seen,) = do(host, SCOUT, "entity.list", filter={"text": "tobias"})
    info = do(host, caller, "entity.info", id=rows["TOBIAS VANTREIGHT"])
    assert info["entity"]["summary"] == "my therapist"
    assert do(host, caller, "entity.info", id=seen["id"]) == info  # the id by which the agent spoke of it
    assert [row["name"] for row in do(host, caller, "entity.rows", ids=[seen["id"]])] == ["TOBIAS VANTREIGHT"]
