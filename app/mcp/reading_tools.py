"""Tools of the small profile that read: search, get, context, timeline, entities."""

import json
from typing import Any, Final

from app.core.recall_fence import entry
from app.errors import InputError
from app.mcp.lenient_arguments import Arguments, bare, one_of
from app.mcp.tool_answers import ToolAnswer, day, memory_entry, recalled, within
from app.mcp.toolbox import CallContext

KINDS: Final = ("message", "note", "fact", "observation", "reflection", "digest")
STORES: Final = ("private", "shared", "social")
_HITS: Final = 10
_MAX_HITS: Final = 200
_NEIGHBOURS: Final = 10
_PROPOSALS: Final = 500
_SHOWN: Final = (
    *("id", "kind", "title", "content", "facts", "tags", "category", "key", "type", "store", "source", "created_at"),
    *("updated_at", "confidence", "version", "pinned", "superseded_by", "deleted_at", "session_id", "sources"),
)


async def search(given: Arguments, call: CallContext) -> ToolAnswer:
    """Search, and answer an index of hits."""
    limit = min(given.number("limit") or _HITS, _MAX_HITS)
    offset = _offset(given)
    query = _query(given)
    # One more than shown tells whether there are more.
    found = await call.read("memory.search", query=query, limit=limit + 1, offset=offset)
    lines = [(_hit_line(hit), hit) for hit in found["hits"]]
    shown = min(limit, within(lines, given.number("max_tokens")))
    following = str(offset + shown) if shown < len(lines) else ""
    notes = [*found["notes"]]
    after = [*notes, f"More with cursor {following}." if following else ""]
    if not lines:
        after.insert(0, "Nothing found.")
    text = recalled([line for line, _ in lines[:shown]], "\n".join(one for one in after if one))
    hits = [_hit(hit) for _, hit in lines[:shown]]
    structured: dict[str, Any] = {"hits": hits, "notes": notes}
    if following:
        structured["next_cursor"] = following
    return ToolAnswer(text, structured)


async def get(given: Arguments, call: CallContext) -> ToolAnswer:
    """Return whole memories and messages."""
    ids = given.identifiers("ids")
    if not ids:
        raise InputError("'ids' is missing: give the ids that a search showed.", field="ids")
    found = await call.read("memory.get", ids=ids, max_tokens=given.number("max_tokens"))
    proposals = await _proposals(found["missing"], call)
    found["missing"] = [one for one in found["missing"] if one not in proposals]
    entries = [memory_entry(memory) for memory in found["memories"]]
    entries += [_turn_entry(turn) for turn in found["messages"]]
    after = [f"Proposal {number} {_fate(proposal)}" for number, proposal in proposals.items()]
    if found["left_out"]:
        after.append(f"No room for: {', '.join(one['id'] for one in found['left_out'])}. Ask for them alone.")
    if found["missing"]:
        after.append(f"There is nothing with the id {', '.join(found['missing'])}.")
    items = [_shown(memory) for memory in found["memories"]] + [_turn(turn) for turn in found["messages"]]
    items += [_proposal(number, proposal) for number, proposal in proposals.items()]
    structured = {name: found[name] for name in ("left_out", "missing", "tokens")}
    return ToolAnswer(recalled(entries, "\n".join(after)), {"items": items, **structured})


async def _proposals(missing: list[str], call: CallContext) -> dict[str, dict[str, Any]]:
    """Return the client's own proposals whose numbers are among the missing ids."""
    numbers = [one for one in missing if one.isdecimal()]
    if not numbers:
        return {}
    own = {str(one["id"]): one for one in await call.read("inbox.mine", limit=_PROPOSALS)}
    return {number: own[number] for number in numbers if number in own}


def _fate(proposal: dict[str, Any]) -> str:
    """Return what became of a proposal, in words."""
    because = f": {' '.join(proposal['note'].split())}" if proposal["note"] else "."
    if proposal["state"] == "waiting":
        return "waits for the person; nothing is stored yet."
    if proposal["state"] == "accepted":
        stored = f" It is stored as {', '.join(proposal['ids'])}." if proposal["ids"] else ""
        return f"was accepted by the person{because}{stored}"
    return f"was rejected by the person{because}" if proposal["state"] == "rejected" else "expired undecided."


def _proposal(number: str, proposal: dict[str, Any]) -> dict[str, Any]:
    names = ("operation", "state", "note", "created_at", "decided_at")
    known = {name: proposal[name] for name in names if proposal[name]}
    return {"id": number, "kind": "proposal", **known, "ids": list(proposal["ids"])}


async def context(given: Arguments, call: CallContext) -> ToolAnswer:
    """Return the context for the next answer."""
    made = await call.read(
        "memory.context",
        prompt=given.required("prompt"),
        session=given.text("session").strip(),
        max_tokens=given.number("max_tokens"),
    )
    text = "\n".join(one for one in (made["text"], *made["notes"]) if one) or "There is nothing to tell yet."
    return ToolAnswer(text, {name: made[name] for name in ("text", "tokens", "left_out", "notes")})


