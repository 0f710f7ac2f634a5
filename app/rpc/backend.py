"""Backend of a window whose vault is open in another process."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.api.catalogue import declared
from app.api.registry import Reply, from_builtins, to_builtins
from app.changes import EVERYTHING, Feed, Listener
from app.errors import HostUnreachableError, UnknownOperationError
from app.rpc.async_connection import AsyncConnection
from app.rpc.event_codec import changes_from_wire, event_from_wire
from app.rpc.wire import gone

if TYPE_CHECKING:
    from concurrent.futures import Future

_CLOSE_SECONDS = 10.0
_LEAVE_SECONDS = 0.5


class RemoteBackend:
    """Calls the host that owns ``vault``, from any thread, with model objects in and out.

    After the host was restarted the next call connects again, and listeners hear that everything may have changed.

    Args:
        vault: The vault's folder.
        on_lost: Called, on this object's thread, when the host went away without being asked to.
    """

    def __init__(self, vault: Path, on_lost: Callable[[], None] | None = None) -> None:
        self._on_lost = on_lost
        self.vault = vault.expanduser().absolute()
        self.feed = Feed()
        self._operations = {item.name: item for item in declared()}
        self._client: AsyncConnection | None = None
        self._connecting = asyncio.Lock()
        self._loop = asyncio.new_event_loop()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        """Held while work is handed to the loop, so that none comes after the last."""

    def start(self) -> None:
        """Connect.

        Raises:
            HostUnreachableError: No host answers for the vault.
        """
        self._thread = threading.Thread(target=self._run, name="keepsake-remote", daemon=True)
        self._thread.start()
        try:
            self._submit(self._connected()).result()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Leave the host; it goes on. Safe to call twice."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is None:
            return
        asyncio.run_coroutine_threadsafe(self._leave(), self._loop).result(_CLOSE_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        thread.join(_CLOSE_SECONDS)

    def call(self, operation: str, arguments: Mapping[str, Any]) -> "Future[Reply]":
        """Call an operation; the future holds its reply or the host's failure."""
        return self._submit(self._call(operation, arguments))

    def ask(self, operation: str, /, **arguments: Any) -> Any:
        """Call an operation and wait for its answer."""
        return self.call(operation, arguments).result().value

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Hear of changes and progress, on this object's thread; returns what stops it."""
        return self.feed.subscribe(listener)

    def _submit(self, work: Coroutine[Any, Any, Any]) -> "Future[Any]":
        with self._lock:
            if self._thread is not None:
                return asyncio.run_coroutine_threadsafe(work, self._loop)
        work.close()
        raise gone(was_sent=False)

    def _run(self) -> None:
        self._loop.run_forever()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()

    async def _call(self, operation: str, arguments: Mapping[str, Any]) -> Reply:
        declaration = self._operations.get(operation)
        if declaration is None:
            raise UnknownOperationError(f"There is no operation '{operation}'.", operation=operation)
        client = await self._connected_for_call()
        value, changes = await client.reply(operation, to_builtins(dict(arguments)))
        return Reply(
            from_builtins(value, declaration.returns),
            None if changes is None else changes_from_wire(changes),
        )

    async def _connected_for_call(self) -> AsyncConnection:
        """Return the connection for a call.

        A failure here says that the call was not sent, so that it may be repeated.
        """
        try:
            return await self._connected()
        except HostUnreachableError as error:
            raise gone(was_sent=False) from error
        except asyncio.CancelledError:
            if self._thread is None:  # not the caller, but ``stop`` cancelled it
                raise gone(was_sent=False) from None
            raise

    async def _connected(self) -> AsyncConnection:
        async with self._connecting:
            if self._client is None or not self._client.is_open:
                is_again = self._client is not None
                self._client = await AsyncConnection.connect(self.vault, self._on_event, self._on_lost)
                await self._client.subscribe()
                if is_again:
                    self._publish_everything()
            return self._client

    async def _leave(self) -> None:
        if self._client is not None:
            await self._client.close()
        if others := asyncio.all_tasks() - {asyncio.current_task()}:
            # Calls fail by themselves, each with what is known of it; a slow attempt to connect does not.
            await asyncio.wait(others, timeout=_LEAVE_SECONDS)
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def _on_event(self, kind: str, event: Any) -> None:
        if (change := event_from_wire(kind, event)) is not None:
            self.feed.publish(change)
        elif self._client is not None:
            # We fell behind and are notified no more.
            self._resubscribing = self._loop.create_task(self._resubscribe(self._client))

    async def _resubscribe(self, client: AsyncConnection) -> None:
        # A host that went away meanwhile is connected to again by the next call.
        with contextlib.suppress(HostUnreachableError):
            await client.subscribe()
            self._publish_everything()

    def _publish_everything(self) -> None:
        self.feed.publish(EVERYTHING)
