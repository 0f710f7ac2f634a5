"""Presence of agents: who is connected now, and what each did last."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from app.agents.model import ConnectedAgent
from app.changes import ChangeSet
from app.core.clock import Clock, to_datetime

AREA: Final = "presence"
_BETWEEN_S: Final = 0.4  # an agent's calls are told no more often


class AgentPresence:
    """Keeps track of connected agents; belongs to the engine's loop.

    Args:
        clock: The source of the time.
        publish: Hears when agents come, go and call.
        monotonic: Returns seconds of a clock that only goes forward.
    """

    def __init__(
        self, clock: Clock, publish: Callable[[ChangeSet], None], monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._publish = publish
        self._monotonic = monotonic
        self._connected: dict[str, ConnectedAgent] = {}
        self._published: dict[str, float] = {}

    def connected(self) -> tuple[ConnectedAgent, ...]:
        """Return the agents that are connected now, by name."""
        return tuple(sorted(self._connected.values(), key=lambda agent: agent.name.casefold()))

    def joined(self, agent_id: str, name: str, client: str) -> None:
        """Take note of a connection of an agent."""
        known = self._connected.get(agent_id)
        if known is not None:
            self._connected[agent_id] = replace(known, connections=known.connections + 1)
            return
        self._connected[agent_id] = ConnectedAgent(agent_id, name, client, to_datetime(self._clock.now_ms()))
        self._tell(agent_id, name, "")

    def left(self, agent_id: str) -> None:
        """Take note of the end of a connection of an agent."""
        known = self._connected.get(agent_id)
        if known is None:
            return
        if known.connections > 1:
            self._connected[agent_id] = replace(known, connections=known.connections - 1)
            return
        del self._connected[agent_id]
        self._published.pop(agent_id, None)
        self._tell(agent_id, known.name, "")

    def called(self, agent_id: str, name: str, operation: str) -> None:
        """Take note of an agent's call, and publish it now and then."""
        known = self._connected.get(agent_id)
        if known is not None:
            at = to_datetime(self._clock.now_ms())
            self._connected[agent_id] = replace(known, last_operation=operation, last_at=at)
        now = self._monotonic()
        if now - self._published.get(agent_id, -_BETWEEN_S) >= _BETWEEN_S:
            self._published[agent_id] = now
            self._tell(agent_id, name, operation)

    def _tell(self, agent_id: str, name: str, operation: str) -> None:
        self._publish(ChangeSet(frozenset({AREA}), (agent_id,), name, operation))
