"""Answers to a client's first requests, given while the MCP library is still being loaded.

Loading the library takes longer than a client should wait for its first answer. These answers equal the library's own,
which a test compares.
"""

from typing import Any, Final

from app.mcp.options import Profile
from app.mcp.server_identity import (
    HANDSHAKE_VERSIONS,
    MODERN_VERSION,
    PROMPTS,
    SERVER,
    TEMPLATES,
    capabilities,
    instructions,
    resources,
    tools,
)

Message = dict[str, Any]

_VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
_SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"
_CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"


class EarlyAnswers:
    """Answers of one connection that need neither host nor library.

    Args:
        profile: The set of tools.
    """

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._is_greeted = False

    def answer(self, message: Message) -> Message | None:
        """Return the answer to a request, ``None`` where the library must give it."""
        key, method, params = message.get("id"), message.get("method"), message.get("params") or {}
        if message.get("jsonrpc") != "2.0" or not _is_id(key) or not isinstance(params, dict):
            return None
        meta = params.get("_meta")
        fields = meta if isinstance(meta, dict) else {}
        is_modern = _VERSION_KEY in fields
        if is_modern and (
            fields[_VERSION_KEY] != MODERN_VERSION or not isinstance(fields.get(_CAPABILITIES_KEY), dict)
        ):
            return None
        result = self._result(method, params, is_modern=is_modern)
        return None if result is None else {"jsonrpc": "2.0", "id": key, "result": result}

    def _result(self, method: object, params: Message, *, is_modern: bool) -> Message | None:
        if method == "initialize":
            return self._initialized(params)
        if is_modern:
            result = self._discovered() if method == "server/discover" else self._listed(method)
            if result is None:
                return None
            cached = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}
            return {**cached, **result, "_meta": {_SERVER_KEY: dict(SERVER)}}
        return self._listed(method) if self._is_greeted else None

    def _initialized(self, params: Message) -> Message | None:
        wanted, client = params.get("protocolVersion"), params.get("clientInfo")
        is_whole = isinstance(client, dict) and all(isinstance(client.get(field), str) for field in ("name", "version"))
        if self._is_greeted or not isinstance(wanted, str) or not is_whole or not _is_object(params, "capabilities"):
            return None
        self._is_greeted = True
        return {
            "protocolVersion": wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
            "capabilities": capabilities(self._profile),
            "serverInfo": dict(SERVER),
            "instructions": instructions(self._profile),
        }

    def _discovered(self) -> Message:
        return {
            "supportedVersions": [MODERN_VERSION],
            "capabilities": capabilities(self._profile, is_modern=True),
            "instructions": instructions(self._profile),
        }

    def _listed(self, method: object) -> Message | None:
        if method == "tools/list":
            offered = tools(self._profile)
            return None if offered is None else {"tools": offered}
        if method == "prompts/list":
            return {"prompts": PROMPTS}
        if method == "resources/list":
            return {"resources": resources(self._profile)}
        if method == "resources/templates/list":
            return {"resourceTemplates": TEMPLATES}
        return None


def _is_id(key: object) -> bool:
    return isinstance(key, str) or (isinstance(key, int) and not isinstance(key, bool))


def _is_object(params: Message, name: str) -> bool:
    return isinstance(params.get(name), dict)
