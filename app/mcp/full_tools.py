"""Toolbox of the full profile: every operation within the agent's trust."""

import json
from collections.abc import Mapping
from typing import Any, Final

from app.core.recall_fence import entry
from app.errors import KeepsakeError
from app.mcp.consolidator_tools import CONSOLIDATOR_TOOLS, consolidator_tool
from app.mcp.host_link import HostLink
from app.mcp.small_schemas import SMALL_TOOLS
from app.mcp.small_tools import SmallToolbox
from app.mcp.tool_answers import ToolAnswer, held_back, recalled
from app.mcp.toolbox import CallContext, unknown_tool

# Of no use to a model, or not meant for one.
_HIDDEN: Final = frozenset({"agent.request_access", "entity.place", "session.append_later"})


class FullToolbox:
    """The whole catalogue within an agent's trust; see ``Toolbox``."""

    def __init__(self) -> None:
        self._small = SmallToolbox()
        self._operations: dict[str, dict[str, Any]] = {}

    def known_tools(self) -> list[dict[str, Any]]:
        """See ``Toolbox``."""
        return SMALL_TOOLS

    async def listed(self, link: HostLink) -> list[dict[str, Any]]:
        """See ``Toolbox``."""
        described = await link.call("describe", {"schemas": True}, repeatable=True)
        if not described:
            return SMALL_TOOLS
        operations = {_tool_name(item["name"]): item for item in described if item["name"] not in _HIDDEN}
        known = {tool["name"] for tool in SMALL_TOOLS}
        self._operations = {name: item for name, item in operations.items() if name not in known}
        names = {item["name"] for item in described}
        consolidator = [tool for tool, needed in CONSOLIDATOR_TOOLS if needed <= names]
        return [*SMALL_TOOLS, *consolidator, *(_tool(name, item) for name, item in self._operations.items())]

    async def call(self, name: str, arguments: Mapping[str, Any], context: CallContext) -> ToolAnswer:
        """See ``Toolbox``."""
        if any(tool["name"] == name for tool in SMALL_TOOLS):
            return await self._small.call(name, arguments, context)
        consolidator = consolidator_tool(name)
        if consolidator is not None:
            return await consolidator(arguments, context)
        if name not in self._operations:
            await self.listed(context.link)
        item = self._operations.get(name)
        if item is None:
            raise unknown_tool(name, sorted(self._operations)[:20])
        return await self._operate(item, arguments, context)

    async def _operate(self, item: dict[str, Any], arguments: Mapping[str, Any], context: CallContext) -> ToolAnswer:
        given = {name: _whole(value, item, name) for name, value in arguments.items()}
        if item["destructive"]:
            question = f"{item['summary']} {json.dumps(given, ensure_ascii=False)[:300]}"
            if await context.confirmer.confirm(question) == "declined":
                return ToolAnswer("Nothing was changed: the person said no.", {"value": {"outcome": "declined"}})
        if item["access"] == "read":
            value = await context.read(item["name"], **given)
        else:
            value = await context.write(item["name"], **given)
            if held := held_back(value):
                return held
        return _answer(value)


def _tool_name(operation: str) -> str:
    return operation.replace(".", "_")


def _tool(name: str, item: dict[str, Any]) -> dict[str, Any]:
    is_read = item["access"] == "read"
    schema = item.get("schema") or {"type": "object", "properties": {one["name"]: {} for one in item["parameters"]}}
    hints = {"readOnlyHint": is_read, "openWorldHint": False}
    if not is_read:
        hints |= {"destructiveHint": item["destructive"], "idempotentHint": False}
    return {
        "name": name,
        "description": "\n\n".join(one for one in (item["summary"], item["doc"]) if one),
        "inputSchema": schema,
        "annotations": hints,
    }


def _whole(value: Any, item: Mapping[str, Any], name: str) -> Any:
    """Return an argument, read as JSON where a text was given for something else."""
    kind = next((one["type"] for one in item["parameters"] if one["name"] == name), "")
    if not isinstance(value, str) or "str" in kind.split(" | ") or kind == "str" or kind.startswith("Literal"):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _answer(value: Any) -> ToolAnswer:
    """Return an answer of the catalogue as values and as text."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise KeepsakeError("The answer cannot be shown.") from error
    # What people and programs wrote may stand in it: to the model it is data, whatever it says.
    return ToolAnswer(recalled([entry("answer", "values as JSON", text)]), {"value": value})
