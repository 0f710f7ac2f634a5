"""No chunk that satisfies the operators of a search is passed over."""

from collections.abc import Sequence

import apsw
import numpy as np
import pytest

from app.core.stores import STORES
from app.index.columns.index_cache import IndexCache
from app.retrieval.candidates import filters
from app.retrieval.candidates.filter_mask import with_mask
from app.retrieval.candidates.filters import build_filter
from app.retrieval.query.parser import parse
from app.retrieval.snapshot import take_snapshot
from tests.unit.app.vault_harness import VaultHarness

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
    "heron",
    "store:shared",
    "-store:private",
    "after:2020",
    "before:2020 role:user",
    "after:2020 before:2999 -session:herons",
)
LOOSE = (
    "agent:Guide",
    "agent:person kind:note",
    "-agent:guide kind:note",
    "is:pinned",
    "-agent:guide",
    "-tag:birds",
    "-entity:anna role:user",
)


@pytest.fixture
def filled(vault_harness: VaultHarness) -> VaultHarness:
    vault_harness.say("a grey heron", "a teal " * 800, session="herons")
    vault_harness.say("bread", session="other")
    vault_harness.save("Elm #birds", tags=["birds"])
    vault_harness.save("Oak", store="shared")
    return vault_harness


def both(vault_harness: VaultHarness, text: str, stores: Sequence[str] = STORES) -> tuple[set[int], set[int], bool]:
    """Return chunks that satisfy a query, chunks in the mask, and exactness."""
    query = parse(text, 0)
    where = build_filter(query, stores)

    def work(connection: apsw.Connection) -> tuple[set[int], set[int], bool]:
        rows = connection.execute(f"SELECT c.id FROM chunks c WHERE {where.sql}", where.values)
        found = with_mask(take_snapshot(connection, IndexCache()), where)
        return {int(str(row[0])) for row in rows}, {*np.flatnonzero(found.mask).tolist()}, found.is_exact

    return vault_harness.do(vault_harness.store.read(work))


@pytest.mark.parametrize("stores", [STORES, ("shared",), ("private",)])
@pytest.mark.parametrize("text", EXACT)
def test_just_those_are_left(filled: VaultHarness, text: str, stores: tuple[str, ...]) -> None:
    satisfied, there, is_exact = both(filled, text, stores)
    existing = {row[0] for row in filled.rows("SELECT id FROM chunks")}
    assert there & existing == satisfied
    assert is_exact == ("entity" not in text or stores == STORES)


@pytest.mark.parametrize("stores", [STORES, ("shared",)])
@pytest.mark.parametrize("text", LOOSE)
def test_those_at_least_are_left(filled: VaultHarness, text: str, stores: tuple[str, ...]) -> None:
    satisfied, there, is_exact = both(filled, text, stores)
    assert satisfied <= there
    assert not is_exact


def test_of_what_many_have_it_is_not_known_who(filled: VaultHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.save("Ash", tags=["birds"])
    monkeypatch.setattr(filters, "SMALL_SET", 1)
    satisfied, there, is_exact = both(filled, "tag:birds")
    assert satisfied < there
    assert not is_exact


def test_the_check_of_a_few_says_what_the_conditions_say(filled: VaultHarness) -> None:
    for text in (*EXACT, *LOOSE, "-entity:anna", "entity:anna role:user"):
        for stores in (STORES, ("shared",)):
            where = build_filter(parse(text, 0), stores)
            sql = "SELECT c.id FROM chunks c WHERE "
            assert filled.rows(sql + where.sql, *where.values) == filled.rows(sql + where.point_sql, *where.values)


def test_what_is_excluded_of_one_sort_leaves_the_others(filled: VaultHarness) -> None:
    kinds = {row[0]: row[1] for row in filled.rows("SELECT id, kind FROM chunks")}
    for text in ("-tag:birds", "-entity:anna", "-is:pinned"):
        assert "message" in {kinds[one] for one in both(filled, text)[0]}
    assert "memory" in {kinds[one] for one in both(filled, "-session:herons")[0]}


def test_a_few_are_checked_as_fast_whatever_has_the_tag(vault_harness: VaultHarness) -> None:
    def steps(connection: apsw.Connection) -> int:
        where, taken = build_filter(parse("tag:birds", 0), STORES), [0]
        sql = f"SELECT c.id FROM chunks c WHERE c.id IN (SELECT value FROM json_each(?)) AND {where.point_sql}"

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
        vault_harness.save(f"Elm {number}", tags=["birds"])
    few = vault_harness.do(vault_harness.store.read(steps))
    for number in range(90):
        vault_harness.save(f"Oak {number}", tags=["birds"])
    assert vault_harness.do(vault_harness.store.read(steps)) < 2 * few
