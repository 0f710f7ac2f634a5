"""Session features: the latest sessions are candidates, but only those the caller may see."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from app.core.stores import STORES
from app.host import Host
from app.index.columns.index_cache import IndexCache
from app.retrieval.candidates.filter_mask import with_mask
from app.retrieval.candidates.filters import ChunkFilter, build_filter
from app.retrieval.candidates.lexical import find_matches
from app.retrieval.candidates.scored_chunks import MessagePlaces
from app.retrieval.query.match_expression import Atom
from app.retrieval.query.parser import parse
from app.retrieval.ranking.candidate_pool import with_owner_ids
from app.retrieval.ranking.session_features import SessionScores, add_session_openings, latest_sessions
from app.retrieval.snapshot import take_snapshot
from app.store.connection import open_reader

BEGUN = datetime(2024, 3, 1, tzinfo=UTC)
TALKS = {
    "garden": ("user", "rye and more rye"),
    "kitchen": ("assistant", "rye bread"),
    "sea": ("user", "sails"),
}


@pytest.fixture
def talked(host: Host) -> Iterator[apsw.Connection]:
    for day, (session, (role, content)) in enumerate(TALKS.items()):
        at = (BEGUN + timedelta(days=day)).isoformat()
        messages = [{"role": role, "content": content, "created_at": at}] * 2
        host.ask("session.append", session=session, messages=messages)
    host.ask("note.save", content="rye", title="Rye")
    host.ask("vault.settle")
    with closing(open_reader(host.vault / "memory.db")) as connection:
        yield connection


def where(text: str = "", stores: Any = STORES) -> tuple[ChunkFilter, int | None]:
    query = parse(text, round(BEGUN.timestamp() * 1000))
    return build_filter(query, stores), query.until


def weighed(connection: apsw.Connection, index_cache: IndexCache | None = None) -> SessionScores:
    snapshot = take_snapshot(connection, index_cache or IndexCache())
    return SessionScores(snapshot, find_matches(snapshot, [Atom('"rye"', ("rye",))]))


def said(weighed: SessionScores, *names: str) -> dict[str, dict[str, float]]:
    numbers = {name: weighed.columns.numbers.get(name, 0) for name in names}
    found = weighed.said(np.array([*numbers.values()], dtype=np.int64))
    columns = {"words": found.words, "user_words": found.user_words, "length": found.length, "most": found.coverage}
    return {name: {key: float(column[row]) for key, column in columns.items()} for row, name in enumerate(numbers)}


def places(weighed: SessionScores, *wanted: tuple[str, int]) -> MessagePlaces:
    numbers = [weighed.columns.numbers[name] for name, _ in wanted]
    return MessagePlaces(np.array(numbers, dtype=np.int64), np.array([seq for _, seq in wanted], dtype=np.int64))


def in_let(connection: apsw.Connection, newest: dict[str, int], allowed: ChunkFilter, *wanted: tuple[str, int]) -> Any:
    rye = weighed(connection)
    return with_owner_ids(rye.columns, add_session_openings(places(rye, *wanted), newest, rye, allowed))


def latest_of(connection: apsw.Connection, text: str = "", stores: Any = STORES) -> dict[str, int]:
    """Return the same with and without cached columns."""
    allowed, until = where(text, stores)
    snapshot = take_snapshot(connection, IndexCache())
    known = with_mask(snapshot, allowed) if allowed.is_restrictive else allowed
    found = latest_sessions(snapshot, known, until)
    assert found == latest_sessions(snapshot, replace(known, is_exact=False), until)
    assert found == latest_sessions(snapshot, replace(allowed, is_by_type=False), until)
    return found


def test_the_latest_come_first(talked: apsw.Connection) -> None:
    assert latest_of(talked) == {"sea": 1, "kitchen": 2, "garden": 3}
    assert latest_of(talked, "role:user") == {"sea": 1, "garden": 2}
    assert latest_of(talked, "before:2024-03-02") == {"garden": 1}
    assert latest_of(talked, stores=["shared"]) == {}


def test_a_conversation_without_turns_is_not_among_the_latest(talked: apsw.Connection) -> None:
    allowed, until = where()
    snapshot = take_snapshot(talked, IndexCache())
    columns = snapshot.columns
    numbers = {name: number for name, number in columns.numbers.items() if name != "sea"}
    fewer = replace(snapshot, columns=replace(columns, numbers=numbers))
    assert columns.words[0] > 0  # of what is no turn
    assert latest_sessions(fewer, allowed, until) == {"kitchen": 1, "garden": 2}
    columns.words[columns.numbers["kitchen"]] = 0
    assert latest_sessions(fewer, allowed, until) == {"garden": 1}


def test_what_is_let_in_is_the_first_turn_that_is_there(talked: apsw.Connection) -> None:
    allowed, _ = where()
    assert in_let(talked, {"sea": 1}, allowed, ("garden", 1))[:2] == [("garden", 1), ("sea", 1)]
    rye = weighed(talked)
    first = rye.columns.numbers["sea"]
    rye.columns.exists[np.flatnonzero(rye.columns.owner == first)[0]] = False
    assert with_owner_ids(rye.columns, rye.openings([first], allowed)) == [("sea", 2)]
    assert not len(rye.openings([], allowed))


def test_the_latest_of_those_that_operators_allow(talked: apsw.Connection) -> None:
    assert latest_of(talked, "kind:message -session:sea") == {"kitchen": 1, "garden": 2}
    assert latest_of(talked, "session:kitchen") == {"kitchen": 1}
    assert latest_of(talked, "kind:note") == latest_of(talked, "store:social") == latest_of(talked, "agent:none") == {}
    assert latest_of(talked, "tag:garden") == {}


def test_conversations_say_what_their_turns_say(talked: apsw.Connection) -> None:
    found = said(weighed(talked), "garden", "kitchen", "sea", "unknown")
    assert found["garden"]["words"] > 0 < found["kitchen"]["words"]
    assert found["garden"]["user_words"] > 0 == found["kitchen"]["user_words"]
    assert found["sea"]["words"] == found["sea"]["most"] == 0 < found["sea"]["length"]
    assert set(found["unknown"].values()) == {0.0}


def test_a_memory_says_nothing_as_a_conversation(talked: apsw.Connection) -> None:
    rye = weighed(talked)
    assert rye.columns.memories[1:]
    assert set(said(rye, *rye.columns.memories[1:])[rye.columns.memories[1]].values()) == {0.0}


def test_those_of_a_time_have_not_ended_before(talked: apsw.Connection) -> None:
    allowed, _ = where()
    times = [round((BEGUN + timedelta(days=days)).timestamp() * 1000) for days in (0.5, 1.5)]
    snapshot = take_snapshot(talked, IndexCache())
    assert latest_sessions(snapshot, allowed, times[1], since=times[0]) == {"kitchen": 1}


def say(host: Host, session: str, content: str, at: str) -> None:
    host.ask("session.append", session=session, messages=[{"role": "user", "content": content, "created_at": at}])


def test_a_time_that_is_named_brings_its_conversations(vault: Path) -> None:
    host = Host(vault, overrides={"index.vectors": False}, serve=False)
    host.start()
    try:
        _check_times(host)
    finally:
        host.stop()


def _check_times(host: Host) -> None:
    now = datetime.now(UTC)
    for days in range(80):
        say(host, f"day-{days}", "figs", (now - timedelta(days=days)).isoformat())
    say(host, "oak", "the plan of the oak table", BEGUN.isoformat())
    host.ask("vault.settle")

    def query_text(text: str) -> set[str]:
        result = host.ask("memory.search", query=text, limit=50)
        assert result.recipe == "learned"
        return {str(hit.session_id) for hit in result.hits}

    assert not {"day-30", "day-50"} & query_text("What was the plan?")
    assert {"day-30", "day-50"} & query_text("What was the plan 30 days ago?") == {"day-30"}


def test_a_turn_of_each_is_let_in_as_far_as_it_is_allowed(talked: apsw.Connection) -> None:
    allowed, until = where()
    newest = latest_sessions(take_snapshot(talked, IndexCache()), allowed, until)
    assert in_let(talked, newest, allowed, ("garden", 2))[0] == ("garden", 2)
    assert set(in_let(talked, newest, allowed, ("garden", 2))) == {("garden", 2), ("kitchen", 1), ("sea", 1)}
    assert in_let(talked, {}, allowed, ("sea", 2))[1:] == [("garden", 1), ("kitchen", 1)]
    assert in_let(talked, newest, allowed) == []
    hidden, _ = where(stores=["shared"])
    assert in_let(talked, newest, hidden, ("sea", 1)) == [("sea", 1)]


def test_later_turns_are_known(host: Host, talked: apsw.Connection) -> None:
    index_cache = IndexCache()
    before = said(weighed(talked, index_cache), "sea", "moon")
    host.ask("session.append", session="moon", messages=[{"role": "user", "content": "rye"}])
    host.ask("session.append", session="sea", messages=[{"role": "user", "content": "rye"}])
    host.ask("vault.settle")
    after = said(weighed(talked, index_cache), "sea", "moon")
    assert before["moon"]["length"] == 0
    assert before["sea"]["words"] == 0 < after["sea"]["words"]
    assert after["moon"]["user_words"] > 0


def test_an_empty_vault(host: Host) -> None:
    with closing(open_reader(host.vault / "memory.db")) as connection:
        assert said(weighed(connection), "x")["x"]["words"] == 0
        assert latest_of(connection) == {}


def test_the_score_of_a_conversation_is_the_bm25_worked_out_by_hand(talked: apsw.Connection) -> None:
    """Two of three sessions (8, 4 and 2 words) have the word.

    Each has it in two messages; k1 is 1.2 and b is 0.75.


    The idf is ln(1 + 1.5 / 2.5) = 0.4700, the lengths make 1.8429 and 1.0714 of k1.
    """
    found = said(weighed(talked), "garden", "kitchen", "sea")
    assert [found[name]["words"] for name in ("garden", "kitchen", "sea")] == pytest.approx(
        [0.5382, 0.6733, 0.0], abs=1e-4
    )
