"""MCP over standard input and output: the library's server behind the early answers."""

import asyncio
import math
from pathlib import Path

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.shared.message import SessionMessage

from app.core.paths import default_vault
from app.core.text_rules.project_name import project_of
from app.mcp import identity
from app.mcp.host_link import ClientIdentity, HostLink
from app.mcp.memory_server import KeepsakeServer, SingleLink
from app.mcp.options import McpOptions
from app.mcp.stdio_front import StdioFront
from app.mcp.tools.profiles import toolbox


def run(front: StdioFront, options: McpOptions) -> None:
    """Serve until the client leaves."""
    asyncio.run(_serve(front, options))


async def _serve(front: StdioFront, options: McpOptions) -> None:
    vault = options.vault or default_vault().absolute()

    def make(client: ClientIdentity) -> HostLink:
        return HostLink(vault, client, identity.given_token(client.name))

    tools = toolbox(options.profile, options.groups)
    served = KeepsakeServer(options.profile, tools, SingleLink(make), _project())
    wire = _Wire(front, asyncio.get_running_loop())
    async with anyio.create_task_group() as group:
        group.start_soon(wire.send_answers)
        front.attach(wire.deliver)
        await served.server.run(wire.incoming, wire.outgoing, served.options())


def _project() -> str:
    """Return the name of the project in whose folder the client started this server."""
    try:
        # Programs for one's desktop start their servers anywhere: only a repository says what is worked on.
        return project_of(str(Path.cwd()), needs_repository=True)
    except OSError:
        return ""  # the folder was removed


class _Wire:
    """Streams between the front's lines and the library's messages.

    Args:
        front: Standard input and output.
        loop: The loop that the library runs on.
    """

    def __init__(self, front: StdioFront, loop: asyncio.AbstractEventLoop) -> None:
        self._front = front
        self._loop = loop
        self._received, self.incoming = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
        self.outgoing, self._sent = anyio.create_memory_object_stream[SessionMessage](0)

    def deliver(self, line: bytes | None) -> None:
        """Take a line of the client on any thread; ``None`` is the end."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take, line)

    async def send_answers(self) -> None:
        """Write the library's messages until it ends or the client leaves."""
        async with self._sent:
            async for item in self._sent:
                message = item.message
                if isinstance(message, types.JSONRPCResponse) and self._front.was_answered(message.id):
                    continue
                frame = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
                try:
                    await anyio.to_thread.run_sync(self._front.write, frame)
                except OSError:
                    # The client has left.
                    self._received.close()
                    return

    def _take(self, line: bytes | None) -> None:
        if line is None:
            self._received.close()
            return
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError as error:
            self._received.send_nowait(error)
        else:
            self._received.send_nowait(SessionMessage(message))
