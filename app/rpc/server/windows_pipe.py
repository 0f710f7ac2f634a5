"""Named pipes of Windows, the host's end; only their user may open them.

asyncio has no public way to give a pipe an access list, so its pipe server is extended here.
"""

import asyncio
import secrets
import sys
from collections.abc import Callable
from typing import Any

from app.rpc.client.stream import PIPE_PREFIX

OnConnected = Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]
_BUFFER_BYTES = 1 << 16


def new_pipe_name() -> str:
    """Return a random name, so that no other program takes it first."""
    return f"{PIPE_PREFIX}keepsake-{secrets.token_hex(16)}"


if sys.platform == "win32":
    import _winapi
    import ctypes
    from asyncio.windows_events import PipeServer
    from asyncio.windows_utils import PipeHandle
    from ctypes import wintypes

    _REJECT_REMOTE_CLIENTS = 0x8
    _SDDL_REVISION = 1
    # Full access for the user who owns the pipe and for the system, none for anyone else.
    _ACCESS = "D:P(A;;FA;;;OW)(A;;FA;;;SY)"

    class _SecurityAttributes(ctypes.Structure):
        _fields_ = (
            ("length", wintypes.DWORD),
            ("descriptor", wintypes.LPVOID),
            ("inherit", wintypes.BOOL),
        )

    class _OwnPipeServer(PipeServer):
        """A pipe server whose pipes only this user may open."""

        _address: str
        _free_instances: set[PipeHandle]

        def _server_pipe_handle(self, first: bool) -> PipeHandle | None:
            if self.closed():
                return None
            flags = _winapi.PIPE_ACCESS_DUPLEX | _winapi.FILE_FLAG_OVERLAPPED
            if first:
                flags |= _winapi.FILE_FLAG_FIRST_PIPE_INSTANCE
            pipe = PipeHandle(_create_pipe(self._address, flags))
            self._free_instances.add(pipe)
            return pipe

    def _create_pipe(name: str, flags: int) -> int:
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        security = ctypes.WinDLL("advapi32", use_last_error=True)
        descriptor = wintypes.LPVOID()
        if not security.ConvertStringSecurityDescriptorToSecurityDescriptorW(
            ctypes.c_wchar_p(_ACCESS), _SDDL_REVISION, ctypes.byref(descriptor), None
        ):
            raise ctypes.WinError(ctypes.get_last_error())
        try:
            attributes = _SecurityAttributes(ctypes.sizeof(_SecurityAttributes), descriptor, False)
            create = kernel.CreateNamedPipeW
            create.restype = wintypes.HANDLE
            create.argtypes = (
                *(wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, wintypes.DWORD),
                *(wintypes.DWORD, wintypes.DWORD, wintypes.DWORD, ctypes.POINTER(_SecurityAttributes)),
            )
            handle = create(
                name,
                flags,
                _REJECT_REMOTE_CLIENTS,  # bytes, not messages, and waiting: both are zero
                _winapi.PIPE_UNLIMITED_INSTANCES,
                _BUFFER_BYTES,
                _BUFFER_BYTES,
                0,
                ctypes.byref(attributes),
            )
        finally:
            free = kernel.LocalFree
            free.argtypes = (wintypes.LPVOID,)
            free(descriptor)
        if handle == wintypes.HANDLE(-1).value:
            raise ctypes.WinError(ctypes.get_last_error())
        return int(handle)

    class PipeListener:
        """Listens at a named pipe."""

        def __init__(self) -> None:
            self.path = new_pipe_name()
            self._server: Any = _OwnPipeServer(self.path)
            self._accepting: asyncio.Task[None] | None = None

        def start(self, on_connected: OnConnected) -> None:
            """Let clients in."""
            self._accepting = asyncio.create_task(self._accept(on_connected), name="pipe")

        def close(self) -> None:
            """Accept no more clients."""
            if self._accepting is not None:
                self._accepting.cancel()
            self._server.close()

        async def _accept(self, on_connected: OnConnected) -> None:
            loop: Any = asyncio.get_running_loop()  # a ProactorEventLoop, as the engine's own loop is
            while (pipe := self._server._get_unconnected_pipe()) is not None:
                try:
                    await loop._proactor.accept_pipe(pipe)
                except OSError:
                    pipe.close()  # the client left at once
                    continue
                self._server._free_instances.discard(pipe)
                reader = asyncio.StreamReader(loop=loop)
                protocol = asyncio.StreamReaderProtocol(reader, on_connected, loop=loop)
                loop._make_duplex_pipe_transport(pipe, protocol)
