"""Confidence of a fact from now on, and the facts it followed."""

import math

import pytest

from app.errors import NotFoundError
from app.host import Host


def test_only_facts_have_a_confidence_and_beliefs(host: Host) -> None:
    note = host.ask("note.save", content="A note").id
    for wrong in (note, "fact-unknown"):
        for operation in ("fact.confidence", "fact.beliefs"):
            with pytest.raises(NotFoundError):
                host.ask(operation, id=wrong)


def test_it_fades_when_the_curve_meets_the_threshold(host: Host) -> None:
    fact = host.ask("fact.remember", content="Anna likes tea", decay_rate=0.1).memory
    found = host.ask("fact.confidence", id=fact.id)
    assert found.kept == ""
    days = (found.fades_at - found.since).total_seconds() / 86_400
    assert days == pytest.approx(math.log(found.confidence / found.threshold) / 0.1, abs=0.01)


def test_pinned_confirmed_and_deleted_facts_do_not_fade(host: Host) -> None:
    fact = host.ask("fact.remember", content="Anna likes tea", decay_rate=0.1).memory.id
    host.ask("note.pin", id=fact)
    assert host.ask("fact.confidence", id=fact).kept == "pinned"
    host.ask("note.pin", id=fact, pinned=False)
    host.ask("fact.confirm", id=fact)
    sure = host.ask("fact.confidence", id=fact)
    assert (sure.kept, sure.current, sure.fades_at) == ("confirmed", 1.0, None)
    host.ask("fact.forget", id=fact)
    assert host.ask("fact.confidence", id=fact).kept == "deleted"


def test_beliefs_follow_each_other_from_any_of_them(host: Host) -> None:
    first = host.ask("fact.remember", content="Anna lives in Graz", category="anna", key="home").memory.id
    second = host.ask("fact.correct", id=first, content="Anna lives in Linz").fact.id
    third = host.ask("fact.set", category="anna", key="home", value="Anna lives in Wien").fact.id
    host.ask("fact.remember", content="Unrelated")
    for one in (first, second, third):
        beliefs = host.ask("fact.beliefs", id=one)
        assert [belief.id for belief in beliefs] == [first, second, third]
        assert [belief.is_current for belief in beliefs] == [False, False, True]
        assert all(belief.until is not None for belief in beliefs[:2])


def test_a_contradicted_fact_stays_in_the_timeline(host: Host) -> None:
    old = host.ask("fact.remember", content="The shop opens at eight").memory.id
    new = host.ask("fact.remember", content="The store closes on Mondays at noon").memory.id
    host.ask("fact.resolve", new_id=new, old_id=old)
    assert [belief.id for belief in host.ask("fact.beliefs", id=old)] in ([old], [old, new])
    assert [belief.id for belief in host.ask("fact.beliefs", id=new)] == [old, new]
