"""Writes under review that carry a key: the same proposal, refusal and acceptance as without one."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.api.caller import Caller, caller_of
from app.api.catalogue import declared
from app.core.declared_operations import declared_operations
from app.core.paths import migrations
from app.errors import InputError, KeyConflictError
from app.host import Host
from app.inbox.model import Proposal
from app.llm.model import Usage
from app.spending.service import SpendingService
from app.store.store import Store
from app.store.transaction_wrapper import DeliberateRollbackError, wrapped_transactions
from tests.helpers.models.chat_server import ChatReply, ChatServer

KEYS = {item.name: item.key for item in declared() if item.key}
CALLS: dict[str, dict[str, Any]] = {
    "note.save": {"content": "heron by the river", "title": "Heron", "tags": ["bird"]},
    "memory.write": {"content": "heron by the river", "kind": "fact"},
}


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    running.start()
    running.ask("agent.add", name="scout", trust="full", review=True)
    yield running
    running.stop()


@pytest.fixture
def scout(host: Host) -> Caller:
    return caller_of(host.ask("agent.list")[0])


def propose(host: Host, caller: Caller, operation: str, **arguments: Any) -> Proposal:
    reply = host.call(operation, arguments, caller).result()
    assert reply.outcome == "proposed"
    proposal: Proposal = host.ask("inbox.get", id=reply.value.proposed)
    return proposal


def texts(host: Host) -> list[str]:
    return sorted(row.preview for row in host.ask("memory.list", limit=100))


def test_every_operation_that_may_be_repeated_is_tried_here() -> None:
    assert declared_operations().keys == KEYS
    assert {item.name for item in declared() if item.key and item.review == "content"} == set(CALLS)


@pytest.mark.parametrize("operation", CALLS)
def test_a_key_changes_nothing_of_what_the_person_sees(host: Host, scout: Caller, operation: str) -> None:
    plain = propose(host, scout, operation, **CALLS[operation])
    host.ask("inbox.reject", id=plain.id)
    keyed = propose(host, scout, operation, key="k1", **CALLS[operation])
    assert keyed.preview.count == 1
    shown = [replace(change, target="") for change in plain.preview.changes]
    assert [replace(change, target="") for change in keyed.preview.changes] == shown
    assert (keyed.kind, keyed.preview.why, keyed.preview.basis) == (plain.kind, plain.preview.why, plain.preview.basis)


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize("key", ["", "k1", "k" * 501])
def test_wrong_arguments_are_refused_at_once(host: Host, scout: Caller, operation: str, key: str) -> None:
    with pytest.raises(InputError):
        host.call(operation, {"content": "" if len(key) < 200 else "heron", "key": key}, scout).result()
    assert host.ask("inbox.count") == 0


@pytest.mark.parametrize("operation", CALLS)
def test_the_same_proposal_waits_once_whatever_its_key(host: Host, scout: Caller, operation: str) -> None:
    ids = {propose(host, scout, operation, key=key, **CALLS[operation]).id for key in ("k1", "", "k2", "k1")}
    assert len(ids) == 1
    host.ask("inbox.accept", id=ids.pop())
    host.call(operation, {"key": "k1", **CALLS[operation]}, scout).result()  # the answer of the acceptance was lost
    assert texts(host) == ["heron by the river"]
    assert host.ask("inbox.count") == 0


def test_a_key_that_waits_stands_for_one_write(host: Host, scout: Caller) -> None:
    propose(host, scout, "note.save", content="heron", key="k1")
    with pytest.raises(KeyConflictError):
        host.call("note.save", {"content": "crane", "key": "k1"}, scout).result()
    with pytest.raises(KeyConflictError):  # as when both are done at once
        host.call("memory.write", {"content": "heron", "key": "k1"}, scout).result()
    assert host.ask("inbox.count") == 1


@pytest.mark.parametrize("operation", CALLS)
def test_a_rejected_write_that_is_repeated_does_not_wait_again(host: Host, scout: Caller, operation: str) -> None:
    one = propose(host, scout, operation, key="k1", **CALLS[operation])
    host.ask("inbox.reject", id=one.id, reason="Not this one")
    for content in ({}, {"content": "crane"}):
        with pytest.raises(KeyConflictError, match=f"rejected .*{one.id}.*Not this one"):
            host.call(operation, {"key": "k1", **CALLS[operation], **content}, scout).result()
    assert host.ask("inbox.count") == 0
    host.ask("history.undo", id=host.ask("history.list", limit=1).acts[0].id)
    assert propose(host, scout, operation, key="k1", **CALLS[operation]).id == one.id


def test_an_edited_proposal_keeps_its_key(host: Host, scout: Caller) -> None:
    one = propose(host, scout, "note.save", content="heron", key="k1")
    host.ask("inbox.edit", id=one.id, arguments={"content": "grey heron", "key": "k1"})
    (decision,) = host.ask("inbox.accept", id=one.id)
    assert decision.state == "accepted"
    assert texts(host) == ["grey heron"]


@pytest.mark.parametrize("key", ["", "k1"])
def test_what_was_changed_since_is_looked_at_again(host: Host, scout: Caller, key: str) -> None:
    """A language model, whose cost is noted meanwhile, decides that the write replaces a fact."""
    old = host.ask("memory.write", content="The heron nests by the old mill", kind="fact").memory
    decision = json.dumps({"action": "UPDATE", "index": 0, "content": "The heron nests by the new mill"})
    with ChatServer() as server:
        server.usual = lambda _: ChatReply(decision)
        for name, value in {"provider": "openai-compatible", "base_url": server.address, "model": "m"}.items():
            host.ask("settings.set", name=f"llm.{name}", value=value)
        host.ask("settings.set", name="memories.candidate_similarity", value=0.1)
        content = "The heron nests by the new mill"
        one = propose(host, scout, "memory.write", content=content, kind="fact", key=key)
        assert old.id in one.preview.basis
        host.ask("fact.confirm", id=old.id)
        (answer,) = host.ask("inbox.accept", id=one.id)
        assert answer.state == "stale"
        assert host.ask("inbox.accept", id=one.id)[0].state == "accepted"
    assert texts(host) == ["The heron nests by the new mill"]


def test_what_a_call_cost_stays_when_it_is_taken_back(vault: Path) -> None:
    class Clock:
        def now_ms(self) -> int:
            return 1_700_000_000_000

    store = Store.open(vault, migrations())

    async def work() -> list[int]:
        spending = SpendingService(store, Clock())

        def take_back(work: Any, connection: Any) -> Any:
            raise DeliberateRollbackError

        with wrapped_transactions(take_back):
            await spending.record("memory.write", "m", Usage(3, 4), is_failure=False)
        return [one.requests for one in await spending.by_month(1)]

    try:
        assert asyncio.run(work()) == [1]
    finally:
        store.close()
