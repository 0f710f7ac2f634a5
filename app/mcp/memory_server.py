"""MCP server: the library's low-level server over a profile's tools, resources and prompts."""

import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError

from app.core.text_rules.recall_fence import neutralise
from app.errors import HostUnreachableError, InputError, KeepsakeError
from app.mcp import client_prompts, completions, resources
from app.mcp.client_confirmation import ANSWER_SECONDS, ClientConfirmer, ConfirmationNeeded, OpenQuestions
from app.mcp.host_link import ClientIdentity, HostLink
from app.mcp.notifier import Notifier
from app.mcp.options import Profile
from app.mcp.server_identity import PROMPTS, SERVER, TEMPLATES, instructions
from app.mcp.server_identity import resources as listed_resources
from app.mcp.tools.call_order import CallOrder
from app.mcp.tools.tool_answers import failure
from app.mcp.tools.toolbox import CallContext, Toolbox

Context = ServerRequestContext[Any, Any]

UNNAMED: Final = ClientIdentity("mcp-client", "")
_log = logging.getLogger(__name__)


class HostLinks(Protocol):
    """The links to the host, one for each client."""

    def link(self, context: Context) -> HostLink:
        """Return the link of the client that a request comes from."""

    async def close(self) -> None:
        """Close every link."""


