"""Asynchronous connection to a running host, for any number of calls at a time."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from app.errors import IdleError, KeepsakeError
from app.rpc.credentials import Credentials
from app.rpc.framing import HEADER_BYTES, Message, decode, encode, length_of
from app.rpc.hostfile import read_hostfile, unreachable
from app.rpc.messages import EventListener, check_welcome, notification, request, stray, value_and_changes
from app.rpc.pipe_client import PipeConnection
from app.rpc.windows_pipe import open_pipe
from app.rpc.wire import dial, gone, hello_for


class AsyncConnection:
    """A connection to a host on the running event loop; ``AsyncConnection.connect`` makes it.

    Args:
        reader: What the host sends.
        writer: What it is sent.
        listener: Hears of events once subscribed, on the loop.
        on_lost: Called on the loop when the host went away without being asked to.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        listener: EventListener | None = None,
        on_lost: Callable[[], None] | None = None,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._listener = listener
        self._on_lost = on_lost
        self._last_id = 0
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._reading = asyncio.create_task(self._read(), name="host")

    @classmethod
    async def connect(
        cls,
        vault: Path,
        listener: EventListener | None = None,
        on_lost: Callable[[], None] | None = None,
        credentials: Credentials | None = None,
    ) -> Self:
        """Connect to the host of ``vault``, without credentials as its owner.

        Raises:
            HostUnreachableError: None answers.
        """
        dialled = await asyncio.to_thread(dial, vault, credentials)
        if isinstance(dialled, PipeConnection):
            # A blocking pipe cannot be handed to the loop: it was the rehearsal, and the loop opens its own.
            await asyncio.to_thread(dialled.close)
            return cls(*await _piped(vault, credentials), listener, on_lost)
        dialled.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=dialled)
        return cls(reader, writer, listener, on_lost)

    @property
    def is_open(self) -> bool:
        """Return whether the host is still there, as far as is known."""
        return not self._reading.done()

    async def reply(self, operation: str, arguments: Mapping[str, Any] | None = None) -> tuple[Any, Any]:
        """Call an operation; return its answer and changes as JSON values.

        Raises:
            KeepsakeError: What the host reports.
            ConnectionLostError: It went away.
        """
        self._last_id += 1
        key = self._last_id
        frame = encode(request(key, operation, arguments or {}))
        transport = self._writer.transport
        if not self.is_open or transport.is_closing():
            raise gone(was_sent=False)
        was_empty = not transport.get_write_buffer_size()
        waiting = self._waiting[key] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(frame)
            if was_empty and transport.is_closing():
                raise gone(was_sent=False)  # the system took none of it
            await self._writer.drain()
            return value_and_changes(await waiting)
        except asyncio.CancelledError:
            # The host stops what only reads; the answer to a write that goes on finds nobody.
            if not transport.is_closing():
                self._writer.write(encode(notification("cancel", {"id": key})))
            raise
        except OSError as error:
            raise gone() from error
        finally:
            del self._waiting[key]
            waiting.cancel()
            if not waiting.cancelled():
                waiting.exception()  # somebody else was told of it

    async def subscribe(self, wanted: Mapping[str, Any] | None = None) -> None:
        """Have the listener hear of the wanted changes and progress from now on."""
        await self.reply("subscribe", wanted)

    async def close(self) -> None:
        """Leave; calls under way fail."""
        self._on_lost = None
        self._reading.cancel()
        await asyncio.wait({self._reading})
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def _read(self) -> None:
        failure: KeepsakeError = gone()
        try:
            while True:
                length = length_of(await self._reader.readexactly(HEADER_BYTES))
                self._on_message(decode(await self._reader.readexactly(length)))
        except (EOFError, OSError):
            # Calls that wait for an answer fail below.
            return
        except IdleError:
            failure = gone(was_sent=False)  # whatever crossed with it was not read
        except KeepsakeError as error:
            failure = error
        finally:
            self._end(failure)

    def _end(self, failure: KeepsakeError) -> None:
        self._writer.close()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(failure)
        if self._on_lost is not None:
            self._on_lost()

    def _on_message(self, message: Message) -> None:
        key, method = message.get("id"), message.get("method")
        if isinstance(method, str):
            if self._listener is not None:
                self._listener(method, message.get("params"))
        elif key is None:
            raise stray(message)
        elif (future := self._waiting.get(key)) is not None and not future.done():
            future.set_result(message)


async def _piped(vault: Path, credentials: Credentials | None) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return a connection to the host's named pipe, greeted and welcomed."""
    description = read_hostfile(vault)
    try:
        reader, writer = await open_pipe(description.socket)
    except OSError as error:
        raise unreachable(vault) from error
    try:
        writer.write(encode(hello_for(description, credentials)))
        length = length_of(await reader.readexactly(HEADER_BYTES))
        check_welcome(decode(await reader.readexactly(length)))
    except (EOFError, OSError) as error:
        writer.close()
        raise unreachable(vault) from error
    except KeepsakeError:
        writer.close()
        raise
    return reader, writer
