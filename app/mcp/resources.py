"""Resources of the MCP server: notes, conversations, entities, today, the person's profile."""

import asyncio
from datetime import datetime
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from app.changes import Area
from app.core.text_rules.recall_fence import entry
from app.core.text_rules.short_ids import short_id
from app.errors import InputError, NotFoundError
from app.mcp.tools.reading_tools import entity_entries
from app.mcp.tools.reference_tools import graph_text
from app.mcp.tools.tool_answers import day, memory_entry, recalled, turn_entry
from app.mcp.tools.toolbox import CallContext
from app.sentence import Sentence

SCHEME: Final = "memory"
_KINDS: Final = ("note", "session", "entity")
_GRAPH: Final = "knowledge-graph"
_WHOLE: Final = ("today", "profile", _GRAPH)
_TURNS: Final = 200
_TODAY: Final = 200
_PROFILE: Final = 20
_CONTENT_AREAS: Final[frozenset[Area]] = frozenset({"memories", "messages", "sessions", "entities"})


def check(uri: str) -> tuple[str, str]:
    """Return kind and name in the address of a resource.

    Raises:
        NotFoundError: There are no such resources.
    """
    parts = urlsplit(uri)
    kind, name = parts.netloc, unquote(parts.path.lstrip("/"))
    if parts.scheme == SCHEME and ((kind in _KINDS and name) or (kind in _WHOLE and not name)):
        return kind, name
    raise NotFoundError(
        Sentence(
            "There is no resource {uri}. There are memory://note/ID, memory://session/ID,"
            " memory://entity/NAME, memory://today, memory://profile and memory://knowledge-graph.",
            uri=uri,
        ),
        uri=uri,
    )


def media_type(uri: str) -> str:
    """Return the media type of a resource's text."""
    return "application/json" if check(uri)[0] == _GRAPH else "text/markdown"


async def read(uri: str, call: CallContext) -> str:
    """Return the text of a resource, fenced as recalled data.

    The graph is JSON, which says so itself.

    Raises:
        NotFoundError: There is none that the client may see.
        KeepsakeError: What the host reports.
    """
    kind, name = check(uri)
    if kind == "today":
        return await _today(call)
    if kind == "profile":
        return await _profile(call)
    if kind == _GRAPH:
        return graph_text(await call.read("graph.read"))
    if kind == "note":
        return recalled([memory_entry(await call.read("note.get", id=name))])
    if kind == "session":
        return await _session(name, call)
    return await _entity(name, call)


def touched(event: dict[str, Any]) -> list[str]:
    """Return the addresses of resources that a change of the host concerns."""
    if not _CONTENT_AREAS & set(event.get("areas", ())):
        return []
    uris = ["memory://today", "memory://profile", f"memory://{_GRAPH}"]
    for identity in event.get("ids", ()):
        owner = identity.split("#")[0]
        kind = "session" if identity.startswith("ses-") else "note"
        if not identity.startswith("ent-"):
            # A client may have asked for it by its short id.
            uris += (f"memory://{kind}/{name}" for name in dict.fromkeys((owner, short_id(owner))))
    return uris


def is_touched(uri: str, event: dict[str, Any]) -> bool:
    """Return whether a change of the host may concern a resource."""
    areas, ids = set(event.get("areas", ())), event.get("ids", ())
    if not _CONTENT_AREAS & areas:
        return False
    try:
        kind, name = check(uri)
    except InputError:
        return False
    if kind in _WHOLE:
        return True
    if kind == "entity":
        return bool(areas & {"entities", "memories"})
    # Without ids the change is one of everything in its areas.
    return not ids or any(short_id(identity.split("#")[0]) == short_id(name) for identity in ids)


async def _today(call: CallContext) -> str:
    start = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    timeline = await call.read("memory.timeline", around=start.isoformat(), before=0, after=_TODAY)
    lines = [
        entry(
            item["id"], ", ".join(part for part in (day(item["at"]), item["kind"], item["title"]) if part), item["text"]
        )
        for item in timeline["items"]
    ]
    return recalled(lines, "" if lines else "Nothing was said or stored today yet.")


async def _profile(call: CallContext) -> str:
    facts, people, reflection = await asyncio.gather(
        call.read("fact.list", limit=_PROFILE),
        call.read("memory.people", limit=_PROFILE),
        call.read("reflection.latest"),
    )
    ranked = sorted(facts, key=lambda fact: (not fact["pinned"], fact["decay_rate"] > 0))
    lines = [memory_entry(fact) for fact in ranked]
    lines += [entry(person["id"], "person", person["name"]) for person in people]
    if reflection is not None:
        lines.append(memory_entry(reflection))
    return recalled(lines, "" if lines else "Nothing is known of the person yet.")


async def _session(name: str, call: CallContext) -> str:
    turns = await call.read("session.recent", session=name, n=_TURNS)
    lines = [turn_entry(turn, name) for turn in turns]
    return recalled(lines, "" if lines else "This conversation has no messages.")


async def _entity(name: str, call: CallContext) -> str:
    entity_id = name
    if not name.startswith("ent-"):
        rows = await call.read("entity.list", filter={"text": name}, limit=10)
        exact = [row for row in rows if row["name"].casefold() == name.casefold()] or rows
        if not exact:
            raise NotFoundError(Sentence("Nothing is known under the name '{name}'.", name=name), name=name)
        entity_id = exact[0]["id"]
    return recalled(entity_entries(await call.read("entity.info", id=entity_id)))
