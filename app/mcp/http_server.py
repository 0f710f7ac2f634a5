"""MCP over streamable HTTP: bearer tokens, and this machine only unless told."""

import asyncio
import hashlib
import hmac
import ipaddress
import logging
import re
import socket
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.core.paths import default_vault
from app.errors import InputError, KeepsakeError, MachineError
from app.mcp.host_link import ClientIdentity, HostLink
from app.mcp.http_connections import bounded_protocol
from app.mcp.memory_server import Context, KeepsakeServer
from app.mcp.options import McpOptions
from app.mcp.tools.profiles import toolbox
from app.sentence import Sentence

PATH: Final = "/mcp"
_UNAUTHORIZED: Final = 401
_FORBIDDEN: Final = 403
_MISDIRECTED: Final = 421
_UNAVAILABLE: Final = 503
_ADDRESS: Final = re.compile(r"(?P<name>[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?")
_MAX_LINKS: Final = 32
_IDENTITY: Final = ClientIdentity("mcp-http", "")
_HOW: Final = (
    "Keepsake does not know this token. Make one with 'keepsake agent add NAME --trust inner' and send it as"
    " 'Authorization: Bearer TOKEN'."
)
_log = logging.getLogger(__name__)


def run(options: McpOptions) -> None:
    """Serve HTTP until a signal comes.

    Raises:
        InputError: The address cannot be meant, or reaches other machines without leave.
        MachineError: Nothing can listen there.
    """
    host, port = address(options.http, is_remote_allowed=options.is_remote_allowed)
    asyncio.run(_serve(options, host, port))


def address(text: str, *, is_remote_allowed: bool) -> tuple[str, int]:
    """Return host and port of ``host:port``.

    Raises:
        InputError: It is none, or one that other machines reach and that was not allowed.
    """
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    try:
        number = int(port)
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:  # noqa: PLR2004
        raise InputError("Give an address such as 127.0.0.1:8765.", field="http")
    try:
        is_local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_local = False
    if not is_local and not is_remote_allowed:
        raise InputError(
            Sentence(
                "{host} can be reached from other machines, and whoever listens in reads the token and your"
                " memory. Use 127.0.0.1, or say --allow-remote behind a proxy with TLS.",
                host=host,
            ),
            field="http",
        )
    return host, number


class TokenLinks:
    """The links of an HTTP server: one for each token; see ``HostLinks``.

    Args:
        vault: The vault's folder.
    """

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._links: dict[str, HostLink] = {}

    def link(self, context: Context) -> HostLink:
        """See ``HostLinks``."""
        return self.of(bearer(Headers(scope=context.request.scope)) if context.request is not None else "")

    def of(self, token: str) -> HostLink:
        """Return the link of a token; those used least lately are given up first."""
        key = hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
        link = self._links.pop(key, None) or HostLink(self._vault, _IDENTITY, token)
        self._links[key] = link
        while len(self._links) > _MAX_LINKS:
            oldest = self._links.pop(next(iter(self._links)))
            self._closing = asyncio.get_running_loop().create_task(oldest.close())
        return link

    async def close(self) -> None:
        """See ``HostLinks``."""
        for link in self._links.values():
            await link.close()


