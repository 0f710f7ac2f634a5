"""Toolbox of the reference profile: answers like the MCP reference memory server, over Keepsake's entities."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.core.text_rules.recall_fence import PREAMBLE
from app.errors import InputError, NotFoundError
from app.mcp.host_link import HostLink
from app.mcp.tools.reference_schemas import REFERENCE_TOOLS
from app.mcp.tools.tool_answers import Answer, ToolAnswer, harmless, held_back
from app.mcp.tools.toolbox import CallContext, reading_tools, refused, unknown_tool
from app.sentence import Sentence

Given = Mapping[str, Any]

_READING: Final = reading_tools(REFERENCE_TOOLS)
_HOW: Final = "Once the person has accepted it, read_graph shows it."


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """Answer as the reference server gives it, each text of it harmless.

    Clients of the reference server read the text as JSON, so no fence stands around it. That what was recalled is
    quoted data is said beside it, in both halves.

    Args:
        shown: What stands as JSON in the text.
        values: The same as values.
        is_recalled: Whether it holds more than what the call itself gave.
    """

    shown: Any
    values: Mapping[str, Any]
    is_recalled: bool = False

    def as_result(self) -> dict[str, Any]:
        """See ``Answer``."""
        text = json.dumps(harmless(self.shown), ensure_ascii=False, indent=2)
        notice = PREAMBLE.partition(" Each entry")[0] if self.is_recalled else ""
        return {
            "content": [{"type": "text", "text": text} for text in filter(None, (text, notice))],
            "structuredContent": {**harmless(self.values), **({"notice": notice} if notice else {})},
            "isError": False,
        }


class ReferenceToolbox:
    """The nine tools of the reference server; see ``Toolbox``."""

    async def listed(self, link: HostLink) -> list[dict[str, Any]]:
        """See ``Toolbox``."""
        return REFERENCE_TOOLS

    def known_tools(self) -> list[dict[str, Any]]:
        """See ``Toolbox``."""
        return REFERENCE_TOOLS

    def is_reading(self, name: str) -> bool:
        """See ``Toolbox``."""
        return name in _READING

    async def call(self, name: str, arguments: Given, context: CallContext) -> Answer:
        """See ``Toolbox``."""
        handler = _HANDLERS.get(name)
        if handler is None:
            raise unknown_tool(name, list(_HANDLERS))
        return await handler(arguments, context)


async def _create_entities(given: Given, call: CallContext) -> Answer:
    entities = [
        {
            "name": _text(entity, "name"),
            "type": _text(entity, "entityType"),
            "observations": _texts(entity, "observations"),
        }
        for entity in _objects(given, "entities")
    ]
    value = await call.write("graph.create_entities", entities=entities)
    return _waits(value, "entities") or _answer("entities", [_entity(entity) for entity in value])


async def _create_relations(given: Given, call: CallContext) -> Answer:
    value = await call.write("graph.create_relations", relations=_relations(given))
    return _waits(value, "relations") or _answer("relations", [_relation(relation) for relation in value])


async def _add_observations(given: Given, call: CallContext) -> Answer:
    wanted = [
        {"entity": _text(observation, "entityName"), "contents": _texts(observation, "contents")}
        for observation in _objects(given, "observations")
    ]
    try:
        value = await call.write("graph.add_observations", observations=wanted)
    except NotFoundError as error:
        # In the words of the reference server; ours do not repeat what was given.
        number = error.data.get("number")
        if not isinstance(number, int) or not 0 <= number < len(wanted):
            raise
        raise NotFoundError(Sentence("Entity with name {entity} not found", entity=wanted[number]["entity"])) from error
    if held := _waits(value, "results"):
        return held
    return _answer(
        "results", [{"entityName": addition["entity"], "addedObservations": addition["contents"]} for addition in value]
    )


async def _delete_entities(given: Given, call: CallContext) -> Answer:
    names = _texts(given, "entityNames")
    return await _delete("Entities", names, "graph.delete_entities", call, names=names)


async def _delete_observations(given: Given, call: CallContext) -> Answer:
    wanted = [
        {"entity": _text(deletion, "entityName"), "contents": _texts(deletion, "observations")}
        for deletion in _objects(given, "deletions")
    ]
    texts = [text for deletion in wanted for text in deletion["contents"]]
    return await _delete("Observations", texts, "graph.delete_observations", call, observations=wanted)


async def _delete_relations(given: Given, call: CallContext) -> Answer:
    wanted = _relations(given)
    texts = [f"{relation['source']} {relation['type']} {relation['target']}" for relation in wanted]
    return await _delete("Relations", texts, "graph.delete_relations", call, relations=wanted)


async def _read_graph(_given: Given, call: CallContext) -> Answer:
    return _graph(await call.read("graph.read"))


async def _search_nodes(given: Given, call: CallContext) -> Answer:
    return _graph(await call.read("graph.read", query=_text(given, "query")))


async def _open_nodes(given: Given, call: CallContext) -> Answer:
    names = _texts(given, "names")
    return _graph(await call.read("graph.read", names=names) if names else {"entities": [], "relations": []})


_HANDLERS: Final[dict[str, Callable[[Given, CallContext], Awaitable[Answer]]]] = {
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


async def _delete(what: str, texts: Sequence[str], operation: str, call: CallContext, **arguments: Any) -> Answer:
    shown = "; ".join(" ".join(text.split())[:100] for text in texts[:5])
    if refusal := refused(await call.confirmer.confirm(f"Delete from your memory: {what.lower()} {shown}?")):
        return _sentence(refusal, is_done=False)
    value = await call.write(operation, **arguments)
    if held := held_back(value, _HOW):
        return _sentence(held.words, is_done=False)
    return _sentence(f"{what} deleted successfully", is_done=True)


def _sentence(words: str, *, is_done: bool) -> Answer:
    return _Sentence(words, {"success": is_done, "message": words})


class _Sentence(ToolAnswer):
    """Sentence whose structured half has the fields that the reference server names."""

    @property
    def structured(self) -> dict[str, Any]:
        """See ``ToolAnswer``."""
        return dict(harmless(self.values))


def _waits(value: Any, name: str) -> Answer | None:
    """Return the answer to a write in the inbox, with an empty list as promised."""
    held = held_back(value, _HOW)
    return None if held is None else _Sentence(held.words, {name: [], "message": held.words})


def graph_text(graph: Mapping[str, Any]) -> str:
    """Return a graph as JSON, with the sentence that its texts are quoted data."""
    return json.dumps(_graph(graph).as_result()["structuredContent"], ensure_ascii=False, indent=2)


def _graph(graph: Mapping[str, Any]) -> GraphAnswer:
    entries = {
        "entities": [_entity(entity) for entity in graph["entities"]],
        "relations": [_relation(relation) for relation in graph["relations"]],
    }
    return GraphAnswer(entries, entries, is_recalled=bool(entries["entities"] or entries["relations"]))


def _answer(name: str, values: list[dict[str, Any]]) -> Answer:
    return GraphAnswer(values, {name: values})


def _entity(entity: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": entity["name"], "entityType": entity["type"], "observations": list(entity["observations"])}


def _relation(relation: Mapping[str, Any]) -> dict[str, Any]:
    return {"from": relation["source"], "to": relation["target"], "relationType": relation["type"]}


def _relations(given: Given) -> list[dict[str, str]]:
    return [
        {"source": _text(relation, "from"), "target": _text(relation, "to"), "type": _text(relation, "relationType")}
        for relation in _objects(given, "relations")
    ]


def _objects(given: Given, name: str) -> list[Given]:
    objects = given.get(name)
    if not isinstance(objects, list) or not all(isinstance(part, dict) for part in objects):
        raise InputError(Sentence("'{name}' must be a list of objects.", name=name), field=name)
    return objects


def _text(given: Given, name: str) -> str:
    text = given.get(name)
    if not isinstance(text, str):
        raise InputError(Sentence("'{name}' must be a text.", name=name), field=name)
    return text


def _texts(given: Given, name: str) -> list[str]:
    texts = given.get(name)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InputError(Sentence("'{name}' must be a list of texts.", name=name), field=name)
    return texts
