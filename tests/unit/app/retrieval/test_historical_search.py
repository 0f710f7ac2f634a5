"""Search as of a moment: what stood then is found, and nothing newer ever shows."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.clock import to_datetime
from app.core.stores import STORES
from app.errors import InputError
from app.retrieval.historical_search import FROM_HISTORY
from app.retrieval.model import Found
from app.retrieval.service import SearchService
from app.trace.trace import Trace
from tests.unit.app.shelf import Shelf

QUERIES = (
    "heron",
    "kingfisher -heron",
    '"heron and"',
    "her*",
    "tag:bird",
    "kind:fact",
    "-kingfisher",
    "花园",
    "store:shared",
)


@pytest.fixture
def past(shelf: Shelf) -> Callable[..., Found]:
    """Return what searches the shelf as of a moment in milliseconds, without waiting for it."""
    service = SearchService(shelf.store, shelf.syncing(), Trace(None), shelf.clock, vectors=False)

    def search(text: str, at_ms: int | None, **more: Any) -> Found:
        as_of = None if at_ms is None else to_datetime(at_ms)
        options = {"limit": 100, "recipe": "words"} | more
        return shelf.do(service.search(text, as_of=as_of, **options))

    return search


def shown(found: Found) -> set[tuple[str, str, str]]:
    return {(hit.id, hit.title, hit.snippet) for hit in found.hits}


def ids(found: Found) -> list[str]:
    return [hit.id for hit in found.hits]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["say", "save", "save", "write", "delete", "restore", "forget", "rename", "undo"]),
        st.integers(0, 2),
        st.sampled_from(["heron", "heron and kingfisher", "#bird kingfisher", "花园里的 heron", "nothing"]),
    ),
    max_size=9,
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=STEPS)
def test_it_finds_what_the_search_of_then_found(
    shelf: Shelf, past: Callable[..., Found], steps: list[tuple[str, int, str]]
) -> None:
    clear(shelf)
    notes: list[str] = []
    answers: dict[int, list[tuple[Found, list[tuple[Any, ...]]]]] = {}
    for number, (action, place, text) in enumerate(steps):
        shelf.clock.ms += 400_000
        try:
            act(shelf, notes, action, place, f"{text} {number}")
        except InputError:  # refused: not found, forgotten, not deleted
            continue
        shelf.sync()
        answers[shelf.clock.ms] = [past(query, None) for query in QUERIES]
    for moment, found in answers.items():
        for query, then in zip(QUERIES, found, strict=True):
            now = past(query, moment)
            assert shown(now) == shown(then), (query, moment)
            assert sorted(now.facets, key=repr) == sorted(then.facets, key=repr)
            assert now.candidates == then.candidates


def clear(shelf: Shelf) -> None:
    shelf.clock.ms += 400_000
    for row in shelf.rows("SELECT id FROM memories WHERE valid_until IS NULL"):
        shelf.do(shelf.memories.delete(row[0]))
    for row in shelf.rows("SELECT id FROM sessions WHERE forgotten_at IS NULL"):
        shelf.forget(row[0])


def act(shelf: Shelf, notes: list[str], action: str, place: int, text: str) -> None:
    stamp = shelf.clock.ms // 400_000_000
    session, note = f"s{place}-{stamp}", notes[place % len(notes)] if notes else "note-none"
    if action == "say":
        shelf.say(text, session=session)
    elif action == "save":
        kind, store = ("fact", "shared") if place == 1 else ("note", "private")
        notes.append(shelf.save(text, title=f"T {text[:3]}", kind=kind, store=store).id)
    elif action == "write":
        version = shelf.rows("SELECT version FROM memories WHERE id = ?", note)
        shelf.do(shelf.memories.update(note, version[0][0] if version else 1, content=text, title=text[-9:]))
    elif action == "forget":
        shelf.forget(session)
    elif action == "rename":
        shelf.do(shelf.sessions.rename(session, text, "person"))
    elif action == "undo":
        shelf.undo(shelf.rows("SELECT max(id) FROM memory_history")[0][0] or 1)
    else:
        shelf.do(getattr(shelf.memories, action)(note))


def test_what_came_from_the_history_says_so(shelf: Shelf, past: Callable[..., Found]) -> None:
    kept, edited = shelf.save("heron kept"), shelf.save("heron heron then", tags=("old",))
    shelf.say("heron said")
    moment = shelf.clock.ms
    shelf.clock.ms += 400_000
    shelf.do(shelf.memories.update(edited.id, 1, content="now", tags=["new"]))
    shelf.forget("s")
    found = past("heron", moment)
    from_history = {hit.id for hit in found.hits if FROM_HISTORY in hit.why.features}
    assert from_history == {edited.id, "s#1"}
    assert set(ids(found)) == {kept.id, edited.id, "s#1"}
    assert ids(found)[0] == edited.id  # has the word twice: all were scored alike
    assert found.hits[0].why.terms == ("heron",)
    assert found.hits[0].why.legs[0].rank == 1
    assert [facet.value for facet in found.facets if facet.name == "tag"] == ["old"]
    assert past("now", moment).hits == ()
    assert past("tag:new", moment).hits == ()


def test_words_in_a_title_alone_are_listed(shelf: Shelf, past: Callable[..., Found]) -> None:
    note = shelf.save("nests in the elm", title="Herons")
    fact = shelf.save("43", kind="fact", category="person", key="heron_size")
    moment = shelf.clock.ms
    shelf.clock.ms += 400_000
    for memory in (note, fact):
        shelf.do(shelf.memories.update(memory.id, 1, content="now", title="Now"))
    found = {hit.id: hit for hit in past("heron elm", moment).hits}
    assert found[note.id].why.terms == ("elm", "Herons")
    assert found[note.id].snippet == "nests in the elm"
    assert found[fact.id].why.terms == ("heron",)
    assert found[fact.id].highlights == ()


def test_pages_and_one_from_each_conversation(shelf: Shelf, past: Callable[..., Found]) -> None:
    shelf.say("heron", "heron heron", "heron again")
    note = shelf.save("heron")
    moment = shelf.clock.ms
    shelf.clock.ms += 400_000
    shelf.forget("s")
    every = past("heron", moment)
    assert len(every.hits) == 4
    assert ids(past("heron", moment, limit=2, offset=1)) == ids(every)[1:3]
    spread = past("heron", moment, per_session=1)
    assert len(spread.hits) == 2
    assert note.id in ids(spread)


def test_others_find_only_what_was_and_is_theirs(shelf: Shelf, past: Callable[..., Found]) -> None:
    shared, opened = shelf.save("heron shared", store="shared"), shelf.save("heron private")
    shelf.say("heron said")
    moment = shelf.clock.ms
    shelf.clock.ms += 400_000
    shelf.do(shelf.memories.update(opened.id, 1, store="shared"))
    shelf.do(shelf.memories.delete(shared.id))
    shelf.forget("s")
    found = past("heron", moment, stores=("shared",))
    assert (ids(found), found.candidates) == ([shared.id], 1)
    assert len(past("heron", moment, stores=STORES).hits) == 3


def test_so_much_that_not_all_is_looked_through_is_said(
    shelf: Shelf, past: Callable[..., Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.say("heron", "heron two")
    moment = shelf.clock.ms
    shelf.clock.ms += 1
    shelf.forget("s")
    monkeypatch.setattr("app.retrieval.historical_search.MAX_MESSAGES", 1)
    assert any("not all of it" in note for note in past("heron", moment).notes)
