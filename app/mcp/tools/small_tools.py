"""Toolbox of the small profile: twelve tools that read and write memory."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from app.mcp.host_link import HostLink
from app.mcp.tools.lenient_arguments import Arguments
from app.mcp.tools.reading_tools import context, entity_info, get, search, timeline
from app.mcp.tools.schedule_tools import schedule, statistics
from app.mcp.tools.small_schemas import SMALL_TOOLS, Schema
from app.mcp.tools.tool_answers import Answer
from app.mcp.tools.toolbox import CallContext, reading_tools, unknown_tool
from app.mcp.tools.writing_tools import confirm, correct, remember, scratchpad, write

Handler = Callable[[Arguments, CallContext], Awaitable[Answer]]

_HANDLERS: Final[dict[str, Handler]] = {
    "memory_search": search,
    "memory_get": get,
    "memory_write": write,
    "memory_context": context,
    "memory_timeline": timeline,
    "remember_fact": remember,
    "correct_fact": correct,
    "confirm_fact": confirm,
    "get_entity_info": entity_info,
    "scratchpad": scratchpad,
    "schedule": schedule,
    "memory_stats": statistics,
}
_READING: Final = reading_tools(SMALL_TOOLS)
_PROPERTIES: Final[dict[str, Schema]] = {item["name"]: item["inputSchema"]["properties"] for item in SMALL_TOOLS}


class SmallToolbox:
    """The twelve tools that most clients need; see ``Toolbox``."""

    async def listed(self, link: HostLink) -> list[dict[str, Any]]:
        """See ``Toolbox``."""
        return SMALL_TOOLS

    def known_tools(self) -> list[dict[str, Any]]:
        """See ``Toolbox``."""
        return SMALL_TOOLS

    def is_reading(self, name: str) -> bool:
        """See ``Toolbox``."""
        return name in _READING

    async def call(self, name: str, arguments: Mapping[str, Any], context: CallContext) -> Answer:
        """See ``Toolbox``."""
        handler = _HANDLERS.get(name)
        if handler is None:
            raise unknown_tool(name, list(_HANDLERS))
        return await handler(Arguments(arguments, _PROPERTIES[name]), context)
