"""All forms of an operator answer the same chunks, whichever stores the caller may read."""

from collections import Counter
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
from app.sessions.model import NewMessage
from app.sessions.service import NewSession
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
    "project": ("garden", "alice/garden", "ALICE/Garden", "den", "nobody", ""),
    "file": ("reader.py", "/home/src/reader.py", "eader.py", ""),
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
    garden = NewSession(attributes={"project": "alice/garden"})
    vault_harness.do(vault_harness.sessions.append([NewMessage("user", "bread")], "other", garden, "me", owner=None))
    for store in STORES:
        for session in ("herons", "other", "gone"):
            vault_harness.save(f"Alder {store} {session}", store=store, session_id=session, tags=["birds"])
        project = {"project": "den"}
        vault_harness.save(f"Fir {store}", store=store, session_id="herons", attributes=project, source="guide")
    vault_harness.save("Reed", attributes={"project": "Alice/Garden"}, store="shared")
    vault_harness.save("Elm #birds", tags=["birds"])
    vault_harness.save("Owl", tags=["birds/owls"], store="shared")
    vault_harness.save("Oak, by Anna", store="social", files=("src/reader.py",))
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
                    by_type = columns.where(every, [where.suits(kind) for kind in columns.types])
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
    ("łódź", "lodz"),
    ("café", "cafe"),
    ("cafe", "CAFÉ"),
    ("møller", "moeller"),
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
        ("Anna Dvořák", "anna dvorak"),
        ("Anna Dvorak", "Anna Dvořák"),
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


NAMES = [
    ("Łódź", "lodz"),
    ("Jos\u00e9", "JOSE"),
    ("Muller", "Müller"),
    ("ÉTÉ", "été"),
    ("Bjørn", "bjoern"),
    ("ОЛЬГА", "ольга"),
]


@pytest.mark.parametrize(("stored", "typed"), NAMES)
def test_agents_conversations_and_types_are_found_in_the_spellings_that_words_are(
    host: Host, stored: str, typed: str
) -> None:
    host.ask("session.append", session="one", agent=stored, messages=[NewMessage(role="user", content="the quince")])
    host.ask("session.append", session="two", agent="other", messages=[NewMessage(role="user", content="the medlar")])
    host.ask("session.rename", session="one", title=f"Talk in {stored}")
    host.ask("vault.settle")
    for query in (f"agent:{typed}", f"agent:{typed} quince", f"session:{typed}", f"session:{typed} quince"):
        assert [hit.snippet for hit in host.ask("memory.search", query=query).hits] == ["the quince"], query
    host.ask("memory.write", kind="observation", title="Plum", content="the plum", type=stored)
    host.ask("memory.write", kind="observation", title="Pear", content="the pear", type="arrow")
    hits = host.ask("memory.search", query=f"type:{typed}").hits
    assert [hit.title for hit in hits] == ["Plum"]


def test_facets_join_the_spellings_that_an_operator_finds(host: Host) -> None:
    for number, tag in enumerate(("łódź", "łódź", "lodz")):
        host.ask("note.save", content=f"the quince {number}", tags=[tag])
    result = host.ask("memory.search", query="quince")
    assert [(facet.value, facet.count) for facet in result.facets if facet.name == "tag"] == [("łódź", 3)]
    assert host.ask("memory.search", query="quince tag:łódź").candidates == 3


@pytest.mark.parametrize(
    "query", ["heron", "the grey heron", "heron role:user", "pond", "nothing at all", '"grey heron"']
)
def test_facets_count_what_the_list_holds(host: Host, query: str) -> None:
    said = [("user", "a grey heron by the pond"), ("assistant", "Which heron? " + "reeds and rushes " * 300)] * 3
    messages = [NewMessage(role=role, content=content) for role, content in said]  # type: ignore[arg-type]
    host.ask("session.append", session="herons", agent="guide", messages=messages)
    host.ask("note.save", content="heron and pond", tags=["birds"])
    host.ask("vault.settle")
    for legs in (None, ["words"]):
        found = host.ask("memory.search", query=query, limit=1000, legs=legs)
        counts = Counter(
            pair
            for hit in found.hits
            for pair in (
                ("kind", hit.kind), ("agent", hit.agent), ("role", hit.role), ("store", hit.store),
                *(("tag", tag) for tag in hit.tags),
            )
            if pair[1]
        )  # fmt: skip
        assert {(facet.name, facet.value): facet.count for facet in found.facets} == counts
