"""What a person decided about two entities also holds for what was merged with them."""

import pytest

from app.entities.duplicates import repo
from tests.unit.app.entities.conftest import EntityHarness


@pytest.fixture
def talk(harness: EntityHarness) -> EntityHarness:
    harness.say("I met Bob in Berlin.", "Robert Smith called.", "Bob, Alice Jones and Robert B. Smith went to Paris.")
    harness.read_all()
    return harness


def are_apart(talk: EntityHarness, first: str, second: str) -> bool:
    key = (min(first, second), max(first, second))
    return talk.do(talk.store.read(lambda connection: repo.are_apart(connection, key)))


def merge(talk: EntityHarness, one: str, into: str) -> None:
    talk.do(talk.service.merge([one], into, actor="person"))


def people(talk: EntityHarness) -> tuple[str, str, str]:
    bob, robert, full = (talk.id(name) for name in ("Bob", "Robert Smith", "Robert B. Smith"))
    return bob, robert, full


def test_an_undone_merge_holds_for_a_cluster(talk: EntityHarness) -> None:
    bob, robert, full = people(talk)
    merged = talk.do(talk.service.merge([bob], robert, actor="person"))
    assert not are_apart(talk, robert, full)
    talk.undo(merged.changes)
    merge(talk, robert, full)
    assert are_apart(talk, bob, full)
    assert not are_apart(talk, talk.id("Alice Jones"), full)


def test_a_split_holds_for_a_cluster(talk: EntityHarness) -> None:
    bob, robert, full = people(talk)
    merge(talk, bob, robert)
    parted = talk.do(talk.service.split(robert, aliases=["Bob"], actor="person")).value.id
    assert are_apart(talk, parted, robert)
    merge(talk, robert, full)
    assert are_apart(talk, parted, full)


def test_a_relation_holds_for_a_cluster(talk: EntityHarness) -> None:
    bob, robert, full = people(talk)
    talk.do(talk.service.relate(robert, "brother of", bob, actor="person"))
    merge(talk, robert, full)
    assert are_apart(talk, bob, full)


def test_a_refused_merge_holds_for_a_cluster(talk: EntityHarness) -> None:
    bob, robert, full = people(talk)
    sql = (
        "INSERT INTO proposed_merges (first_id, second_id, proposal_id, run_id, at, decision)"
        " VALUES (?, ?, 1, 'r', 1, 'rejected')"
    )
    talk.write(lambda connection: connection.execute(sql, sorted((bob, robert))))
    merge(talk, robert, full)
    assert are_apart(talk, bob, full)
