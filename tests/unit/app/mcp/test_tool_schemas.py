"""Schemas of all tools keep to what the strictest clients take: Gemini, OpenAI in strict mode, VS Code, Cursor."""

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest

from app.api.argument_schema import argument_schema
from app.api.catalogue import declared
from app.errors import InputError
from app.mcp.tools.consolidator_tools import CONSOLIDATOR_TOOLS
from app.mcp.tools.files_schema import FILES_TOOLS
from app.mcp.tools.full_tools import FullToolbox
from app.mcp.tools.plain_schemas import parsed_arguments, plain_schema
from app.mcp.tools.reference_schemas import REFERENCE_TOOLS
from app.mcp.tools.small_schemas import SMALL_TOOLS
from app.mcp.tools.tool_groups import DEFAULT_GROUPS, MAX_TOOLS, parse_groups, subject, within_limit
from tests.helpers.guards.unexpected_logs import AllowLogs

TYPES = {"string", "integer", "number", "boolean", "array", "object"}
# Of a node; unions, references and all else are refused by one client or another.
KEYWORDS = {
    *("type", "description", "enum", "items", "properties", "required"),
    *("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"),
}
OPERATIONS = [item.name for item in declared() if not item.owner_only]
GROUPS = sorted(set(map(subject, OPERATIONS)))


class FullLink:
    """A link to a host that lets everything be done."""

    async def call(self, _operation: str, _arguments: Any, *, repeatable: bool) -> Any:
        """Describe the operations."""
        assert repeatable
        operations = [item for item in declared() if not item.owner_only]
        return [
            {
                **{name: getattr(item, name) for name in ("name", "access", "destructive", "summary", "doc")},
                "parameters": [],
                "schema": argument_schema(item),
            }
            for item in operations
        ]


def full_tools(*groups: str) -> list[dict[str, Any]]:
    link: Any = FullLink()
    return asyncio.run(FullToolbox(groups).listed(link))


def nodes(schema: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each node of a schema with its path, in which no property is taken for a keyword."""
    yield path, schema
    for name, node in schema.get("properties", {}).items():
        yield from nodes(node, f"{path}.{name}")
    if "items" in schema:
        yield from nodes(schema["items"], f"{path}[]")


def check_tool(tool: dict[str, Any]) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,51}", tool["name"])  # 64 with a client's prefix "mcp_keepsake_"
    assert 0 < len(tool["description"]) <= 1024, tool["name"]
    assert tool["inputSchema"]["type"] == "object"
    assert "properties" in tool["inputSchema"], tool["name"]
    for path, node in nodes(tool["inputSchema"], tool["name"]):
        assert node["type"] in TYPES, path
        assert set(node) <= KEYWORDS, path
        assert len(node.get("description", "")) <= 1024, path
        assert ("items" in node) == (node["type"] == "array"), path
        assert set(node.get("required", ())) <= set(node.get("properties", ())), path
        assert path.count(".") <= 5, path
        assert all(isinstance(one, str) and one for one in node.get("enum", ())), path
        if path != tool["name"]:
            assert node["type"] != "object" or node.get("properties"), path
        # In strict mode every argument must be given: "" is how one is not.
        for name, inner in node.get("properties", {}).items():
            assert "enum" not in inner or name in node.get("required", ()), f"{path}.{name}"
    for path, node in nodes(tool.get("outputSchema", {"type": "object"}), f"{tool['name']}:"):
        assert node["type"] in TYPES, path
        assert not {"anyOf", "oneOf", "allOf", "$ref", "$defs"} & set(node), path


@pytest.mark.parametrize("tools", [SMALL_TOOLS, REFERENCE_TOOLS, FILES_TOOLS, [tool for tool, _ in CONSOLIDATOR_TOOLS]])
def test_the_tools_written_by_hand(tools: list[dict[str, Any]]) -> None:
    for tool in tools:
        check_tool(tool)


def test_the_full_profile_by_default_and_whole() -> None:
    by_default = full_tools()
    assert len(by_default) <= MAX_TOOLS
    offered = {subject(name) for name in within_limit(map(operation, by_default), DEFAULT_GROUPS, MAX_TOOLS)[0]}
    assert offered == set(DEFAULT_GROUPS)
    for tool in by_default:
        check_tool(tool)


def operation(tool: dict[str, Any]) -> str:
    names = {item.name.replace(".", "_"): item.name for item in declared()}
    return names.get(tool["name"], "")


@pytest.mark.parametrize("group", GROUPS)
def test_each_group(group: str) -> None:
    tools = full_tools(group)
    own = [tool for tool in tools if subject(operation(tool)) == group]
    assert own
    assert len(tools) <= MAX_TOOLS
    for tool in own:
        check_tool(tool)


def test_a_list_of_too_many_groups_leaves_whole_groups_out(allow_logs: AllowLogs) -> None:
    allow_logs("no client takes more than 128 tools: left out")
    tools = full_tools(*GROUPS)
    assert len(tools) <= MAX_TOOLS
    listed = {tool["name"] for tool in tools}
    for group in GROUPS[:3]:
        assert {tool["name"] for tool in full_tools(group)} <= listed


def test_groups_are_named_in_the_plural_too() -> None:
    named = parse_groups("notes, facts,entities,saved-searches", OPERATIONS)
    assert named == ("note", "fact", "entity", "saved_search")
    assert parse_groups("session.summary", OPERATIONS) == ("session_summary",)
    with pytest.raises(InputError, match="There are: agent, archive"):
        parse_groups("notes,cars", OPERATIONS)


SCHEMA = {
    "type": "object",
    "properties": {
        "content": {"type": "string"},
        "store": {"anyOf": [{"enum": ["private", "shared"]}, {"type": "null"}], "default": None},
        "kind": {"enum": ["note", "fact"]},
        "since": {"type": ["string", "null"]},
        "ids": {"type": "array", "items": {"type": "integer"}},
        "attributes": {"type": "object", "description": "More."},
        "any": {"description": "Whatever."},
        "node": {"$ref": "#/$defs/Node"},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "fixed": {"const": 3},
    },
    "required": ["content", "kind"],
    "$defs": {
        "Node": {
            "title": "Node",
            "type": "object",
            "properties": {"at": {"type": "string", "format": "date"}, "next": {"$ref": "#/$defs/Node"}},
        }
    },
}


def test_a_plain_schema_has_one_type_at_each_node() -> None:
    check_tool({"name": "t", "description": "d", "inputSchema": plain_schema(SCHEMA)})
    plain = plain_schema(SCHEMA)["properties"]
    assert plain["store"] == {"type": "string", "description": "One of: private, shared."}
    assert plain["kind"] == {"type": "string", "enum": ["note", "fact"]}
    assert plain["attributes"]["type"] == "string"
    assert plain["node"]["properties"]["at"] == {"type": "string"}
    assert plain["fixed"]["type"] == "integer"


def test_arguments_of_a_plain_schema_are_read_by_the_whole_one() -> None:
    given = {
        "content": "",
        "store": "",
        "kind": "note",
        "since": None,
        "ids": "[1, 2]",
        "attributes": '{"a": 1}',
        "any": "true",
        "node": {"at": "2026-01-01", "next": '{"at": "2026-01-02"}'},
        "map": "no JSON",
        "more": "",
    }
    assert parsed_arguments(given, SCHEMA) == {
        "content": "",
        "kind": "note",
        "ids": [1, 2],
        "attributes": {"a": 1},
        "any": True,
        "node": {"at": "2026-01-01", "next": {"at": "2026-01-02"}},
        "map": "no JSON",
        "more": "",
    }
