"""The link of an MCP client to the host."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app import __version__
from app.errors import AccessRequiredError, HostUnreachableError, StaleError
from app.mcp import identity
from app.mcp.host_launcher import ensure_host
from app.rpc.client.dial import ask, dial
from app.rpc.client.host_client import Client
from app.rpc.client.host_connection import HostConnection
from app.rpc.client.stream import Stream
from app.rpc.confirmation import CONFIRMED, confirmation_of
from app.rpc.credentials import Credentials
from app.rpc.framing import MAX_SHORT_FRAME
from app.rpc.hostfile import read_hostfile
from app.rpc.messages import EventListener
from app.sentence import Sentence

_ATTEMPTS: Final = 3
_REQUESTED_TRUST: Final = "inner"
_CLOSED: Final = frozenset({"allowed", "expired"})  # states of a request that nobody decides any more
_REASON: Final = "It wants to recall and to remember for you, through MCP."


@dataclass(frozen=True, slots=True)
class ClientIdentity:
    """The name and version that an MCP client gave of itself."""

    name: str
    version: str


class HostLink:
    """The connection of one client to a host, which it starts if none runs.

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
        # A host that is started anew takes the time that it needs, so that it is tried once.
        self._host = Client(self._reached, MAX_SHORT_FRAME, reconnect_seconds=0)
        self._listeners: list[EventListener] = []
        self._request = ""
        self._known: HostConnection | None = None

    async def call(
        self,
        operation: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        repeatable: bool,
        is_confirmed: bool = False,
    ) -> Any:
        """Call an operation, connecting first where needed.

        Args:
            operation: Its name.
            arguments: By name.
            repeatable: Whether it may be sent again when the host went away before it answered.
            is_confirmed: Whether the person was asked about this call and said yes.

        Raises:
            KeepsakeError: What the host reports.
            HostUnreachableError: The host went away, and what became of the call is not known.
        """
        values = arguments or {}
        for attempt in range(_ATTEMPTS):
            sent = (
                {**values, CONFIRMED: confirmation_of(await self._owner(), operation, values)}
                if is_confirmed
                else values
            )
            connection = self._host.connection
            try:
                return await self._answer(operation, sent, repeatable=repeatable)
            except StaleError as error:
                if error.data.get("field") != CONFIRMED or attempt + 1 == _ATTEMPTS:
                    raise
                # Refused before anything was done: another host has taken the place of the one that it was meant for.
                await asyncio.to_thread(self._host.hang_up)
            except AccessRequiredError as error:
                # Refused before anything was done: what was let in meanwhile may be sent again.
                if self._token is not None or attempt + 1 == _ATTEMPTS or not await self._is_let_in_now(connection):
                    raise await self._refusal(error) from error
        raise AssertionError  # every attempt returns or raises

    async def _owner(self) -> str:
        """Return the owner's token of the host, which is started where none runs."""
        await self.is_let_in()
        try:
            return read_hostfile(self.vault).token
        except HostUnreachableError:  # it was closing while it answered: the next one counts
            await asyncio.to_thread(self._host.hang_up)
            await self.is_let_in()
            return read_hostfile(self.vault).token

    async def is_let_in(self) -> bool:
        """Return whether the host knows this client."""
        # One that is known stays so on this connection: the host closes it when its access ends.
        if self._known is None or self._known is not self._host.connection:
            whoami = await self._answer("agent.whoami", repeatable=True)
            self._known = self._host.connection if _is_known(whoami) else None
        return self._known is not None

    async def subscribe(self, listener: EventListener) -> Callable[[], None]:
        """Hear of changes on the loop, across restarts of the host; returns what ends it."""
        self._listeners.append(listener)
        loop = asyncio.get_running_loop()

        def on_event(kind: str, event: Any) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and its listeners with it
                loop.call_soon_threadsafe(self._tell, kind, event)

        await asyncio.wrap_future(self._host.follow(on_event))

        def unsubscribe() -> None:
            with contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return unsubscribe

    async def close(self) -> None:
        """Leave the host; it goes on."""
        await asyncio.to_thread(self._host.close)

    async def _answer(
        self, operation: str, arguments: Mapping[str, Any] | None = None, *, repeatable: bool | None = False
    ) -> Any:
        return await asyncio.wrap_future(self._host.submit(operation, arguments, is_repeatable=repeatable))

    def _reached(self) -> Stream:
        """Return a connection to the host, started where none answers."""
        try:
            return self._known_stream()
        except HostUnreachableError:
            ensure_host(self.vault)
            return self._known_stream()

    def _known_stream(self) -> Stream:
        """Return a connection with the first token that the host knows, else the last."""
        tokens = [self._token] if self._token is not None else identity.known_tokens(self.vault, self.client.name)
        for token in tokens[:-1]:
            stream = self._dial(token)
            if _is_known(ask(stream, "agent.whoami")):
                return stream
            stream.close()
        return self._dial(tokens[-1] if tokens else "")

    def _dial(self, token: str) -> Stream:
        return dial(self.vault, Credentials(token, self.client.name, self.client.version or __version__))

    async def _is_let_in_now(self, connection: HostConnection | None) -> bool:
        """Return whether the host knows this client by now, over another connection than this one."""
        if connection is None or connection is self._host.connection:
            await asyncio.to_thread(self._host.hang_up)
        return await self.is_let_in()

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
        if not self._request:
            wanted = {"name": self.client.name, "trust": _REQUESTED_TRUST, "reason": _REASON}
            answer = await self._answer("agent.request_access", wanted)
            self._request = str(answer["id"])
            await asyncio.to_thread(identity.keep, self.vault, self.client.name, answer["token"], self._request)
            # From now on with the token: it becomes valid on the open connection.
            await asyncio.to_thread(self._host.hang_up)
        return AccessRequiredError(
            Sentence(
                "The person has not let '{name}' into Keepsake yet. They were asked; they can allow it in"
                " Keepsake's window, in the tray, or with: keepsake agent allow {quoted} -- then repeat the"
                " call.",
                name=self.client.name,
                quoted=_quoted(self.client.name),
            ),
            request=self._request,
        )

    def _tell(self, kind: str, event: Any) -> None:
        for listener in list(self._listeners):
            listener(kind, event)


def _is_known(whoami: Any) -> bool:
    return bool(whoami["state"] != "unknown")


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
