"""Conversations as a whole: the latest come in though no word finds them, nothing that a caller may not see."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import apsw
import pytest

from app.host import Host
from app.index.postings import Postings
from app.memories.model import STORES
from app.retrieval.candidates import Conditions, conditions
from app.retrieval.conversations import Conversations, latest, let_in
from app.retrieval.fts import Atom
from app.retrieval.query import parse
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


def where(text: str = "", stores: Any = STORES) -> tuple[Conditions, int | None]:
    query = parse(text, round(BEGUN.timestamp() * 1000))
    return conditions(query, stores), query.until


def weighed(connection: apsw.Connection, postings: Postings | None = None) -> Conversations:
    return Conversations(connection, postings or Postings(), [Atom('"rye"', ("rye",))])


def test_the_latest_come_first(talked: apsw.Connection) -> None:
    assert latest(talked, *where()) == {"sea": 1, "kitchen": 2, "garden": 3}
    assert latest(talked, *where("role:user")) == {"sea": 1, "garden": 2}
    assert latest(talked, *where("before:2024-03-02")) == {"garden": 1}
    assert latest(talked, *where(stores=["shared"])) == {}


def test_conversations_say_what_their_turns_say(talked: apsw.Connection) -> None:
    said = weighed(talked).said({"garden", "kitchen", "sea", "unknown"})
    assert set(said) == {"garden", "kitchen", "sea"}
    assert said["garden"].words > 0 < said["kitchen"].words
    assert said["garden"].user_words > 0 == said["kitchen"].user_words
    assert said["sea"].words == said["sea"].coverage == 0 < said["sea"].length


def test_a_turn_of_each_is_let_in_as_far_as_it_is_allowed(talked: apsw.Connection) -> None:
    allowed, until = where()
    newest = latest(talked, allowed, until)
    assert let_in(talked, [("garden", 2)], newest, weighed(talked), allowed)[0] == ("garden", 2)
    assert set(let_in(talked, [("garden", 2)], newest, weighed(talked), allowed)) == {
        ("garden", 2),
        ("kitchen", 1),
        ("sea", 1),
    }
    assert let_in(talked, [("sea", 2)], {}, weighed(talked), allowed)[1:] == [("garden", 1), ("kitchen", 1)]
    assert let_in(talked, [], newest, weighed(talked), allowed) == []
    hidden, _ = where(stores=["shared"])
    assert let_in(talked, [("sea", 1)], newest, weighed(talked), hidden) == [("sea", 1)]


def test_later_turns_are_known(host: Host, talked: apsw.Connection) -> None:
    postings = Postings()
    before = weighed(talked, postings).said(["sea", "moon"])
    host.ask("session.append", session="moon", messages=[{"role": "user", "content": "rye"}])
    host.ask("session.append", session="sea", messages=[{"role": "user", "content": "rye"}])
    host.ask("vault.settle")
    after = weighed(talked, postings).said(["sea", "moon"])
    assert set(before) == {"sea"}
    assert before["sea"].words == 0 < after["sea"].words
    assert after["moon"].user_words > 0


def test_an_empty_vault(host: Host) -> None:
    with closing(open_reader(host.vault / "memory.db")) as connection:
        assert weighed(connection).said(["x"]) == {}
        assert latest(connection, *where()) == {}
