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
from tests.helpers.access import EVERYTHING
from tests.unit.app.vault_harness import VaultHarness

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
def past(vault_harness: VaultHarness) -> Callable[..., Found]:
    """Return a search of the vault as of a moment in milliseconds, which runs to its end."""
    service = SearchService(
        vault_harness.store, vault_harness.syncing(), Trace(None), vault_harness.clock, vectors=False
    )

    def search(text: str, at_ms: int | None, **more: Any) -> Found:
        as_of = None if at_ms is None else to_datetime(at_ms)
        access = EVERYTHING.within(more.pop("stores", STORES))
        options = {"limit": 100, "recipe": "words"} | more
        return vault_harness.do(service.search(access, text, as_of=as_of, **options))

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
    vault_harness: VaultHarness, past: Callable[..., Found], steps: list[tuple[str, int, str]]
) -> None:
    clear(vault_harness)
    notes: list[str] = []
    answers: dict[int, list[tuple[Found, list[tuple[Any, ...]]]]] = {}
    for number, (action, place, text) in enumerate(steps):
        vault_harness.clock.ms += 400_000
        try:
            act(vault_harness, notes, action, place, f"{text} {number}")
        except InputError:  # refused: not found, forgotten, not deleted
            continue
        vault_harness.sync()
        answers[vault_harness.clock.ms] = [past(query, None) for query in QUERIES]
    for moment, found in answers.items():
        for query, then in zip(QUERIES, found, strict=True):
            now = past(query, moment)
            assert shown(now) == shown(then), (query, moment)
            assert sorted(now.facets, key=repr) == sorted(then.facets, key=repr)
            assert now.candidates == then.candidates


def clear(vault_harness: VaultHarness) -> None:
    vault_harness.clock.ms += 400_000
    for row in vault_harness.rows("SELECT id FROM memories WHERE valid_until IS NULL"):
        vault_harness.do(vault_harness.memories.delete(EVERYTHING, row[0]))
    for row in vault_harness.rows("SELECT id FROM sessions WHERE forgotten_at IS NULL"):
        vault_harness.forget(row[0])


def act(vault_harness: VaultHarness, notes: list[str], action: str, place: int, text: str) -> None:
    stamp = vault_harness.clock.ms // 400_000_000
    session, note = f"s{place}-{stamp}", notes[place % len(notes)] if notes else "note-none"
    if action == "say":
        vault_harness.say(text, session=session)
    elif action == "save":
        kind, store = ("fact", "shared") if place == 1 else ("note", "private")
        notes.append(vault_harness.save(text, title=f"T {text[:3]}", kind=kind, store=store).id)
    elif action == "write":
        version = vault_harness.rows("SELECT version FROM memories WHERE id = ?", note)
        vault_harness.do(
            vault_harness.memories.update(
                EVERYTHING, note, version[0][0] if version else 1, content=text, title=text[-9:]
            )
        )
    elif action == "forget":
        vault_harness.forget(session)
    elif action == "rename":
        vault_harness.do(vault_harness.sessions.rename(session, text, "person"))
    elif action == "undo":
        vault_harness.undo(vault_harness.rows("SELECT max(id) FROM memory_history")[0][0] or 1)
    else:
        vault_harness.do(getattr(vault_harness.memories, action)(EVERYTHING, note))


def test_what_came_from_the_history_says_so(vault_harness: VaultHarness, past: Callable[..., Found]) -> None:
    kept, edited = vault_harness.save("heron kept"), vault_harness.save("heron heron then", tags=("old",))
    vault_harness.say("heron said")
    moment = vault_harness.clock.ms
    vault_harness.clock.ms += 400_000
    vault_harness.do(vault_harness.memories.update(EVERYTHING, edited.id, 1, content="now", tags=["new"]))
    vault_harness.forget("s")
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


def test_words_in_a_title_alone_are_listed(vault_harness: VaultHarness, past: Callable[..., Found]) -> None:
    note = vault_harness.save("nests in the elm", title="Herons")
    fact = vault_harness.save("43", kind="fact", category="person", key="heron_size")
    moment = vault_harness.clock.ms
    vault_harness.clock.ms += 400_000
    for memory in (note, fact):
        vault_harness.do(vault_harness.memories.update(EVERYTHING, memory.id, 1, content="now", title="Now"))
    found = {hit.id: hit for hit in past("heron elm", moment).hits}
    assert found[note.id].why.terms == ("elm", "Herons")
    assert found[note.id].snippet == "nests in the elm"
    assert found[fact.id].why.terms == ("heron",)
    assert found[fact.id].highlights == ()


def test_pages_and_one_from_each_conversation(vault_harness: VaultHarness, past: Callable[..., Found]) -> None:
    vault_harness.say("heron", "heron heron", "heron again")
    note = vault_harness.save("heron")
    moment = vault_harness.clock.ms
    vault_harness.clock.ms += 400_000
    vault_harness.forget("s")
    every = past("heron", moment)
    assert len(every.hits) == 4
    assert ids(past("heron", moment, limit=2, offset=1)) == ids(every)[1:3]
    spread = past("heron", moment, per_session=1)
    assert len(spread.hits) == 2
    assert note.id in ids(spread)


def test_others_find_only_what_was_and_is_theirs(vault_harness: VaultHarness, past: Callable[..., Found]) -> None:
    shared, opened = vault_harness.save("heron shared", store="shared"), vault_harness.save("heron private")
    vault_harness.say("heron said")
    moment = vault_harness.clock.ms
    vault_harness.clock.ms += 400_000
    vault_harness.do(vault_harness.memories.update(EVERYTHING, opened.id, 1, store="shared"))
    vault_harness.do(vault_harness.memories.delete(EVERYTHING, shared.id))
    vault_harness.forget("s")
    found = past("heron", moment, stores=("shared",))
    assert (ids(found), found.candidates) == ([shared.id], 1)
    assert len(past("heron", moment, stores=STORES).hits) == 3


def test_so_much_that_not_all_is_looked_through_is_said(
    vault_harness: VaultHarness, past: Callable[..., Found], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault_harness.say("heron", "heron two")
    moment = vault_harness.clock.ms
    vault_harness.clock.ms += 1
    vault_harness.forget("s")
    monkeypatch.setattr("app.retrieval.historical_search.MAX_MESSAGES", 1)
    assert any("not all of it" in note for note in past("heron", moment).notes)
