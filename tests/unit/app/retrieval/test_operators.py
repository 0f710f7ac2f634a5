"""All forms of an operator answer the same chunks, whichever stores the caller may read."""

from dataclasses import replace
from itertools import chain, combinations

import apsw
import numpy as np
import pytest

from app.api.caller import Caller
from app.core.stores import STORES
from app.host import Host
from app.index.columns.index_cache import IndexCache
from app.retrieval.candidates.filter_check import passes_filter
from app.retrieval.candidates.filter_mask import with_mask
from app.retrieval.candidates.filters import build_filter
from app.retrieval.model import Query
from app.retrieval.operators import OPERATORS, SESSION_IS, query_clauses
from app.retrieval.query.parser import parse
from app.retrieval.snapshot import take_snapshot
from tests.unit.app.vault_harness import VaultHarness

VALUES = {
    "kind": ("message", "note", "digest", "episode"),
    "tag": ("birds", "birds/owls", "nothing"),
    "store": STORES,
    "session": ("herons", "a grey", "nobody", ""),
    "agent": ("guide", "PERSON", "nobody"),
    "entity": ("anna", "ulm", "nobody"),
    "role": ("user", "assistant", "tool"),
    "type": ("decision", "nothing"),
    "is": ("pinned", "archived", "superseded", "pending", "nonsense"),
    "session_is": ("herons", "nobody"),
}
EVERY_ACCESS = [*chain.from_iterable(combinations(STORES, size) for size in range(len(STORES) + 1))]
TIMES = (replace(Query(""), since=1_000), replace(Query(""), until=1_000), replace(Query(""), since=5, until=6))


def queries(name: str) -> list[Query]:
    """Return queries of one operator: wanted, several wanted, and excluded."""
    values = VALUES[name]
    made = [Query("", excluded=((name, value),)) for value in values]
    if name in OPERATORS:
        field = OPERATORS[name].field
        made += [Query("", **{field: wanted}) for wanted in (*((value,) for value in values), tuple(values[:2]))]  # type: ignore[arg-type]
    return made


@pytest.fixture
def filled(vault_harness: VaultHarness) -> VaultHarness:
    vault_harness.say("a grey heron that Anna saw in Ulm", "a teal " * 800, session="herons")
    vault_harness.say("bread", session="other")
    vault_harness.save("Elm #birds", tags=["birds"])
    vault_harness.save("Owl", tags=["birds/owls"], store="shared")
    vault_harness.save("Oak, by Anna", store="social")
    vault_harness.sync()
    return vault_harness


@pytest.mark.parametrize("name", [*VALUES, "times"])
def test_all_forms_answer_the_same_chunks(filled: VaultHarness, name: str) -> None:
    def check(connection: apsw.Connection) -> set[int]:
        snapshot, seen = take_snapshot(connection, IndexCache()), set[int]()
        columns = snapshot.columns
        every = np.flatnonzero(columns.exists)
        for query in TIMES if name == "times" else queries(name):
            for stores in EVERY_ACCESS:
                where = build_filter(query, stores)
                sql = "SELECT c.id FROM chunks c WHERE "
                expected = {int(str(row[0])) for row in connection.execute(sql + where.sql, where.values)}
                by_point = {int(str(row[0])) for row in connection.execute(sql + where.point_sql, where.values)}
                assert by_point == expected, (query, stores)
                found = with_mask(snapshot, where)
                masked = {*every[found.mask[every]].tolist()}
                assert masked == expected if found.is_exact else masked >= expected, (query, stores)
                for form in (where, found):
                    kept = {*every[passes_filter(snapshot, every, form)].tolist()}
                    assert kept == expected, (query, stores)
                if where.is_by_type:
                    by_type = columns.where(every, [where.suits(one) for one in columns.types])
                    assert {*every[by_type].tolist()} == expected, (query, stores)
                seen |= expected
        return seen

    assert filled.do(filled.store.read(check))


def test_every_operator_has_values_to_test() -> None:
    typed = {name for name, operator in OPERATORS.items() if operator.condition is not None}
    assert {*VALUES} == typed | {SESSION_IS.name}


@pytest.mark.parametrize("operator", [one for one in OPERATORS.values() if one.field], ids=lambda one: one.name)
def test_an_unknown_value_of_a_closed_operator_matches_nothing(operator: object) -> None:
    name = operator.name  # type: ignore[attr-defined]
    query = parse(f"{name}:zzyzx", 0)
    assert query.matches_nothing == OPERATORS[name].is_closed
    assert bool(query.hints) == OPERATORS[name].is_closed
    assert [clause.operator.name for clause in query_clauses(query)] == ([] if OPERATORS[name].is_closed else [name])


SPELLINGS = [
    ("straße", "strasse"),
    ("strasse", "straße"),
    ("ærø", "aero"),
    ("aero", "ærø"),
    ("łask", "lask"),
    ("Smørrebrød", "smorrebrod"),
    ("birds/ærø", "birds/aero"),
]


@pytest.mark.parametrize(("stored", "typed"), SPELLINGS)
def test_a_tag_is_found_in_the_spellings_that_words_are(host: Host, stored: str, typed: str) -> None:
    host.ask("note.save", content="the quince", tags=[stored, "garden"])
    host.ask("note.save", content="the medlar", tags=["arrow"])
    for query in (f"tag:{typed}", f"tag:{typed} quince", f"tag:{typed.partition('/')[0]}"):
        assert [hit.snippet for hit in host.ask("memory.search", query=query).hits] == ["the quince"], query
    assert [hit.snippet for hit in host.ask("memory.search", query=f"-tag:{typed} the").hits] == ["the medlar"]


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("Anna Ærø", "anna aero"),
        ("Anna Weiss", "Anna Weiß"),
        ("Anna Sørensen", "ANNA SORENSEN"),
        ("Anna Weiß", "anna weiss"),
    ],
)
def test_an_entity_is_found_in_the_spellings_that_words_are(host: Host, name: str, typed: str) -> None:
    host.ask("note.save", content=f"{name} lives in Berlin.", store="shared")
    host.ask("note.save", content="Bob Miller lives in Berlin.", store="shared")
    host.ask("vault.settle", names=True)
    for caller in (None, Caller("helper", "inner")):
        arguments = {"query": f'entity:"{typed}"'}
        reply = host.call("memory.search", arguments, *([caller] if caller else [])).result(30)
        assert [name in hit.snippet for hit in reply.value.hits] == [True], caller
