"""What is told of chunks by their sort is what the database says of each."""

from dataclasses import replace
from typing import Any

import apsw
import numpy as np
import pytest

from app.index.postings import Postings, last_chunk
from app.memories.model import STORES
from app.retrieval.candidates import Conditions, conditions, with_words
from app.retrieval.model import Query
from app.retrieval.passing import passing
from tests.unit.app.shelf import Shelf

ASKED = [
    ("", ()),
    ("kinds", ("message",)),
    ("kinds", ("Note", "fact")),
    ("kinds", ("episode", "note")),
    ("roles", ("user",)),
    ("stores", ("shared", "private")),
    ("excluded", (("kind", "message"),)),
    ("excluded", (("role", "USER"), ("store", "shared"))),
]


def told(shelf: Shelf, postings: Postings, where: Conditions) -> list[int]:
    def work(connection: apsw.Connection) -> list[int]:
        heads = postings.heads(connection, last_chunk(connection))
        ids = np.arange(1, len(heads.owner))
        found: list[int] = ids[passing(connection, heads, ids, where)].tolist()
        return found

    return shelf.do(shelf.store.read(work))


def run(shelf: Shelf, sql: str) -> None:
    shelf.do(shelf.store.write(lambda connection: connection.execute(sql)))


@pytest.fixture
def various(shelf: Shelf) -> Shelf:
    shelf.say("a heron", "a grebe", "long " * 2_000)
    shelf.say("a teal", session="t")
    for number, store in enumerate(STORES):
        shelf.save(f"note {number}", store=store)
    shelf.sync()
    return shelf


@pytest.mark.parametrize(("name", "values"), ASKED)
@pytest.mark.parametrize("stores", [STORES, ("private",), ("shared",), ()])
def test_both_say_the_same(various: Shelf, name: str, values: tuple[str, ...], stores: tuple[str, ...]) -> None:
    postings = Postings()
    query: Any = replace(Query(""), **({name: values} if name else {}))
    where = conditions(query, stores)
    assert where.of_sort is not None
    for change in ("", "DELETE FROM chunks WHERE id = 2", "INSERT INTO session_moves VALUES ('t', 1, 0)"):
        if change:
            run(various, change)
        assert told(various, postings, where) == told(various, Postings(), replace(where, of_sort=None, narrows=True))


def test_what_asks_for_more_than_the_sort_is_left_to_the_database() -> None:
    more = [Query("", tags=("a",)), Query("", since=1), Query("", kinds=("note",), excluded=(("agent", "x"),))]
    assert [conditions(query, STORES).of_sort for query in more] == [None] * 3
    where = conditions(Query("", kinds=("note",)), STORES)
    assert with_words(where, None, None).of_sort is not None
    assert with_words(where, '"a"', None).of_sort is None
