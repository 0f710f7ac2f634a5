"""Link of one MCP client to the host, across restarts of the host."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app import __version__
from app.changes import EVERYTHING
from app.errors import AccessRequiredError, HostUnreachableError
from app.mcp import identity
from app.mcp.host_launcher import ensure_host
from app.rpc.async_connection import AsyncConnection
from app.rpc.credentials import Credentials
from app.rpc.event_codec import changes_to_wire
from app.rpc.messages import CHANGED, EventListener

_ATTEMPTS: Final = 3
_REQUESTED_TRUST: Final = "inner"
_CLOSED: Final = frozenset({"allowed", "expired"})  # states of a request that nobody decides any more
_REASON: Final = "It wants to recall and to remember for you, through MCP."
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ClientIdentity:
    """The name and version that an MCP client gave of itself."""

    name: str
    version: str


class HostLink:
    """Connection of one client to the host of a vault.

    Args:
        vault: The vault's folder.
        client: The name and version to show the host.
        token: The only token to show, whatever becomes of it; without it those that the client keeps are tried, and
            one is requested.
    """

    def __init__(self, vault: Path, client: ClientIdentity, token: str | None = None) -> None:
        self.vault = vault
        self.client = client
        self._token = token
        self._connection: AsyncConnection | None = None
        self._connecting = asyncio.Lock()
        self._listeners: list[EventListener] = []
        self._is_subscribed = False
        self._request = ""
        self._returning: set[asyncio.Task[None]] = set()
        self._is_closed = False
        self._known: AsyncConnection | None = None

    async def call(self, operation: str, arguments: Mapping[str, Any] | None = None, *, repeatable: bool) -> Any:
        """Call an operation, connecting first where needed.

        Args:
            operation: Its name.
            arguments: By name.
            repeatable: Whether it may be sent again when the host went away before it answered.

        Raises:
            KeepsakeError: What the host reports.
            HostUnreachableError: The host went away, and what became of the call is not known.
        """
        for attempt in range(_ATTEMPTS):
            connection = await self._connected()
            try:
                return (await connection.reply(operation, arguments))[0]
            except AccessRequiredError as error:
                # Refused before anything was done: what was let in meanwhile may be sent again.
                if self._token is not None or attempt + 1 == _ATTEMPTS or not await self._is_let_in_now(connection):
                    raise await self._refusal(error) from error
            except HostUnreachableError as error:
                await self._dropped(connection)
                if not repeatable and getattr(error, "was_sent", True):
                    raise HostUnreachableError(
                        f"{getattr(error, 'reason', '') or 'Keepsake was restarted during this call.'} It may or may"
                        " not have been carried out; look before you repeat it.",
                        operation=operation,
                    ) from error
                if attempt + 1 == _ATTEMPTS:
                    raise
        raise AssertionError  # every attempt returns or raises

    async def is_let_in(self) -> bool:
        """Return whether the host knows this client."""
        connection = await self._connected()
        # One that is known stays so on this connection: the host closes it when its access ends.
        if self._known is not connection:
            self._known = connection if await _is_known(connection) else None
        return self._known is connection

    async def subscribe(self, listener: EventListener) -> Callable[[], None]:
        """Hear of changes on the loop, across restarts of the host; returns what ends it."""
        self._listeners.append(listener)
        connection = await self._connected()
        if not self._is_subscribed:
            await connection.subscribe()
            self._is_subscribed = True

        def unsubscribe() -> None:
            with contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return unsubscribe

    async def close(self) -> None:
        """Leave the host; it goes on."""
        self._is_closed = True
        for task in self._returning:
            task.cancel()
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    async def _connected(self) -> AsyncConnection:
        async with self._connecting:
            if self._connection is None or not self._connection.is_open:
                try:
                    self._connection = await self._known_connection()
                except HostUnreachableError:
                    await asyncio.to_thread(ensure_host, self.vault)
                    self._connection = await self._known_connection()
                self._is_subscribed = False
                if self._listeners:
                    with contextlib.suppress(AccessRequiredError):
                        await self._connection.subscribe()
                        self._is_subscribed = True
            return self._connection

    async def _known_connection(self) -> AsyncConnection:
        """Return a connection with the first token that the host knows, else the last."""
        if self._token is not None:
            return await self._dial(self._token)
        tokens = await asyncio.to_thread(identity.known_tokens, self.vault, self.client.name)
        for token in tokens[:-1]:
            connection = await self._dial(token)
            if await _is_known(connection):
                return connection
            await connection.close()
        return await self._dial(tokens[-1] if tokens else "")

    async def _dial(self, token: str) -> AsyncConnection:
        shown = Credentials(token, self.client.name, self.client.version or __version__)
        return await AsyncConnection.connect(self.vault, self._on_event, self._on_lost, credentials=shown)

    async def _is_let_in_now(self, connection: AsyncConnection) -> bool:
        """Return whether the host knows this client by now, over a new connection."""
        await self._dropped(connection)
        return await _is_known(await self._connected())

    async def _refusal(self, refused: AccessRequiredError) -> AccessRequiredError:
        """Ask the person for access, once, and return the sentence that says so.

        A token that was given is the person's decision: where it is refused, nothing is asked for.
        """
        if self._token is not None:
            return _ended(refused)
        if refused.data.get("replaced") or refused.data.get("request_state") in _CLOSED:
            # It was let in and its token was replaced since: only a new request leads on.
            self._request = ""
        elif not self._request:
            self._request = await asyncio.to_thread(identity.waiting_request, self.vault, self.client.name)
        connection = await self._connected()
        if not self._request:
            wanted = {"name": self.client.name, "trust": _REQUESTED_TRUST, "reason": _REASON}
            given, _ = await connection.reply("agent.request_access", wanted)
            self._request = str(given["id"])
            await asyncio.to_thread(identity.keep, self.vault, self.client.name, given["token"], self._request)
            # From now on with the token: it becomes valid on the open connection.
            await self._dropped(connection)
        return AccessRequiredError(
            f"The person has not let '{self.client.name}' into Keepsake yet. They were asked; they can allow it in"
            f" Keepsake's window, in the tray, or with: keepsake agent allow {_quoted(self.client.name)}"
            " -- then repeat the call.",
            request=self._request,
        )

    async def _dropped(self, connection: AsyncConnection) -> None:
        if self._connection is connection:
            self._connection = None
        await connection.close()

    def _on_event(self, kind: str, event: Any) -> None:
        if kind == "dropped" and self._connection is not None:
            self._is_subscribed = False
            self._come_back()
        for listener in list(self._listeners):
            listener(kind, event)

    def _on_lost(self) -> None:
        if self._listeners and not self._is_closed:
            self._come_back()

    def _come_back(self) -> None:
        task = asyncio.get_running_loop().create_task(self._return(), name="reconnect")
        self._returning.add(task)
        task.add_done_callback(self._returning.discard)

    async def _return(self) -> None:
        """Connect again for the listeners' sake, and have them take everything as changed."""
        try:
            connection = await self._connected()
            if not self._is_subscribed:
                await connection.subscribe()
                self._is_subscribed = True
        except (HostUnreachableError, AccessRequiredError) as error:
            _log.info("changes are not followed for now: %s", error)
            return
        for listener in list(self._listeners):
            listener(CHANGED, changes_to_wire(EVERYTHING))


async def _is_known(connection: AsyncConnection) -> bool:
    found, _ = await connection.reply("agent.whoami")
    return bool(found["state"] != "unknown")


def _ended(refused: AccessRequiredError) -> AccessRequiredError:
    if refused.data.get("ended"):
        return refused
    return AccessRequiredError(
        "Keepsake does not know the token that this program was given: it is wrong, or was replaced by a newer one. Ask"
        " the person for the one that is valid.",
        **refused.data,
    )


def _quoted(name: str) -> str:
    return name if name.replace("-", "").replace("_", "").isalnum() else f"'{name}'"
