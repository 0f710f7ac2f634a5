"""Toolbox of the reference profile: answers like the MCP reference memory server, over Keepsake's entities."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from app.core.recall_fence import neutralise
from app.errors import InputError, NotFoundError
from app.mcp.host_link import HostLink
from app.mcp.reference_schemas import REFERENCE_TOOLS
from app.mcp.tool_answers import ToolAnswer, held_back
from app.mcp.toolbox import CallContext, unknown_tool

Given = Mapping[str, Any]

_HOW: Final = "Once the person has accepted it, read_graph shows it."


class ReferenceToolbox:
    """The nine tools of the reference server; see ``Toolbox``."""

    async def listed(self, link: HostLink) -> list[dict[str, Any]]:
        """See ``Toolbox``."""
        return REFERENCE_TOOLS

    def known_tools(self) -> list[dict[str, Any]]:
        """See ``Toolbox``."""
        return REFERENCE_TOOLS

    async def call(self, name: str, arguments: Given, context: CallContext) -> ToolAnswer:
        """See ``Toolbox``."""
        handler = _HANDLERS.get(name)
        if handler is None:
            raise unknown_tool(name, list(_HANDLERS))
        return await handler(arguments, context)


async def _create_entities(given: Given, call: CallContext) -> ToolAnswer:
    entities = [
        {"name": _text(one, "name"), "type": _text(one, "entityType"), "observations": _texts(one, "observations")}
        for one in _objects(given, "entities")
    ]
    value = await call.write("graph.create_entities", entities=entities)
    return _waits(value, "entities") or _answer("entities", [_entity(one) for one in value])


async def _create_relations(given: Given, call: CallContext) -> ToolAnswer:
    value = await call.write("graph.create_relations", relations=_relations(given))
    return _waits(value, "relations") or _answer("relations", [_relation(one) for one in value])


async def _add_observations(given: Given, call: CallContext) -> ToolAnswer:
    wanted = [
        {"entity": _text(one, "entityName"), "contents": _texts(one, "contents")}
        for one in _objects(given, "observations")
    ]
    try:
        value = await call.write("graph.add_observations", observations=wanted)
    except NotFoundError as error:
        # In the words of the reference server; ours do not repeat what was given.
        number = error.data.get("number")
        if not isinstance(number, int) or not 0 <= number < len(wanted):
            raise
        raise NotFoundError(f"Entity with name {wanted[number]['entity']} not found") from error
    if held := _waits(value, "results"):
        return held
    return _answer("results", [{"entityName": one["entity"], "addedObservations": one["contents"]} for one in value])


async def _delete_entities(given: Given, call: CallContext) -> ToolAnswer:
    names = _texts(given, "entityNames")
    return await _delete("Entities", names, "graph.delete_entities", call, names=names)


async def _delete_observations(given: Given, call: CallContext) -> ToolAnswer:
    wanted = [
        {"entity": _text(one, "entityName"), "contents": _texts(one, "observations")}
        for one in _objects(given, "deletions")
    ]
    texts = [text for one in wanted for text in one["contents"]]
    return await _delete("Observations", texts, "graph.delete_observations", call, observations=wanted)


async def _delete_relations(given: Given, call: CallContext) -> ToolAnswer:
    wanted = _relations(given)
    texts = [f"{one['source']} {one['type']} {one['target']}" for one in wanted]
    return await _delete("Relations", texts, "graph.delete_relations", call, relations=wanted)


async def _read_graph(_given: Given, call: CallContext) -> ToolAnswer:
    return _graph(await call.read("graph.read"))


async def _search_nodes(given: Given, call: CallContext) -> ToolAnswer:
    return _graph(await call.read("graph.read", query=_text(given, "query")))


async def _open_nodes(given: Given, call: CallContext) -> ToolAnswer:
    names = _texts(given, "names")
    return _graph(await call.read("graph.read", names=names) if names else {"entities": [], "relations": []})


_HANDLERS: Final[dict[str, Callable[[Given, CallContext], Awaitable[ToolAnswer]]]] = {
    "create_entities": _create_entities,
    "create_relations": _create_relations,
    "add_observations": _add_observations,
    "delete_entities": _delete_entities,
    "delete_observations": _delete_observations,
    "delete_relations": _delete_relations,
    "read_graph": _read_graph,
    "search_nodes": _search_nodes,
    "open_nodes": _open_nodes,
}


async def _delete(what: str, texts: Sequence[str], operation: str, call: CallContext, **arguments: Any) -> ToolAnswer:
    shown = "; ".join(" ".join(text.split())[:100] for text in texts[:5])
    if await call.confirmer.confirm(f"Delete from your memory: {what.lower()} {shown}?") == "declined":
        said = "Nothing was deleted: the person said no."
        return ToolAnswer(said, {"success": False, "message": said})
    value = await call.write(operation, **arguments)
    if held := held_back(value, _HOW):
        return ToolAnswer(held.text, {"success": False, "message": held.text})
    said = f"{what} deleted successfully"
    return ToolAnswer(said, {"success": True, "message": said})


def _waits(value: Any, name: str) -> ToolAnswer | None:
    """Return the answer to a write in the inbox, with an empty list as promised."""
    held = held_back(value, _HOW)
    return None if held is None else ToolAnswer(held.text, {name: [], "message": held.text})


def _graph(graph: Mapping[str, Any]) -> ToolAnswer:
    made = {
        "entities": [_entity(one) for one in graph["entities"]],
        "relations": [_relation(one) for one in graph["relations"]],
    }
    return ToolAnswer(_json(made), made)


def _answer(name: str, values: list[dict[str, Any]]) -> ToolAnswer:
    return ToolAnswer(_json(values), {name: values})


def _json(value: Any) -> str:
    # Clients of the reference server read this text as JSON, so no fence can stand around it.
    return neutralise(json.dumps(value, ensure_ascii=False, indent=2))


def _entity(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": one["name"], "entityType": one["type"], "observations": list(one["observations"])}


def _relation(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"from": one["source"], "to": one["target"], "relationType": one["type"]}


def _relations(given: Given) -> list[dict[str, str]]:
    return [
        {"source": _text(one, "from"), "target": _text(one, "to"), "type": _text(one, "relationType")}
        for one in _objects(given, "relations")
    ]


def _objects(given: Given, name: str) -> list[Given]:
    found = given.get(name)
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError(f"'{name}' must be a list of objects.", field=name)
    return found


def _text(given: Given, name: str) -> str:
    found = given.get(name)
    if not isinstance(found, str):
        raise InputError(f"'{name}' must be a text.", field=name)
    return found


def _texts(given: Given, name: str) -> list[str]:
    found = given.get(name)
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise InputError(f"'{name}' must be a list of texts.", field=name)
    return found
