"""Presence of agents: connected ones, and what each did last."""

import pytest

from app.agents.presence import AgentPresence
from app.changes import ChangeSet
from app.core.clock import SystemClock


@pytest.fixture
def published() -> list[ChangeSet]:
    return []


@pytest.fixture
def seconds() -> list[float]:
    """Return a list whose last item is the time."""
    return [0.0]


@pytest.fixture
def presence(published: list[ChangeSet], seconds: list[float]) -> AgentPresence:
    return AgentPresence(SystemClock(), published.append, lambda: seconds[-1])


def test_who_was_never_there_does_not_leave(presence: AgentPresence, published: list[ChangeSet]) -> None:
    presence.left("agt-1")
    assert (presence.connected(), published) == ((), [])


def test_an_agent_is_there_until_its_last_connection_ends(presence: AgentPresence, published: list[ChangeSet]) -> None:
    presence.joined("agt-1", "scout", "scout 1.0")
    presence.joined("agt-1", "scout", "scout 1.0")
    presence.left("agt-1")
    assert [(one.name, one.connections) for one in presence.connected()] == [("scout", 1)]
    presence.left("agt-1")
    assert presence.connected() == ()
    assert [(change.actor, change.operation) for change in published] == [("scout", ""), ("scout", "")]


def test_calls_are_told_now_and_then_and_the_last_is_kept(
    presence: AgentPresence, published: list[ChangeSet], seconds: list[float]
) -> None:
    presence.joined("agt-1", "scout", "")
    published.clear()
    for operation in ("memory.search", "note.save", "memory.get"):
        presence.called("agt-1", "scout", operation)
    seconds.append(1.0)
    presence.called("agt-1", "scout", "fact.remember")
    assert [change.operation for change in published] == ["memory.search", "fact.remember"]
    assert published[0].areas == {"presence"}
    assert published[0].ids == ("agt-1",)
    assert presence.connected()[0].last_operation == "fact.remember"
