"""Sentences that tell a caller what is wrong, and words that several operations share."""

from typing import Any

import pytest

from app.api.caller import Caller
from app.errors import NotFoundError
from app.host import Host

SCOUT = Caller("scout", "full", agent_id="agt-1")
DAILY = {"kind": "interval", "seconds": 86_400}


def refused(host: Host, operation: str, **arguments: Any) -> str:
    with pytest.raises(NotFoundError) as caught:
        host.ask(operation, **arguments)
    return caught.value.message


def test_confirming_a_superseded_fact_names_the_one_that_holds(host: Host) -> None:
    old = host.ask("fact.remember", content="Mara lives in Riga.").memory
    new = host.ask("fact.correct", id=old.id, content="Mara lives in Oslo.").fact
    said = refused(host, "fact.confirm", id=old.id)
    assert said == (
        f"This fact was superseded by {new.id}, which says “Mara lives in Oslo.”. Confirm that one instead."
    )


def test_only_facts_can_be_confirmed(host: Host) -> None:
    observation = host.ask("memory.write", content="We met.").memory
    assert refused(host, "fact.confirm", id=observation.id).startswith("Only facts can be confirmed")


def test_a_moment_that_is_none_is_said_to_be_neither_id_nor_time(host: Host) -> None:
    said = refused(host, "memory.timeline", around="gibberish when")
    assert said.startswith("“gibberish when” is neither the id of a memory or message nor a time")


@pytest.mark.parametrize("word", ["name", "agent"])
def test_operations_on_agents_take_one_word_for_the_agent(host: Host, word: str) -> None:
    host.ask("agent.add", name="scout", trust="full")
    host.call("note.save", {"content": "x"}, SCOUT).result(30)
    assert host.ask("agent.activity", **{word: "scout"}).agent == "scout"
    assert {call.agent for call in host.ask("agent.ledger", **{word: "scout"}).calls} == {"scout"}
    assert host.ask("agent.undo", since="2000-01-01", **{word: "scout"}).memories == 1
    assert host.ask("agent.quarantined", **{word: "scout"}) == []
    host.ask("agent.revoke", **{word: "scout"})


def test_a_correction_of_an_observation_takes_its_statements_away(host: Host) -> None:
    made = host.ask("memory.write", content="Decision: cache is 64 MB.", facts=["Cache is 64 MB."]).memory
    update = {"id": made.id, "version": made.version, "content": "Decision: cache is 256 MB."}
    assert host.call("note.update", update, SCOUT).result(30).outcome == "done"
    now = host.ask("note.get", id=made.id)
    assert (now.content, now.facts) == ("Decision: cache is 256 MB.", ())
    again = host.ask("memory.write", content="Decision: cache is 64 MB.", facts=["Cache is 64 MB."])
    assert again.outcome == "ADD"
    given = {"id": made.id, "version": now.version, "content": "Now 1 GB.", "facts": ["Cache is 1 GB."]}
    host.call("note.update", given, SCOUT).result(30)
    assert host.ask("note.get", id=made.id).facts == ("Cache is 1 GB.",)


def test_the_persons_edit_leaves_the_statements(host: Host) -> None:
    made = host.ask("memory.write", content="A talk.", facts=["Cache is 64 MB."]).memory
    host.ask("note.update", id=made.id, version=made.version, content="A long talk.")
    assert host.ask("note.get", id=made.id).facts == ("Cache is 64 MB.",)
