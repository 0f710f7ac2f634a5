"""The host's socket: lets the owner's programs in and tells them what changes."""

import asyncio
import contextlib
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

from app import __version__
from app.agents.service import AREA as AGENTS_AREA
from app.api.argument_schema import argument_schema
from app.api.authentication import Authentication
from app.api.caller import Caller
from app.api.registry import Catalogue, Operation, Reply, require_access
from app.changes import ChangeSet, Event, Feed
from app.core.error_location import error_location
from app.errors import AccessDeniedError, AccessRequiredError, MachineError
from app.rpc.client_connection import ClientTimeouts, Connection, ServerContext
from app.rpc.framing import FrameError, encode
from app.rpc.hostfile import new_hostfile, remove_hostfile, write_hostfile
from app.rpc.listener import HAS_UNIX_SOCKETS, listen_on_loopback, listen_on_path
from app.rpc.messages import CHANGED, PROGRESSED, Hello, RpcRequest, notification, welcome
from app.rpc.peer import is_own

MAX_CONNECTIONS = 64
MAX_STRANGERS = 16  # connections without a right token so far; a newer one takes the place of the oldest
_GRACE_SECONDS = 5.0
_MAX_IDS = 10_000  # beyond, a change set means everything in its areas
_log = logging.getLogger(__name__)