async def timeline(given: Arguments, call: CallContext) -> ToolAnswer:
    """Return what lies around a moment or an item."""
    cursor = bare(given.text("cursor"))
    kinds = [one_of("kinds", kind, KINDS) for kind in given.texts("kinds") if kind.lower() != "all"]
    before, after = given.number("before", _NEIGHBOURS), given.number("after", _NEIGHBOURS)
    found = await call.read(
        "memory.timeline",
        around=cursor or given.span("around"),
        before=0 if cursor else before,
        after=after,
        kinds=kinds,
        session=given.text("session").strip(),
    )
    items = [item for item in found["items"] if not (cursor and item["id"] == cursor)]
    lines = [(_timeline_line(item), item) for item in items]
    shown = within(lines, given.number("max_tokens"))
    is_more = found["later"] or shown < len(lines)
    following = items[shown - 1]["id"] if is_more and shown else ""
    after_words = "" if lines else "Nothing there."
    if following:
        after_words = f"Later ones with cursor {following}."
    structured = {"items": [item for _, item in lines[:shown]], "earlier": found["earlier"], "later": bool(is_more)}
    if following:
        structured["next_cursor"] = following
    return ToolAnswer(recalled([line for line, _ in lines[:shown]], after_words), structured)


async def entity_info(given: Arguments, call: CallContext) -> ToolAnswer:
    """Return everything about a named thing."""
    name, limit = given.identifier("name"), given.number("limit", 20)
    candidates: list[dict[str, Any]] = []
    if name.startswith("ent-"):
        entity_id = name
    else:
        candidates = await call.read("entity.list", filter={"text": name}, limit=10)
        exact = [one for one in candidates if one["name"].casefold() == name.casefold()]
        if not candidates:
            return ToolAnswer(f"Nothing is known under the name '{name}'.", {"candidates": []})
        entity_id = (exact or candidates)[0]["id"]
    info = await call.read("entity.info", id=entity_id, limit=limit)
    return ToolAnswer(
        recalled(entity_entries(info), _others(candidates, entity_id)),
        {
            "entity": info["entity"],
            "facts": list(info["facts"]),
            "relations": list(info["relations"]),
            "related": [*info["people"], *info["related"]],
            "candidates": candidates,
        },
    )


def entity_entries(info: dict[str, Any]) -> list[str]:
    """Return the profile of an entity as entries of recalled text."""
    entity = info["entity"]
    about = f"{entity['type']}, {entity['name']}, mentioned {entity['mentions']} times"
    lines = [entry(entity["id"], about, entity["summary"])]
    lines += [entry(_id_of(fact), _about(fact), _words(fact)) for fact in info["facts"]]
    for relation in info["relations"]:
        said = f"{relation['subject']} {relation['predicate']} {relation['object']}"
        lines.append(entry(relation["object_id"], "relation", said))
    met = ", ".join(one["name"] for one in [*info["people"], *info["related"]])
    if met:
        lines.append(entry(entity["id"], "mentioned together with", met))
    return lines


def _others(candidates: list[dict[str, Any]], chosen: str) -> str:
    names = [
        f"{json.dumps(one['name'], ensure_ascii=False)} ({one['id']})" for one in candidates if one["id"] != chosen
    ]
    return f"Other matches: {', '.join(names)}" if names else ""


def _query(given: Arguments) -> str:
    parts = [given.text("query").strip()]
    kinds = given.texts("kind")
    parts += [f"kind:{one_of('kind', kind, KINDS)}" for kind in kinds if "all" not in kinds]
    parts += [f'tag:"{_quotable(tag.lstrip("#"))}"' for tag in given.texts("tag")]
    if store := given.text("store").strip():
        parts.append(f"store:{one_of('store', store, STORES)}")
    for name, operator in (("since", "after"), ("until", "before")):
        if span := given.span(name):
            parts.append(f'{operator}:"{_quotable(span)}"')
    query = " ".join(part for part in parts if part)
    if not query:
        raise InputError("'query' is missing: give words or a question.", field="query")
    return query


def _quotable(text: str) -> str:
    return text.replace('"', " ").strip()


def _offset(given: Arguments) -> int:
    cursor = given.text("cursor").strip()
    if not cursor:
        return 0
    if not cursor.isdecimal() or len(cursor) > len("1000000"):
        raise InputError("'cursor' must be the next_cursor of an earlier answer.", field="cursor")
    return int(cursor)


def _hit_line(hit: dict[str, Any]) -> str:
    marks = [day(hit["created_at"]), hit["kind"], hit["role"] or hit["author"], hit["title"]]
    return entry(hit["id"], ", ".join(mark for mark in marks if mark), hit["snippet"])


def _hit(hit: dict[str, Any]) -> dict[str, Any]:
    names = ("id", "kind", "title", "snippet", "created_at", "store", "role", "tags")
    return {name: hit[name] for name in names if hit[name]}


def _shown(memory: dict[str, Any]) -> dict[str, Any]:
    return {name: memory[name] for name in _SHOWN if memory.get(name) not in (None, "", [], {}, False)}


def _turn(turn: dict[str, Any]) -> dict[str, Any]:
    names = ("session_id", "seq", "role", "author", "content", "created_at")
    return {"id": f"{turn['session_id']}#{turn['seq']}", "kind": "message", **{name: turn.get(name) for name in names}}


def _turn_entry(turn: dict[str, Any]) -> str:
    about = ", ".join(one for one in (day(turn["created_at"]), "message", turn.get("author") or turn["role"]) if one)
    return entry(f"{turn['session_id']}#{turn['seq']}", about, turn["content"], whole_lines=True)


def _timeline_line(item: dict[str, Any]) -> str:
    marks = [day(item["at"]), item["kind"], item["role"], item["title"]]
    return entry(item["id"], ", ".join(mark for mark in marks if mark), item["text"])


def _id_of(fact: dict[str, Any]) -> str:
    return str(fact.get("id", ""))


def _about(fact: dict[str, Any]) -> str:
    return ", ".join(one for one in (day(fact.get("at") or fact.get("created_at")), fact.get("kind", "fact")) if one)


def _words(fact: dict[str, Any]) -> str:
    return str(fact.get("text") or fact.get("content") or fact.get("title") or "")
