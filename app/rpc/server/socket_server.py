"""The host's socket: lets the owner's programs in and tells them what changes."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from app import __version__
from app.agents.presence import AgentPresence
from app.agents.service import AREA as AGENTS_AREA
from app.api.authentication import Authentication
from app.api.caller import Caller
from app.api.event_access import visible
from app.api.registry import Catalogue, old_token_message
from app.changes import ChangeSet, Event, Feed, Progress
from app.core.error_location import error_location
from app.core.text import counted
from app.errors import AccessDeniedError, AccessRequiredError, MachineError, TooManyConnectionsError
from app.rpc.event_codec import event_payload
from app.rpc.hostfile import new_hostfile, remove_hostfile, write_hostfile
from app.rpc.messages import Hello, welcome
from app.rpc.peer import is_own, peer_process
from app.rpc.server.catalogue_calls import CatalogueCalls
from app.rpc.server.client_connection import ClientTimeouts, Connection, ServerContext
from app.rpc.server.listener import Listener
from app.rpc.server.rate_limit import Rate, TokenBucket
from app.sentence import Sentence

MAX_CONNECTIONS = 64
MAX_AGENT_CONNECTIONS = 56  # the rest is for the person's own programs
MAX_OF_AGENT = 16
MAX_UNKNOWN = 8  # of programs that the person has not let in
MAX_UNAUTHENTICATED = 16  # connections without a hello that have had the time for one
MAX_SETTLING = 192  # connections without a hello, those that came just now too
_DEFAULT_RATE = Rate(200, 400)
_GRACE_SECONDS = 5.0
_BURST_S = 2.0  # an agent with a rate of its own may make the calls of so many seconds at once
_log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SilentPeer:
    """A client that has not sent its hello.

    Args:
        process: The id of its process, 0 if unknown.
        since: When it connected.
    """

    process: int
    since: float


class SocketServer:
    """Serves a catalogue at a local socket; lives on one event loop.

    Args:
        catalogue: What can be called.
        feed: What subscribers are told.
        vault: The vault's folder; ``host.json`` in it says where the socket is.
        authentication: Recognises agents by their tokens; without it only the person's own programs are let in.
        loopback: Listen on 127.0.0.1 whatever else there is.
        timeouts: How long clients may take.
        rate: Returns how often an agent may call.
        cancel_job: Asks a job to stop; returns whether there is one of that id.
        presence: Keeps track of connected agents.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        feed: Feed,
        vault: Path,
        authentication: Authentication | None = None,
        *,
        loopback: bool = False,
        timeouts: ClientTimeouts | None = None,
        rate: Callable[[], Rate] | None = None,
        cancel_job: Callable[[str], bool] | None = None,
        presence: AgentPresence | None = None,
    ) -> None:
        self._presence = presence
        self.address = ""
        self._catalogue = catalogue
        self._feed = feed
        self._vault = vault
        self._authentication = authentication
        self._renewals: set[asyncio.Task[None]] = set()
        self._loopback = loopback
        self._timeouts = timeouts or ClientTimeouts()
        self._calls = CatalogueCalls(catalogue, cancel_job)
        self._rate = rate or (lambda: _DEFAULT_RATE)
        self._buckets: dict[str, TokenBucket] = {}
        self._rates: dict[str, float | None] = {}
        self._connections: dict[asyncio.Task[None], Connection] = {}
        self._silent: dict[Connection, SilentPeer] = {}
        self._clients: set[Connection] = set()

    @property
    def clients(self) -> int:
        """Return the number of connected clients."""
        return len(self._clients)

    async def start(self) -> None:
        """Listen, and write ``host.json``.

        Raises:
            MachineError: There is nowhere to listen, or the file cannot be written.
        """
        self._loop = asyncio.get_running_loop()
        self._listener = Listener(self._vault, loopback=self._loopback)
        self.address = self._listener.address
        description = new_hostfile(self._listener.path, self._listener.port)
        self._calls.token = description.token
        self._context = ServerContext(
            description.token,
            welcome(__version__, str(self._vault), description.pid),
            self._calls,
            self._greeted,
            self._admit,
            self._authenticate,
            self._current,
            self._bucket,
            self._refused,
            self._timeouts,
        )
        # Clients that come before the server is started wait; none is checked against the token of an earlier host.
        try:
            write_hostfile(self._vault, description)
        except MachineError:
            self._listener.close()
            raise
        await self._listener.start(self._on_connected)
        self._unsubscribe = self._feed.subscribe(self._on_event)

    async def stop(self) -> None:
        """Stop: refuse connections, finish running calls within seconds, close everything."""
        remove_hostfile(self._vault)
        self._unsubscribe()
        self._listener.close()
        for connection in self._connections.values():
            connection.finish()
        if self._connections:
            _, late = await asyncio.wait(self._connections, timeout=_GRACE_SECONDS)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)
        await self._listener.wait_closed()

    def _on_connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not is_own(writer.get_extra_info("socket")):
            _log.warning("a process of another user was turned away")
            self._catalogue.trace.event("socket.refused", reason="other_user")
            writer.close()
            return
        connection = Connection(reader, writer, self._context)
        task = asyncio.create_task(connection.run(), name="client")
        self._connections[task] = connection
        self._silent[connection] = SilentPeer(peer_process(writer.get_extra_info("socket")), self._loop.time())
        # What the clients that wait have sent is read first.
        self._loop.call_soon(self._loop.call_soon, self._make_room)
        task.add_done_callback(self._on_disconnected)
        self._catalogue.trace.event("socket.opened", connections=len(self._connections))

    def _greeted(self, connection: Connection) -> None:
        self._silent.pop(connection, None)

    def _make_room(self) -> None:
        """Turn away connections without a hello, if there are too many."""
        settled_before = self._loop.time() - self._timeouts.settle
        while (connection := giving_way(self._silent, settled_before)) is not None:
            del self._silent[connection]
            connection.turn_away(
                TooManyConnectionsError("No hello came while others waited. Send it at once.", without_hello=True)
            )
            self._catalogue.trace.event("socket.refused", reason="no_hello")

    def _on_disconnected(self, task: "asyncio.Task[None]") -> None:
        connection = self._connections.pop(task)
        self._silent.pop(connection, None)
        if connection in self._clients:
            self._clients.discard(connection)
            if self._presence is not None and connection.caller.agent_id:
                self._presence.left(connection.caller.agent_id)
        self._catalogue.trace.event("socket.closed", connections=len(self._connections))
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a connection failed: %s", error_location(error))

    def _admit(self, connection: Connection) -> None:
        """Move a connection to the clients.

        Raises:
            TooManyConnectionsError: No place is free for it.
        """
        caller = connection.caller
        others = [client.caller for client in self._clients if not client.caller.is_owner]
        unknown = sum(other.state == "unknown" for other in others)
        own = sum(other.agent_id == caller.agent_id for other in others)
        if len(self._clients) >= MAX_CONNECTIONS or (not caller.is_owner and len(others) >= MAX_AGENT_CONNECTIONS):
            raise _too_many(f"{counted(len(self._clients), 'program is', 'programs are')}", MAX_CONNECTIONS)
        if caller.state == "unknown" and unknown >= MAX_UNKNOWN:
            raise _too_many(
                f"{counted(unknown, 'program that waits to be let in is', 'programs that wait to be let in are')}",
                MAX_UNKNOWN,
            )
        if caller.agent_id and own >= MAX_OF_AGENT:
            raise _too_many(f"{caller.name} is", MAX_OF_AGENT)
        self._clients.add(connection)
        if self._presence is not None and caller.agent_id:
            self._presence.joined(caller.agent_id, caller.name, caller.client)

    def _bucket(self, connection: Connection) -> TokenBucket:
        """Return the token bucket of an agent, or of an unknown program's connection."""
        agent = connection.caller.agent_id
        if not agent:
            return connection.own_bucket
        self._rates[agent] = self._current(connection.caller).rate
        if agent not in self._buckets:
            self._buckets[agent] = TokenBucket(partial(self._rate_of, agent))
        return self._buckets[agent]

    def _rate_of(self, agent: str) -> Rate:
        """Return the rate of an agent: its own, else that of the settings."""
        own = self._rates.get(agent)
        return self._rate() if own is None else Rate(own, max(1, round(own * _BURST_S)))

    def _refused(self, reason: str) -> None:
        self._catalogue.trace.event("socket.refused", reason=reason)

    async def _authenticate(self, hello: Hello) -> Caller:
        if self._authentication is None:
            raise AccessDeniedError("This token is not the one in the vault's host.json.")
        return await self._authentication.caller(hello.token, hello.name, hello.version)

    def _current(self, caller: Caller) -> Caller:
        """Return a caller as the person has decided by now."""
        return caller if self._authentication is None else self._authentication.current(caller)

    async def _renew_callers(self) -> None:
        """Update the callers of open connections; close those whose access has ended."""
        if self._authentication is None:
            return
        for connection in [client for client in self._clients if not client.caller.is_owner]:
            caller = connection.caller
            is_unknown = caller.state == "unknown"
            renewed = await (
                self._authenticate(connection.hello) if is_unknown else self._authentication.renewed(caller)
            )
            if renewed is not None:
                connection.caller = renewed
                if is_unknown and renewed.agent_id and self._presence is not None:
                    self._presence.joined(renewed.agent_id, renewed.name, renewed.client)
                if renewed != caller:
                    # What it may do has changed, which is the one change among agents that it hears of.
                    connection.tell(event_payload(ChangeSet(frozenset({AGENTS_AREA}), (renewed.agent_id,))))
            else:
                is_replaced = self._current(caller).has_old_token
                self._catalogue.trace.event("socket.refused", reason="old_token" if is_replaced else "revoked")
                sentence = Sentence("The access of {agent} has ended.", agent=caller.name)
                if is_replaced:
                    sentence = old_token_message(caller.name)
                connection.turn_away(AccessRequiredError(sentence, ended=True, replaced=is_replaced))

    def _on_event(self, event: Event) -> None:
        # The feed is told on whichever thread the work is done.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._broadcast, event)

    def _broadcast(self, event: Event) -> None:
        if isinstance(event, ChangeSet) and AGENTS_AREA in event.areas:
            renewal = asyncio.create_task(self._renew_callers(), name="renew-callers")
            self._renewals.add(renewal)
            renewal.add_done_callback(self._renewals.discard)
        payload: bytes | None = None
        for connection in self._clients:
            if not connection.wants(event):
                continue
            seen = self._visible(event, self._current(connection.caller))
            if seen is event:
                payload = payload or event_payload(event)
                connection.tell(payload)
            elif seen is not None and connection.wants(seen):
                connection.tell(event_payload(seen))

    def _visible(self, event: Event, caller: Caller) -> Event | None:
        """Return what a caller may know of an event, ``None`` for nothing."""
        if isinstance(event, Progress) and self._calls.began(event.job, caller):
            return event
        if self._catalogue.holds_agents and not caller.is_owner:
            return None
        return visible(event, caller)


def giving_way(silent: Mapping[T, SilentPeer], settled_before: float) -> T | None:
    """Return the connection without a hello that has to leave, ``None`` where there is room.

    The process with the most of them loses its oldest, so that one that only connects keeps nobody else out.

    Args:
        silent: Connections without a hello, the oldest first.
        settled_before: Those that came later have not had the time for a hello, and stay while there is room at all.
    """
    if len(silent) > MAX_SETTLING:
        candidates = dict(silent)
    else:
        candidates = {connection: peer for connection, peer in silent.items() if peer.since <= settled_before}
        if len(candidates) <= MAX_UNAUTHENTICATED:
            return None
    counts = Counter(peer.process for peer in candidates.values())
    return max(
        candidates, key=lambda connection: (counts[candidates[connection].process], -candidates[connection].since)
    )


def _too_many(who: str, allowed: int) -> TooManyConnectionsError:
    return TooManyConnectionsError(
        Sentence("{who} connected to Keepsake already. Close one and try again.", who=who), allowed=allowed
    )