class KeepsakeServer:
    """Handlers of one MCP server process.

    Args:
        profile: The set of tools.
        toolbox: Its tools.
        links: The links to the host.
        project: Name of the project that its clients work on, ``""`` where that is not known.
    """

    def __init__(self, profile: Profile, toolbox: Toolbox, links: HostLinks, project: str) -> None:
        self._profile = profile
        self._toolbox = toolbox
        self._links = links
        self._project = project
        self._order = CallOrder()
        self._questions = OpenQuestions()
        self.notifier = Notifier()
        self.server: Server[Any] = Server(
            SERVER["name"],
            version=SERVER["version"],
            title=SERVER["title"],
            instructions=instructions(profile),
            lifespan=self._lifespan,
            on_list_tools=self._on_list_tools,
            on_call_tool=self._on_call_tool,
            on_list_resources=self._on_list_resources,
            on_list_resource_templates=self._on_list_templates,
            on_read_resource=self._on_read_resource,
            on_subscribe_resource=self._on_subscribe,
            on_unsubscribe_resource=self._on_unsubscribe,
            on_subscriptions_listen=self._on_listen,
            on_list_prompts=self._on_list_prompts,
            on_get_prompt=self._on_get_prompt,
            on_completion=self._on_completion,
        )
        # What a client sends back as the person's answer counts for the tool and arguments that they were asked about.
        security = RequestStateSecurity.ephemeral(ttl=ANSWER_SECONDS)
        self.server.middleware.append(RequestStateBoundary(security, default_audience=SERVER["name"]))

    def options(self) -> InitializationOptions:
        """Return the answer to ``initialize``."""
        changes = NotificationOptions(tools_changed=self._profile == "full")
        return self.server.create_initialization_options(changes)

    @asynccontextmanager
    async def _lifespan(self, _server: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        try:
            yield {}
        finally:
            self.notifier.close()
            await self._links.close()

    async def _on_list_tools(self, context: Context, _params: Any) -> Any:
        link = self._links.link(context)
        try:
            tools = await self._toolbox.listed(link)
        except KeepsakeError as error:
            # A client that cannot use the memory yet still gets a list: its user learns why from the first call.
            _log.info("the tools are not known yet: %s", error)
            tools = self._toolbox.known_tools()
        if self._profile == "full":
            await self._follow(link, context, tools=True)
        return _cached({"tools": tools})

    async def _on_call_tool(self, context: Context, params: types.CallToolRequestParams) -> Any:
        # Over HTTP a client hears of each call on its own.
        if context.request is not None:
            return await self._call_tool(context, params, _nothing)
        async with self._order.turn(writes=not self._toolbox.is_reading(params.name)) as end_turn:
            return await self._call_tool(context, params, end_turn)

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams, on_asking: Callable[[], None]
    ) -> Any:
        link = self._links.link(context)
        confirmer = ClientConfirmer(context, link, self._questions, params, on_asking)
        call = CallContext(link, confirmer, self._project)
        try:
            answer = await self._toolbox.call(params.name, params.arguments or {}, call)
        except ConfirmationNeeded as needed:
            return needed.request()
        except KeepsakeError as error:
            answer = failure(error)
        return _complete(answer.as_result())

    def _unasked(self, context: Context) -> CallContext:
        """Return the context of a request that is no call of a tool."""
        link = self._links.link(context)
        confirmer = ClientConfirmer(context, link, self._questions, None, _nothing)
        return CallContext(link, confirmer, self._project)

    async def _on_list_resources(self, _context: Context, _params: Any) -> Any:
        return _cached({"resources": listed_resources(self._profile)})

    async def _on_list_templates(self, _context: Context, _params: Any) -> Any:
        return _cached({"resourceTemplates": TEMPLATES})

    async def _on_read_resource(self, context: Context, params: types.ReadResourceRequestParams) -> Any:
        call = self._unasked(context)
        uri = str(params.uri)
        async with self._order.turn(writes=False):
            pass
        with _as_protocol_errors():
            text = await resources.read(uri, call)
        return _cached({"contents": [{"uri": uri, "mimeType": resources.media_type(uri), "text": text}]})

    async def _on_subscribe(self, context: Context, params: types.SubscribeRequestParams) -> Any:
        uri = str(params.uri)
        with _as_protocol_errors():
            resources.check(uri)
            await self._follow(self._links.link(context), context)
        self.notifier.subscribe(self._links.link(context), uri, context.session)
        return {}

    async def _on_unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> Any:
        self.notifier.unsubscribe(self._links.link(context), str(params.uri))
        return {}

    async def _on_listen(self, context: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        link = self._links.link(context)
        await self._follow(link, context)
        return await self.notifier.listen(link, context, params)

    async def _on_list_prompts(self, _context: Context, _params: Any) -> Any:
        return _cached({"prompts": PROMPTS})

    async def _on_get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> Any:
        call = self._unasked(context)
        with _as_protocol_errors():
            return _complete(await client_prompts.get(params.name, params.arguments or {}, call, self._profile))

    async def _on_completion(self, context: Context, params: types.CompleteRequestParams) -> Any:
        target = params.ref.name if isinstance(params.ref, types.PromptReference) else params.ref.uri
        call = self._unasked(context)
        with _as_protocol_errors():
            return _complete(await completions.complete(target, params.argument.name, params.argument.value, call))

    async def _follow(self, link: HostLink, context: Context, *, tools: bool = False) -> None:
        """Hear of changes for a client; without access there is nothing to hear of yet."""
        relisted = self._relisted(link) if tools else None
        try:
            await self.notifier.follow(link, context.session, relisted)
        except KeepsakeError as error:
            _log.info("changes are not followed yet: %s", error)

    def _relisted(self, link: HostLink) -> Callable[[], Any]:
        async def names() -> frozenset[str]:
            return frozenset(tool["name"] for tool in await self._toolbox.listed(link))

        return names


def _nothing() -> None:
    pass


def _complete(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result with its type, which older protocols leave out."""
    return {**result, "resultType": "complete"}


def _cached(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result that clients must not keep: memory changes at any time."""
    return {**_complete(result), "ttlMs": 0, "cacheScope": "private"}


@contextlib.contextmanager
def _as_protocol_errors() -> Any:
    """Raise failures as errors of the protocol."""
    try:
        yield
    except HostUnreachableError as error:
        raise MCPError(types.INTERNAL_ERROR, neutralise(error.message)) from error
    except InputError as error:
        raise MCPError(types.INVALID_PARAMS, neutralise(error.message), {"code": error.code}) from error
    except KeepsakeError as error:
        raise MCPError(types.INTERNAL_ERROR, neutralise(error.message), {"code": error.code}) from error


class SingleLink:
    """The link of a stdio server with its one client; see ``HostLinks``.

    Args:
        make: Makes the link once the client has given its name.
    """

    def __init__(self, make: Callable[[ClientIdentity], HostLink]) -> None:
        self._make = make
        self._link: HostLink | None = None

    def link(self, context: Context) -> HostLink:
        """See ``HostLinks``."""
        if self._link is None:
            self._link = self._make(client_of(context))
        return self._link

    async def close(self) -> None:
        """See ``HostLinks``."""
        if self._link is not None:
            await self._link.close()


def client_of(context: Context) -> ClientIdentity:
    """Return the name that the client gave of itself."""
    params = context.session.client_params
    info = params.client_info if params is not None else None
    name = " ".join(info.name.split())[:100] if info is not None else ""
    return ClientIdentity(name, info.version[:50]) if info is not None and name else UNNAMED
