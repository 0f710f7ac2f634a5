"""No chunk that satisfies the operators of a search is passed over."""

import apsw
import numpy as np
import pytest

from app.index.postings import Postings
from app.memories.model import STORES
from app.retrieval.allowed import left
from app.retrieval.candidates import conditions
from app.retrieval.query import parse
from tests.unit.app.shelf import Shelf

EXACT = (
    "kind:message",
    "kind:note",
    "kind:note,fact",
    "-kind:message",
    "role:user",
    "-role:user",
    "role:tool",
    "session:herons",
    "session:herons kind:message",
    "-session:herons",
    "session:nobody",
    "tag:birds",
    "tag:birds kind:note",
    "entity:Anna",
)
LOOSE = ("agent:Guide", "agent:person kind:note", "-agent:guide kind:note", "kind:note tag:birds")
UNKNOWN = ("heron", "is:pinned", "store:shared", "-agent:guide", "-tag:birds", "after:2020")


@pytest.fixture
def filled(shelf: Shelf) -> Shelf:
    shelf.say("a grey heron", "a teal " * 800, session="herons")
    shelf.say("bread", session="other")
    shelf.save("Elm #birds", tags=["birds"])
    return shelf


def both(shelf: Shelf, text: str) -> tuple[set[int], set[int] | None]:
    """Return the ids of the chunks that satisfy a query, and of those that are left."""
    query = parse(text, 0)
    where = conditions(query, STORES)

    def work(connection: apsw.Connection) -> tuple[set[int], set[int] | None]:
        rows = connection.execute(f"SELECT c.id FROM chunks c WHERE {where.sql}", where.values)
        mask = left(connection, query, Postings())
        return {int(str(row[0])) for row in rows}, None if mask is None else {int(one) for one in np.flatnonzero(mask)}

    return shelf.do(shelf.store.read(work))


@pytest.mark.parametrize("text", EXACT)
def test_just_those_are_left(filled: Shelf, text: str) -> None:
    satisfied, there = both(filled, text)
    existing = {row[0] for row in filled.rows("SELECT id FROM chunks")}
    assert there is not None
    assert there & existing == satisfied


@pytest.mark.parametrize("text", LOOSE)
def test_those_at_least_are_left(filled: Shelf, text: str) -> None:
    satisfied, there = both(filled, text)
    assert there is not None
    assert satisfied <= there


@pytest.mark.parametrize("text", UNKNOWN)
def test_of_others_nothing_is_known(filled: Shelf, text: str) -> None:
    assert both(filled, text)[1] is None


def test_the_check_of_a_few_says_what_the_conditions_say(filled: Shelf) -> None:
    for text in (*EXACT, *LOOSE, *UNKNOWN, "-entity:anna", "entity:anna role:user"):
        for stores in (STORES, ("shared",)):
            where = conditions(parse(text, 0), stores)
            sql = "SELECT c.id FROM chunks c WHERE "
            assert filled.rows(sql + where.sql, *where.values) == filled.rows(sql + where.check, *where.values)


def test_what_is_excluded_of_one_sort_leaves_the_others(filled: Shelf) -> None:
    kinds = {row[0]: row[1] for row in filled.rows("SELECT id, kind FROM chunks")}
    for text in ("-tag:birds", "-entity:anna", "-is:pinned"):
        assert "message" in {kinds[one] for one in both(filled, text)[0]}
    assert "memory" in {kinds[one] for one in both(filled, "-session:herons")[0]}


def test_a_few_are_checked_as_fast_whatever_has_the_tag(shelf: Shelf) -> None:
    def steps(connection: apsw.Connection) -> int:
        where, taken = conditions(parse("tag:birds", 0), STORES), [0]
        sql = f"SELECT c.id FROM chunks c WHERE c.id IN (SELECT value FROM json_each(?)) AND {where.check}"

        def stepped() -> bool:
            taken[0] += 1
            return False

        connection.set_progress_handler(stepped, 10)
        try:
            assert len(connection.execute(sql, ("[1, 2, 3, 4, 5]", *where.values)).fetchall()) == 5
        finally:
            connection.set_progress_handler(None)
        return taken[0]

    for number in range(10):
        shelf.save(f"Elm {number}", tags=["birds"])
    few = shelf.do(shelf.store.read(steps))
    for number in range(90):
        shelf.save(f"Oak {number}", tags=["birds"])
    assert shelf.do(shelf.store.read(steps)) < 2 * few
