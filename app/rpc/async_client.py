"""Asynchronous client of a host, for any number of calls at a time."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from app.errors import HostUnreachableError
from app.rpc.async_connection import AsyncConnection
from app.rpc.credentials import Credentials
from app.rpc.messages import DROPPED, EventListener
from app.rpc.repeats import DROPPED_REASON, PAUSE_SECONDS, RECONNECT_SECONDS, Attempt
from app.rpc.wire import gone

T = TypeVar("T")


class AsyncClient:
    """A client of a host on the running event loop; ``AsyncClient.connect`` makes it.

    When the host is restarted, the next call connects again. A call that was under way is repeated if it only reads or
    has a key against repetition; other writes fail with a sentence that says so.

    Args:
        vault: The vault's folder.
        listener: Hears of events once subscribed, on the loop.
        on_lost: Called on the loop when the host went away without being asked to.
        credentials: Those of an agent; the owner's without.
        reconnect_seconds: How long the host may be away during a call.
    """

    def __init__(
        self,
        vault: Path,
        listener: EventListener | None = None,
        on_lost: Callable[[], None] | None = None,
        credentials: Credentials | None = None,
        reconnect_seconds: float = RECONNECT_SECONDS,
    ) -> None:
        self._vault = vault
        self._listener = listener
        self._on_lost = on_lost
        self._credentials = credentials
        self._seconds = reconnect_seconds
        self._connection: AsyncConnection | None = None
        self._connecting = asyncio.Lock()
        self._wanted: Mapping[str, Any] | None = None
        self._accesses: dict[str, str] = {}
        self._is_closed = False

    @classmethod
    async def connect(
        cls,
        vault: Path,
        listener: EventListener | None = None,
        on_lost: Callable[[], None] | None = None,
        credentials: Credentials | None = None,
        reconnect_seconds: float = RECONNECT_SECONDS,
    ) -> Self:
        """Connect to the host of ``vault``, without credentials as its owner.

        Raises:
            HostUnreachableError: None answers.
        """
        made = cls(vault, listener, on_lost, credentials, reconnect_seconds)
        await made._connected()
        return made

    @property
    def is_open(self) -> bool:
        """Return whether the host is there, as far as is known."""
        return self._connection is not None and self._connection.is_open

    async def call(self, operation: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """Call an operation and return its answer as JSON values.

        Raises:
            KeepsakeError: What the host reports.
            HostUnreachableError: It went away and did not come back in time, or during a write without a key.
        """
        return (await self.reply(operation, arguments))[0]

    async def call_as(self, kind: type[T], operation: str, arguments: Mapping[str, Any] | None = None) -> T:
        """Return the answer of ``call`` as a ``kind``, such as a dataclass."""
        return msgspec.convert(await self.call(operation, arguments), kind)

    async def reply(self, operation: str, arguments: Mapping[str, Any] | None = None) -> tuple[Any, Any]:
        """Call an operation; return its answer and changes as JSON values; see ``call``."""
        given = arguments or {}
        attempt = Attempt(operation, given, self._seconds)
        while True:
            try:
                connection = await self._connected()
                if attempt.needs_access:
                    attempt.check_access(await self._operations(connection))
                return await connection.reply(operation, given)
            except HostUnreachableError as error:
                if self._is_closed or error.data.get("may_be_done"):
                    raise
                attempt.failed(error)
                await asyncio.sleep(PAUSE_SECONDS)

    async def subscribe(self, **wanted: Any) -> None:
        """Have the listener hear of events from now on, also after the host was restarted.

        Args:
            wanted: ``areas``, ``stores`` and ``progress``, as the method ``subscribe`` takes them.
        """
        await self.call("subscribe", wanted)
        self._wanted = wanted

    async def close(self) -> None:
        """Leave; calls under way fail."""
        self._is_closed = True
        if self._connection is not None:
            await self._connection.close()

    async def _connected(self) -> AsyncConnection:
        async with self._connecting:
            if self._is_closed:
                raise gone(was_sent=False)
            if self._connection is None or not self._connection.is_open:
                is_again = self._connection is not None
                self._connection = await AsyncConnection.connect(
                    self._vault, self._listener, self._on_lost, self._credentials
                )
                if is_again and self._wanted is not None:
                    await self._connection.subscribe(self._wanted)
                    if self._listener is not None:
                        self._listener(DROPPED, {"reason": DROPPED_REASON})
            return self._connection

    async def _operations(self, connection: AsyncConnection) -> Mapping[str, str]:
        """Return the access of every operation by its name."""
        if not self._accesses:
            described, _ = await connection.reply("describe")
            self._accesses = {item["name"]: item["access"] for item in described}
        return self._accesses