class BearerGate:
    """Gate for requests with an agent's token, from pages of this server only.

    A session belongs to one token.

    Args:
        inner: What serves MCP.
        links: Asks the host about tokens.
        open_sessions: Returns the ids of the sessions that have not ended.
        names: The names of this server.
    """

    def __init__(
        self, inner: ASGIApp, links: TokenLinks, open_sessions: Callable[[], Collection[str]], names: Collection[str]
    ) -> None:
        self._inner = inner
        self._links = links
        self._open_sessions = open_sessions
        self._names = names
        self._sessions: dict[str, str] = {}

    @property
    def sessions(self) -> int:
        """Return how many sessions are known."""
        return len(self._sessions)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        headers = Headers(scope=scope)
        token, session = bearer(headers), headers.get("mcp-session-id", "")
        refusal = self._foreign(headers) or await self._refusal(token)
        if refusal is None and session and not hmac.compare_digest(self._sessions.get(session, token), token):
            refusal = PlainTextResponse("This session belongs to another token.", _UNAUTHORIZED)
        if refusal is not None:
            await refusal(scope, receive, send)
            return

        async def noting(message: Any) -> None:
            if message["type"] == "http.response.start":
                session = Headers(raw=message["headers"]).get("mcp-session-id")
                if session:
                    self._sessions.setdefault(session, token)
            await send(message)

        try:
            await self._inner(scope, receive, noting)
        finally:
            self._forget()

    def _forget(self) -> None:
        """Forget the sessions that have ended; their ids open nothing any more."""
        known = self._open_sessions()
        if len(self._sessions) > len(known):
            self._sessions = {session: token for session, token in self._sessions.items() if session in known}

    def _foreign(self, headers: Headers) -> PlainTextResponse | None:
        """Return the refusal of a request from another site's page, or to another name."""
        origin = headers.get("origin")
        if origin is not None and not is_address(origin, self._names, "http://"):
            return PlainTextResponse("Pages of other sites are not let in.", _FORBIDDEN)
        if not is_address(headers.get("host", ""), self._names):
            return PlainTextResponse("This server has another name.", _MISDIRECTED)
        return None

    async def _refusal(self, token: str) -> PlainTextResponse | None:
        if not token:
            return PlainTextResponse(_HOW, _UNAUTHORIZED, {"WWW-Authenticate": "Bearer"})
        try:
            is_known = await self._links.of(token).is_let_in()
        except KeepsakeError as error:
            return PlainTextResponse(error.message, _UNAVAILABLE)
        return None if is_known else PlainTextResponse(_HOW, _UNAUTHORIZED, {"WWW-Authenticate": "Bearer"})


def is_address(text: str, names: Collection[str], prefix: str = "") -> bool:
    """Return whether a text is a prefix with one of the names and any port."""
    if not text.lower().startswith(prefix):
        return False
    match = _ADDRESS.fullmatch(text[len(prefix) :].lower())
    return match is not None and match["name"] in names


def bearer(headers: Headers) -> str:
    """Return the token in the header ``Authorization``, ``""`` for none."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def application(options: McpOptions, host: str) -> Starlette:
    """Return the web application that serves MCP."""
    links = TokenLinks(options.vault or default_vault().absolute())
    served = KeepsakeServer(options.profile, toolbox(options.profile, options.groups), links, "")
    manager = StreamableHTTPSessionManager(served.server, security_settings=_security(host))
    gate = BearerGate(StreamableHTTPASGIApp(manager), links, lambda: manager._server_instances, _names(host))
    return Starlette(routes=[Route(PATH, endpoint=gate)], lifespan=lambda _app: manager.run())


def _names(host: str) -> list[str]:
    """Return the names by which a server at an address is reached."""
    own = f"[{host}]" if ":" in host else host.lower()
    return list(dict.fromkeys(["127.0.0.1", "localhost", "[::1]", own]))


def _security(host: str) -> TransportSecuritySettings:
    """Return the ``Host`` and ``Origin`` headers that are taken, against pages of other sites."""
    named = _names(host)
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[host for name in named for host in (name, f"{name}:*")],
        allowed_origins=[origin for name in named for origin in (f"http://{name}", f"http://{name}:*")],
    )


async def _serve(options: McpOptions, host: str, port: int) -> None:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise MachineError(
            Sentence(
                "Nothing can listen at {address}: {strerror}.", address=options.http, strerror=error.strerror or error
            )
        ) from error
    with listening:
        shown = f"[{host}]" if ":" in host else host
        # Not a message of the log: the program that started this waits for it.
        print(f"Keepsake serves MCP at http://{shown}:{listening.getsockname()[1]}{PATH}", flush=True)  # noqa: T201
        settings = uvicorn.Config(
            application(options, host),
            http=bounded_protocol(),
            log_level="warning",
            access_log=False,
            lifespan="on",
        )
        await uvicorn.Server(settings).serve(sockets=[listening])
