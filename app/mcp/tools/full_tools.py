"""Toolbox of the full profile: the operations within the agent's trust, in groups."""

import json
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.core.declared_operations import declared_operations
from app.core.text_rules.recall_fence import entry
from app.errors import KeepsakeError
from app.mcp.host_link import HostLink
from app.mcp.tools.consolidator_tools import CONSOLIDATOR_TOOLS, consolidator_tool
from app.mcp.tools.plain_schemas import parsed_arguments, plain_schema
from app.mcp.tools.small_schemas import SMALL_TOOLS
from app.mcp.tools.small_tools import SmallToolbox
from app.mcp.tools.tool_answers import Answer, ToolAnswer, fenced, held_back, with_short_ids
from app.mcp.tools.tool_groups import DEFAULT_GROUPS, MAX_TOOLS, within_limit
from app.mcp.tools.toolbox import CallContext, reading_tools, refused, unknown_tool
from app.rpc.confirmation import CONFIRMED

_FIELD: Final = re.compile(r"[a-z]+(?:_[a-z]+){0,2}")
_PLAIN: Final = re.compile(r"[a-z]{2,4}-[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\d(?:T[0-9:.]+(?:Z|[+-][0-9:]+)?)?")
_READING: Final = reading_tools([*SMALL_TOOLS, *(tool for tool, _ in CONSOLIDATOR_TOOLS)])
_log = logging.getLogger(__name__)


class FullToolbox:
    """The catalogue within an agent's trust; see ``Toolbox``.

    Args:
        groups: The groups of operations that are offered, the most wanted first.
    """

    def __init__(self, groups: Sequence[str] = ()) -> None:
        self._small = SmallToolbox()
        self._groups = groups or DEFAULT_GROUPS
        self._operations: dict[str, dict[str, Any]] = {}

    def known_tools(self) -> list[dict[str, Any]]:
        """See ``Toolbox``."""
        return SMALL_TOOLS

    async def listed(self, link: HostLink) -> list[dict[str, Any]]:
        """See ``Toolbox``."""
        described = await link.call("describe", {"schemas": True}, repeatable=True)
        if not described:
            return SMALL_TOOLS
        names = {item["name"] for item in described}
        consolidator = [tool for tool, needed in CONSOLIDATOR_TOOLS if needed <= names]
        own = [*SMALL_TOOLS, *consolidator]
        hidden = declared_operations().not_for_models
        known = {tool["name"] for tool in own}
        operations = {
            item["name"]: item
            for item in described
            if item["name"] not in hidden and _tool_name(item["name"]) not in known
        }
        offered, left_out = within_limit(operations, self._groups, MAX_TOOLS - len(own))
        if left_out:
            _log.warning("no client takes more than %d tools: left out %s", MAX_TOOLS, ", ".join(left_out))
        # Those of other groups are not listed, yet who names one is answered.
        self._operations = {_tool_name(name): item for name, item in operations.items()}
        return [*own, *(_tool(_tool_name(name), operations[name]) for name in offered)]

    def is_reading(self, name: str) -> bool:
        """See ``Toolbox``."""
        item = self._operations.get(name)
        return item["access"] == "read" if item is not None else name in _READING

    async def call(self, name: str, arguments: Mapping[str, Any], context: CallContext) -> Answer:
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

    async def _operate(self, item: dict[str, Any], arguments: Mapping[str, Any], context: CallContext) -> Answer:
        values = parsed_arguments(arguments, _schema(item))
        values.pop(CONFIRMED, None)
        if item["destructive"]:
            question = f"{item['summary']} {json.dumps(values, ensure_ascii=False)[:300]}"
            if refusal := refused(await context.confirmer.confirm(question)):
                return ToolAnswer(refusal, {"outcome": "declined"})
        if item["access"] == "read":
            value = await context.read(item["name"], **values)
        else:
            value = await context.write(item["name"], **values)
            if held := held_back(value):
                return held
        return _answer(value)


def _tool_name(operation: str) -> str:
    return operation.replace(".", "_")


def _tool(name: str, item: dict[str, Any]) -> dict[str, Any]:
    is_read = item["access"] == "read"
    hints = {"readOnlyHint": is_read, "openWorldHint": False}
    if not is_read:
        hints |= {"destructiveHint": item["destructive"], "idempotentHint": False}
    return {
        "name": name,
        "description": "\n\n".join(part for part in (item["summary"], item["doc"]) if part),
        "inputSchema": plain_schema(_schema(item)),
        "annotations": hints,
    }


def _schema(item: Mapping[str, Any]) -> dict[str, Any]:
    return item.get("schema") or {
        "type": "object",
        "properties": {parameter["name"]: {} for parameter in item["parameters"]},
    }


def _answer(value: Any) -> ToolAnswer:
    """Return an answer of the catalogue as JSON in a fence."""
    try:
        text = _json(with_short_ids(value))
    except (TypeError, ValueError) as error:
        raise KeepsakeError("The answer cannot be shown.") from error
    line = entry("answer", "values as JSON", text, whole_lines=True)
    return ToolAnswer("", {"ids": _ids(value), "value": _plain_fields(value)}, fenced([line]))


def _json(value: Any) -> str:
    """Return JSON with each field or item on its own line.

    An entry of a single line would lose the spaces in texts.
    """
    if isinstance(value, dict):
        fields = (f"{json.dumps(name, ensure_ascii=False)}:{_compact(field)}" for name, field in value.items())
        return "\n".join(["{", ",\n".join(fields), "}"])
    return "\n".join(["[", ",\n".join(map(_compact, value)), "]"]) if isinstance(value, list) else _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _plain_fields(value: Any) -> dict[str, Any]:
    """Return the fields of an answer that hold ids, times, numbers and flags, not texts."""
    fields = value.items() if isinstance(value, dict) else ()
    return {name: field for name, field in fields if _FIELD.fullmatch(name) and _is_plain(field)}


def _is_plain(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) or (isinstance(value, str) and _PLAIN.fullmatch(value) is not None)


def _ids(value: Any) -> list[str]:
    """Return the id of an answer, or those of its items."""
    items = value if isinstance(value, list) else [value]
    return [entry["id"] for entry in items if isinstance(entry, dict) and isinstance(entry.get("id"), str)]
