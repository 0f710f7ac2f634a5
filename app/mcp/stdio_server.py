"""MCP over standard input and output: the library's server behind the early answers."""

import asyncio
import math

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.shared.message import SessionMessage

from app.core.paths import default_vault
from app.mcp.host_link import ClientIdentity, HostLink
from app.mcp.options import McpOptions
from app.mcp.profiles import toolbox
from app.mcp.server import KeepsakeServer, SingleLink
from app.mcp.stdio_front import StdioFront


def run(front: StdioFront, options: McpOptions) -> None:
    """Serve until the client leaves."""
    asyncio.run(_serve(front, options))


async def _serve(front: StdioFront, options: McpOptions) -> None:
    vault = options.vault or default_vault().absolute()

    def make(client: ClientIdentity) -> HostLink:
        return HostLink(vault, client)

    served = KeepsakeServer(options.profile, toolbox(options.profile), SingleLink(make))
    incoming_send, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
    outgoing, outgoing_receive = anyio.create_memory_object_stream[SessionMessage](0)
    loop = asyncio.get_running_loop()

    def take(line: bytes | None) -> None:
        if line is None:
            incoming_send.close()
            return
        try:
            message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError as error:
            incoming_send.send_nowait(error)
        else:
            incoming_send.send_nowait(SessionMessage(message))

    def deliver(line: bytes | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(take, line)

    async def send_answers() -> None:
        async with outgoing_receive:
            async for item in outgoing_receive:
                message = item.message
                if isinstance(message, types.JSONRPCResponse) and front.was_answered(message.id):
                    continue
                frame = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
                try:
                    await anyio.to_thread.run_sync(front.write, frame)
                except OSError:
                    # The client has left.
                    incoming_send.close()
                    return

    async with anyio.create_task_group() as group:
        group.start_soon(send_answers)
        front.attach(deliver)
        await served.server.run(incoming, outgoing, served.options())

