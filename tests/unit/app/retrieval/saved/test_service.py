"""Saved searches, through their operations."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.changes import ChangeSet
from app.errors import InputError, NotFoundError
from app.host import Host
from app.retrieval.saved.service import MAX_QUERY, MAX_SAVED


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def names(host: Host) -> list[str]:
    return [one.name for one in host.ask("saved_search.list")]


@pytest.mark.parametrize("query", ["", "  \n ", "x" * (MAX_QUERY + 1)])
def test_what_cannot_be_searched_is_not_saved(host: Host, query: str) -> None:
    with pytest.raises(InputError):
        host.ask("saved_search.save", query=query)
    assert names(host) == []


@pytest.mark.parametrize(("operation", "more"), [("rename", {"name": "x"}), ("delete", {})])
def test_what_is_not_saved_cannot_be_changed(host: Host, operation: str, more: dict[str, str]) -> None:
    with pytest.raises(NotFoundError):
        host.ask(f"saved_search.{operation}", id="srch-gone", **more)


def test_a_search_is_saved_once_and_keeps_its_name(host: Host) -> None:
    first = host.ask("saved_search.save", query="lake  tag:trip\n", name="Lakes")
    assert (first.query, first.name) == ("lake tag:trip", "Lakes")
    assert host.ask("saved_search.save", query="lake tag:trip") == first
    assert host.ask("saved_search.save", query="lake tag:trip", name="Seas").name == "Seas"
    assert names(host) == ["Seas"]


def test_without_a_name_it_is_called_by_its_words(host: Host) -> None:
    saved = host.ask("saved_search.save", query="red kites")
    assert saved.name == "red kites"
    assert host.ask("saved_search.rename", id=saved.id, name="Birds\n").name == "Birds"
    assert host.ask("saved_search.rename", id=saved.id, name=" ").name == "red kites"


def test_they_are_ordered_and_deleted(host: Host) -> None:
    ids = [host.ask("saved_search.save", query=query).id for query in ("one", "two", "three", "four")]
    host.ask("saved_search.order", ids=[ids[2], "srch-gone", ids[0], ids[2]])
    assert names(host) == ["three", "one", "two", "four"]
    assert host.ask("saved_search.delete", id=ids[0]).query == "one"
    assert names(host) == ["three", "two", "four"]


def test_they_survive_a_restart(vault: Path) -> None:
    for expected in ([], ["lake"]):
        running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
        running.start()
        assert names(running) == expected
        running.ask("saved_search.save", query="lake")
        running.stop()


def test_there_is_a_limit(host: Host) -> None:
    for number in range(MAX_SAVED):
        host.ask("saved_search.save", query=f"word{number}")
    with pytest.raises(InputError):
        host.ask("saved_search.save", query="one more")
    assert host.ask("saved_search.save", query="word7", name="Seven").name == "Seven"


def test_the_window_hears_of_it(host: Host) -> None:
    events: list[object] = []
    stop = host.subscribe(events.append)
    saved = host.ask("saved_search.save", query="lake")
    stop()
    assert [(event.areas, event.ids) for event in events if isinstance(event, ChangeSet)] == [
        (frozenset({"saved_searches"}), (saved.id,))
    ]
