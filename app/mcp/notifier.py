"""Notifier: tells clients which resources and lists changed, from the host's change events."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated, ToolsListChanged

from app.errors import KeepsakeError
from app.mcp import resources
from app.mcp.host_link import HostLink

Names = Callable[[], Awaitable[frozenset[str]]]

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Follower:
    """Subscriptions of one client."""

    bus: InMemorySubscriptionBus
    listen: ListenHandler
    sessions: dict[str, ServerSession] = field(default_factory=dict)
    relisted: Names | None = None
    names: frozenset[str] | None = None
    session: ServerSession | None = None
    is_following: bool = False


class Notifier:
    """Sends what changed to the clients that asked for it."""

    def __init__(self) -> None:
        self._followers: dict[HostLink, _Follower] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def subscribe(self, link: HostLink, uri: str, session: ServerSession) -> None:
        """Tell a client of changes of a resource from now on."""
        self._follower(link).sessions[uri] = session

    def unsubscribe(self, link: HostLink, uri: str) -> None:
        """Tell a client no more of changes of a resource."""
        self._follower(link).sessions.pop(uri, None)

    async def follow(self, link: HostLink, session: ServerSession, relisted: Names | None = None) -> None:
        """Hear of the host's changes for a client.

        Args:
            link: The client's link.
            session: Where the list of tools was asked for.
            relisted: Returns the names of the tools as they are now.

        Raises:
            KeepsakeError: The host cannot be heard.
        """
        follower = self._follower(link)
        if relisted is not None:
            follower.relisted, follower.session = relisted, session
            follower.names = await relisted()
        if not follower.is_following:
            follower.is_following = True
            try:
                await link.subscribe(lambda kind, event: self._on_event(follower, kind, event))
            except KeepsakeError:
                follower.is_following = False
                raise

    async def listen(self, link: HostLink, context: ServerRequestContext[Any, Any], params: Any) -> Any:
        """Serve a client's stream of changes, of the modern protocol."""
        return await self._follower(link).listen(context, params)

    def close(self) -> None:
        """End the streams."""
        for follower in self._followers.values():
            follower.listen.close()
        for task in self._tasks:
            task.cancel()

    def _follower(self, link: HostLink) -> _Follower:
        if link not in self._followers:
            bus = InMemorySubscriptionBus()
            self._followers[link] = _Follower(bus, ListenHandler(bus))
        return self._followers[link]

    def _on_event(self, follower: _Follower, kind: str, event: Any) -> None:
        if kind != "changed" or not isinstance(event, dict):
            return
        task = asyncio.get_running_loop().create_task(self._tell(follower, event), name="notify")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self, follower: _Follower, event: dict[str, Any]) -> None:
        for uri, session in list(follower.sessions.items()):
            if resources.is_touched(uri, event):
                with contextlib.suppress(OSError):
                    await session.send_resource_updated(uri)
        for uri in resources.touched(event):
            await follower.bus.publish(ResourceUpdated(uri=uri))
        if follower.relisted is not None and "agents" in event.get("areas", ()):
            await self._relist(follower, follower.relisted)

    async def _relist(self, follower: _Follower, relisted: Names) -> None:
        try:
            names = await relisted()
        except KeepsakeError as error:
            _log.info("the tools could not be listed again: %s", error)
            return
        if names != follower.names:
            follower.names = names
            if follower.session is not None:
                await follower.session.send_tool_list_changed()
            await follower.bus.publish(ToolsListChanged())
