"""Channels: one conversation each, under any ids of the program."""

from typing import Any

import pytest

from app.api.caller import Caller
from app.errors import InputError, NotFoundError
from app.host import Host

CHANNEL = "tg:42:7"
HELPER = Caller("helper", "inner")


def turn(content: str) -> dict[str, str]:
    return {"role": "user", "content": content}


@pytest.fixture
def rotated(host: Host) -> Host:
    host.ask("session.append", session="uuid-1", channel=CHANNEL, messages=[turn("one heron")])
    landed = host.ask("session.append", session="uuid-2", channel=CHANNEL, messages=[turn("two herons")])
    assert (landed.session_id, landed.seqs, landed.created) == ("uuid-1", (2,), False)
    return host


def contents(messages: Any) -> list[str]:
    return [message.content for message in messages]


@pytest.mark.parametrize(
    "named",
    [{"channel": CHANNEL}, {"session": "uuid-3", "channel": CHANNEL}, {"session": "uuid-1"}, {"session": "uuid-2"}],
)
def test_restore_finds_the_whole_conversation(rotated: Host, named: dict[str, str]) -> None:
    restored = rotated.ask("session.restore", **named)
    assert restored.session_id == "uuid-1"
    assert contents(restored.messages) == ["one heron", "two herons"]


def test_unknown_id_and_unknown_channel_have_different_errors(rotated: Host) -> None:
    with pytest.raises(NotFoundError, match="There is no session uuid-3"):
        rotated.ask("session.restore", session="uuid-3")
    assert rotated.ask("session.restore", session="uuid-3", channel="tg:0:0").messages == ()


@pytest.mark.parametrize("session", ["uuid-1", "uuid-2"])
def test_every_id_reads_and_changes_the_same_conversation(rotated: Host, session: str) -> None:
    for operation in ("session.recent", "session.all", "session.messages"):
        assert contents(rotated.ask(operation, session=session)) == ["one heron", "two herons"]
    assert rotated.ask("session.length", session=session) == 2
    rotated.ask("session.rename", session=session, title="Herons")
    assert rotated.ask("session.get", session="uuid-1").title == "Herons"
    rotated.ask("session.summary.set", session=session, summary="Both.", upper_seq=2)
    assert rotated.ask("session.summary.get", session="uuid-1").summary == "Both."
    rotated.ask("session.scratchpad.write", session=session, items=["look"])
    assert rotated.ask("session.scratchpad.read", session="uuid-2").items == ("look",)
    assert [row.id for row in rotated.ask("session.list")] == ["uuid-1"]


@pytest.mark.parametrize("session", ["uuid-1", "uuid-2"])
def test_search_and_context_take_any_id(rotated: Host, session: str) -> None:
    for legs in (["words"], None):
        result = rotated.ask("memory.search", query=f"herons session:{session}", legs=legs)
        assert {hit.id for hit in result.hits} == {"uuid-1#1", "uuid-1#2"}
    assert "two herons" in rotated.ask("memory.context", prompt="what now", session=session).text
    fact = rotated.ask("fact.remember", content=f"Seen in {session}", session=session).memory
    assert fact.session_id == "uuid-1"


def test_repeated_append_under_the_new_id_stores_nothing_twice(rotated: Host) -> None:
    requested = {"session": "uuid-9", "channel": CHANNEL, "key": "k", "messages": [turn("three")]}
    first, again = (rotated.ask("session.append", **requested) for _ in range(2))
    assert first == again
    assert rotated.ask("session.length", session="uuid-9") == 3


def test_forgetting_and_its_undo_take_every_id_along(rotated: Host) -> None:
    rotated.ask("session.forget", session="uuid-2")
    with pytest.raises(NotFoundError):
        rotated.ask("session.length", session="uuid-1")
    newest = rotated.ask("memory.history", target="uuid-1")[0].id
    rotated.ask("memory.undo", history_ids=[newest])
    assert rotated.ask("session.length", session="uuid-2") == 2


def test_channel_of_another_agent_is_not_taken_over(rotated: Host) -> None:
    requested = {"session": "uuid-3", "channel": CHANNEL, "messages": [turn("mine")]}
    made = rotated.call("session.append", requested, HELPER).result().value
    assert made.created
    assert rotated.ask("session.get", session="uuid-3").id == made.session_id
    restored = rotated.call("session.restore", {"session": "uuid-1", "channel": CHANNEL}, HELPER).result().value
    assert contents(restored.messages) == ["mine"]


def test_channel_that_would_have_to_be_cut_is_refused(host: Host) -> None:
    for operation in ("session.append", "session.create"):
        with pytest.raises(InputError, match="at most 500 characters"):
            host.ask(operation, channel="x" * 501, **({"messages": [turn("a")]} if operation.endswith("d") else {}))
