"""Agents below full trust: own conversations and stores only."""

from typing import Any

import pytest

from app.api.caller import Caller
from app.errors import AccessDeniedError, InputError, NotFoundError
from app.host import Host
from tests.helpers.engine import engine_of

HELPER = Caller("helper", "inner")
TURN = {"role": "user", "content": "words"}


def ask_as(host: Host, caller: Caller, operation: str, **arguments: Any) -> Any:
    return host.call(operation, arguments, caller).result().value


def append(host: Host, caller: Caller, **arguments: Any) -> Any:
    return ask_as(host, caller, "session.append", messages=[TURN], **arguments)


def test_an_id_that_another_conversation_has_is_free_for_the_agent(host: Host) -> None:
    host.ask("session.append", session="mine", messages=[TURN] * 7, channel="chat:1")
    host.ask("session.append", session="gone", messages=[TURN] * 7)
    host.ask("session.forget", session="gone")
    for session in ("mine", "gone", "free"):
        made = append(host, HELPER, session=session)
        assert made.created
        assert made.session_id.startswith("ses-")
        assert made.seqs == (1,)
        again = append(host, HELPER, session=session)
        assert (again.session_id, again.seqs, again.created) == (made.session_id, (2,), False)
        assert ask_as(host, HELPER, "session.length", session=session) == 2
        with pytest.raises(NotFoundError):
            ask_as(host, Caller("spy", "inner"), "session.length", session=session)
    assert host.ask("session.length", session="mine") == 7
    assert host.ask("session.get", session="free").agent == "helper"


def test_ones_own_conversation_goes_on_whatever_it_said_of_the_agent(host: Host) -> None:
    for arguments in ({}, {"agent": "somebody else"}):
        made = append(host, HELPER, **arguments)
        assert made.created
        assert append(host, HELPER, session=made.session_id).seqs == (2,)
        assert host.ask("session.get", session=made.session_id).agent == "helper"
    created = ask_as(host, HELPER, "session.create", agent="x")
    assert append(host, HELPER, session=created.id).seqs == (1,)
    assert ask_as(host, HELPER, "session.scratchpad.write", session=created.id, items=["a"]).items == ("a",)


def test_a_channel_leads_to_ones_own_conversation_only(host: Host) -> None:
    host.ask("session.append", session="mine", messages=[TURN], channel="chat:1")
    made = append(host, HELPER, channel="chat:1")
    assert made.created
    assert made.session_id != "mine"
    assert append(host, HELPER, channel="chat:1").session_id == made.session_id
    assert append(host, Caller("other", "full"), session="mine").seqs == (2,)


def test_what_is_taken_behind_its_back_goes_nowhere_else_either(host: Host) -> None:
    host.ask("session.append", session="mine", messages=[TURN])
    ask_as(host, HELPER, "session.append_later", messages=[TURN], session="mine")
    ask_as(host, HELPER, "session.append_later", messages=[TURN], session="ours")
    engine: Any = engine_of(host)
    host.submit(engine.sessions.write_behind.drain()).result()
    assert host.ask("session.length", session="mine") == 1
    assert ask_as(host, HELPER, "session.length", session="mine") == 1
    assert host.ask("session.get", session="ours").agent == "helper"


def test_agents_below_full_trust_choose_no_ids_of_memories(host: Host) -> None:
    host.ask("note.save", id="diary", content="secret")
    said = set()
    for taken in ("diary", "free"):
        with pytest.raises(InputError) as caught:
            ask_as(host, HELPER, "note.save", id=taken, content="x", store="shared")
        said.add(caught.value.message.replace(taken, "X"))
    assert len(said) == 1
    assert host.ask("note.get", id="diary").content == "secret"


def test_what_it_writes_it_can_read(host: Host) -> None:
    note = ask_as(host, HELPER, "note.save", content="ours")
    assert note.store == "shared"
    assert ask_as(host, HELPER, "note.get", id=note.id) == note
    with pytest.raises(AccessDeniedError):
        ask_as(host, HELPER, "note.save", content="x", store="private")
    with pytest.raises(AccessDeniedError):
        ask_as(host, HELPER, "note.update", id=note.id, version=1, store="private")
    assert host.ask("note.save", content="mine").store == "private"


READS = ("get", "length", "recent", "messages", "all", "restore", "summary.get")


def test_agent_reads_its_own_conversations_and_no_others(host: Host) -> None:
    host.ask("session.append", session="mine", messages=[TURN])
    made = append(host, HELPER, session="ours")
    for name in READS:
        operation = f"session.{name}"
        assert ask_as(host, HELPER, operation, session=made.session_id) == host.ask(operation, session="ours")
        said = set()
        for session in ("mine", "none"):
            with pytest.raises(NotFoundError) as caught:
                ask_as(host, HELPER, operation, session=session)
            said.add(caught.value.message.replace(session, "X"))
        assert len(said) == 1


def test_agent_keeps_the_summary_of_its_own_conversations_only(host: Host) -> None:
    host.ask("session.append", session="mine", messages=[TURN])
    append(host, HELPER, session="ours")
    assert ask_as(host, HELPER, "session.summary.set", session="ours", summary="Said.", expected_epoch=0).applied
    for operation, more in (("summary.set", {"summary": "x"}), ("summary.roll", {}), ("compact", {})):
        with pytest.raises(NotFoundError):
            ask_as(host, HELPER, f"session.{operation}", session="mine", **more)
    assert host.ask("session.summary.get", session="mine").epoch == 0
