"""Turns that an agent under review adds to somebody else's conversation."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import Caller
from app.api.registry import to_builtins
from app.errors import KeyConflictError
from app.host import Host

SCOUT = Caller("scout", "full", review=True)


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    """Return a host with a conversation of another agent."""
    running = Host(vault, serve=False, overrides={"index.vectors": False})
    running.start()
    running.ask("agent.add", name="scout", trust="full", review=True)
    running.ask("session.append", session="talk", agent="other", messages=[{"role": "user", "content": "hello"}])
    yield running
    running.stop()


def append(host: Host, text: str, key: str, session: str = "talk") -> Any:
    arguments = {"session": session, "messages": [{"role": "user", "content": text}], "key": key}
    return to_builtins(host.call("session.append", arguments, SCOUT).result(30).value)


def said(host: Host) -> list[str]:
    return [message.content for message in host.ask("session.recent", session="talk")]


def test_the_same_words_under_two_keys_are_two_turns(host: Host) -> None:
    first, again, second = (append(host, "yes", key)["proposed"] for key in ("one", "one", "two"))
    assert first == again != second
    assert said(host) == ["hello"]
    with pytest.raises(KeyConflictError):
        append(host, "no", "one")
    for proposal in (first, second):
        assert host.ask("inbox.accept", id=proposal)[0].state == "accepted"
    assert said(host) == ["hello", "yes", "yes"]


def test_what_the_person_allowed_is_answered_and_waits_no_second_time(host: Host) -> None:
    host.ask("inbox.accept", id=append(host, "yes", "one")["proposed"])
    expected = {"session_id": "talk", "seqs": (2,), "created": False}
    assert [append(host, "yes", "one") for _ in range(2)] == [expected] * 2
    with pytest.raises(KeyConflictError):
        append(host, "no", "one")
    assert "proposed" in append(host, "no", "two")  # a known key of one turn lets no other through
    assert said(host) == ["hello", "yes"]


def test_turns_without_a_key_wait_each(host: Host) -> None:
    for _ in range(2):
        append(host, "yes", "")
    waiting = host.ask("inbox.list")
    for proposal in waiting:
        host.ask("inbox.accept", id=proposal.id)
    assert said(host) == ["hello", "yes", "yes"]


def test_turns_that_are_stored_later_wait_each(host: Host) -> None:
    for text in ("yes", "yes", "no", "yes"):
        arguments = {"session": "talk", "messages": [{"role": "user", "content": text}]}
        host.call("session.append_later", arguments, SCOUT).result(30)
    waiting = host.ask("inbox.list")
    assert len(waiting) == 4
    for proposal in sorted(waiting, key=lambda one: one.id):
        host.ask("inbox.accept", id=proposal.id)
    host.ask("vault.settle")
    assert said(host) == ["hello", "yes", "yes", "no", "yes"]


def test_an_append_asked_for_again_gets_its_first_answer(host: Host) -> None:
    answers = [append(host, "mine", "one", session="own") for _ in range(3)]
    assert answers == [{"session_id": "own", "seqs": (1,), "created": True}] * 3
    later = [append(host, "more", "two", session="own") for _ in range(2)]
    assert later == [{"session_id": "own", "seqs": (2,), "created": False}] * 2


@pytest.mark.parametrize("session", ["talk", "unheard"])
@pytest.mark.parametrize("agent", ["", "other"])
def test_who_reaches_its_own_conversations_alone_learns_of_no_other(host: Host, session: str, agent: str) -> None:
    arguments = {"session": session, "agent": agent, "messages": [{"role": "user", "content": "yes"}]}
    inner = Caller("scout", "inner", review=True)
    reply = to_builtins(host.call("session.append", arguments, inner).result(30).value)
    assert (reply["created"], reply["seqs"]) == (True, (1,))
    assert said(host) == ["hello"]