class SocketServer:
    """Serves a catalogue at a local socket; lives on one event loop.

    Args:
        catalogue: What can be called.
        feed: What subscribers are told.
        vault: The vault's folder; ``host.json`` in it says where the socket is.
        authentication: Recognises agents by their tokens; without it only the person's own programs are let in.
        loopback: Listen on 127.0.0.1 instead of a Unix socket.
        patience: How long clients may take.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        feed: Feed,
        vault: Path,
        authentication: Authentication | None = None,
        *,
        loopback: bool = not HAS_UNIX_SOCKETS,
        patience: ClientTimeouts | None = None,
    ) -> None:
        self.address = ""
        self._catalogue = catalogue
        self._feed = feed
        self._vault = vault
        self._authentication = authentication
        self._renewals: set[asyncio.Task[None]] = set()
        self._loopback = loopback
        self._patience = patience or ClientTimeouts()
        self._connections: dict[asyncio.Task[None], Connection] = {}
        self._strangers: dict[Connection, None] = {}
        self._clients: set[Connection] = set()
        self._path: Path | None = None

    async def start(self) -> None:
        """Listen, and write ``host.json``.

        Raises:
            MachineError: There is nowhere to listen, or the file cannot be written.
        """
        self._loop = asyncio.get_running_loop()
        listening = self._listen()
        port = listening.getsockname()[1] if self._path is None else 0
        self.address = str(self._path) if self._path is not None else f"127.0.0.1:{port}"
        description = new_hostfile(str(self._path or ""), port)
        self._house = ServerContext(
            description.token,
            welcome(__version__, str(self._vault), description.pid),
            self._call,
            self._admit,
            self._authenticate,
            self._patience,
        )
        # Whoever comes before the server is started waits; nobody is judged by the token of a host before this one.
        try:
            write_hostfile(self._vault, description)
        except MachineError:
            listening.close()
            self._unlink()
            raise
        self._server = await asyncio.start_server(self._on_connected, sock=listening)
        self._unsubscribe = self._feed.subscribe(self._on_event)

    async def stop(self) -> None:
        """Stop: refuse connections, finish running calls within seconds, close everything."""
        remove_hostfile(self._vault)
        self._unsubscribe()
        self._server.close()
        self._unlink()
        for connection in self._connections.values():
            connection.finish()
        if self._connections:
            _, late = await asyncio.wait(self._connections, timeout=_GRACE_SECONDS)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)
        await self._server.wait_closed()

    def _listen(self) -> Any:
        if self._loopback:
            return listen_on_loopback()
        listening, self._path = listen_on_path(self._vault)
        return listening

    def _unlink(self) -> None:
        if self._path is not None:
            with contextlib.suppress(OSError):  # a dead socket is harmless: the next host removes it
                self._path.unlink(missing_ok=True)

    def _on_connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not is_own(writer.get_extra_info("socket")):
            _log.warning("a process of another user was turned away")
            self._catalogue.trace.event("socket.refused", reason="other_user")
            writer.close()
            return
        if len(self._strangers) >= MAX_STRANGERS:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.turn_away(FrameError("No hello came while others waited. Send it at once."))
            self._catalogue.trace.event("socket.refused", reason="no_hello")
        connection = Connection(reader, writer, self._house)
        task = asyncio.create_task(connection.run(), name="client")
        self._connections[task] = connection
        self._strangers[connection] = None
        task.add_done_callback(self._on_disconnected)
        self._catalogue.trace.event("socket.opened", connections=len(self._connections))

    def _on_disconnected(self, task: "asyncio.Task[None]") -> None:
        connection = self._connections.pop(task)
        self._strangers.pop(connection, None)
        self._clients.discard(connection)
        self._catalogue.trace.event("socket.closed", connections=len(self._connections))
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a connection failed: %s", error_location(error))

    def _admit(self, connection: Connection) -> None:
        """Move a connection from the strangers to the clients.

        Raises:
            MachineError: All places are taken.
        """
        if len(self._clients) >= MAX_CONNECTIONS:
            self._catalogue.trace.event("socket.refused", reason="too_many")
            raise MachineError(
                f"{MAX_CONNECTIONS} programs are connected to Keepsake already. Close one and try again.",
                allowed=MAX_CONNECTIONS,
            )
        self._strangers.pop(connection, None)
        self._clients.add(connection)

    async def _authenticate(self, said: Hello) -> Caller:
        if self._authentication is None:
            raise AccessDeniedError("This token is not the one in the vault's host.json.")
        return await self._authentication.caller(said.token, said.name, said.version)

    async def _call(self, request: RpcRequest, caller: Caller) -> Reply:
        if request.method == "describe":
            return Reply(self._described(caller, with_schemas=request.params.get("schemas") is True))
        return await self._catalogue.call(request.method, request.params, caller)

    def _described(self, caller: Caller, *, with_schemas: bool) -> list[dict[str, Any]]:
        """Return the operations that a caller may call, with argument schemas where wanted."""
        found = []
        for item in self._catalogue.operations.values():
            with contextlib.suppress(AccessDeniedError):
                require_access(item, caller)
                found.append(_description(item) | ({"schema": argument_schema(item)} if with_schemas else {}))
        return found

    async def _renew_callers(self) -> None:
        """Update the callers of open connections; close those whose access has ended."""
        if self._authentication is None:
            return
        for connection in [one for one in self._clients if not one.caller.is_owner]:
            caller = connection.caller
            is_unknown = caller.state == "unknown"
            renewed = await (
                self._authenticate(connection.hello) if is_unknown else self._authentication.renewed(caller)
            )
            if renewed is not None:
                connection.caller = renewed
            else:
                self._catalogue.trace.event("socket.refused", reason="revoked")
                connection.turn_away(AccessRequiredError(f"The access of {caller.name} has ended."))

    def _on_event(self, event: Event) -> None:
        # The feed is told on whichever thread the work is done.
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._broadcast, event)

    def _broadcast(self, event: Event) -> None:
        if isinstance(event, ChangeSet) and AGENTS_AREA in event.areas:
            renewal = asyncio.create_task(self._renew_callers(), name="renew-callers")
            self._renewals.add(renewal)
            renewal.add_done_callback(self._renewals.discard)
        if self._connections:
            if isinstance(event, ChangeSet) and len(event.ids) > _MAX_IDS:
                event = replace(event, ids=())
            method = CHANGED if isinstance(event, ChangeSet) else PROGRESSED
            frame = encode(notification(method, event))
            # Agents are told nothing that their trust does not reach; until that is known, nothing at all.
            for connection in self._connections.values():
                if connection.caller.is_owner:
                    connection.tell(frame)


def _description(operation: Operation) -> dict[str, Any]:
    parameters = [
        {
            "name": item.name,
            "type": item.type,
            "required": item.required,
            "default": item.default,
            "help": item.help,
        }
        for item in operation.parameters
    ]
    return {
        "name": operation.name,
        "access": operation.access,
        "trust": operation.trust,
        "destructive": operation.destructive,
        "summary": operation.summary,
        "doc": operation.doc,
        "parameters": parameters,
    }
