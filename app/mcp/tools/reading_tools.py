"""Tools of the small profile that read: search, get, context, timeline, entities."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from app.core.text import counted
from app.core.text_rules.recall_fence import entry
from app.core.text_rules.short_ids import short_id
from app.errors import InputError, NotFoundError
from app.mcp.tools.lenient_arguments import Arguments, bare, one_of
from app.mcp.tools.tool_answers import MOST_NAMED, ToolAnswer, day, fenced, fitting, memory_entry, named, turn_entry
from app.mcp.tools.toolbox import CallContext
from app.sentence import Sentence

KINDS: Final = ("message", "note", "fact", "observation", "reflection", "digest")
STORES: Final = ("private", "shared", "social")
_HITS: Final = 10
_MAX_HITS: Final = 200
_NEIGHBOURS: Final = 10
_PROPOSALS: Final = 500
_WITH_NEIGHBOURS: Final = 5  # messages fetched at once that are shown with the turns before and after them
_TRIES: Final = 3
_TOKENS_PER_NAME: Final = 200  # of a budget; ids that found no room must not take it from what did
_FRAME: Final = 40  # tokens of an answer around its text


async def search(given: Arguments, call: CallContext) -> ToolAnswer:
    """Search, and answer an index of hits."""
    limit = min(given.number("limit") or _HITS, _MAX_HITS)
    offset = _offset(given)
    query = _query(given)
    # One more than shown tells whether there are more.
    result = await call.read("memory.search", query=query, limit=limit + 1, offset=offset, project=call.project)
    hits = result["hits"]

    def answer(shown: int) -> ToolAnswer:
        following = str(offset + shown) if shown < len(hits) else ""
        words = ["" if hits else "Nothing found.", *result["notes"], f"More with cursor {following}." * bool(following)]
        return _listing(list(map(_hit_line, hits[:shown])), _ids(hits[:shown]), words, next_cursor=following)

    return fitting(min(limit, len(hits)), answer, given.number("max_tokens"))


async def get(given: Arguments, call: CallContext) -> ToolAnswer:
    """Return whole memories and messages, and what became of proposals."""
    ids = given.identifiers("ids")
    if not ids:
        raise InputError("'ids' is missing: give the ids that a search showed.", field="ids")
    max_tokens = given.number("max_tokens")
    result = await call.read("memory.get", ids=ids, max_tokens=max_tokens)
    proposals = await _proposals(result["missing"], call)
    missing = [identity for identity in result["missing"] if identity not in proposals]
    items = [(memory["id"], memory_entry(memory)) for memory in result["memories"]]
    items += [(_number(turn), turn_entry(turn, whole_lines=True)) for turn in result["messages"]]
    decided = [entry(number, f"Proposal {number} {_fate(proposal)}", "") for number, proposal in proposals.items()]
    neighbours = await _neighbours(result["messages"], call) if max_tokens is None else []
    most_named = MOST_NAMED if max_tokens is None else min(MOST_NAMED, max(1, max_tokens // _TOKENS_PER_NAME))

    def answer(shown: int) -> ToolAnswer:
        omitted = [*(item for item, _ in items[shown:]), *(left["id"] for left in result["left_out"])]
        words = [
            f"No room for: {named(omitted, most_named)}. Ask for them alone." * bool(omitted),
            f"There is nothing with the id {named(missing)}." * bool(missing),
        ]
        lines = [*(line for _, line in items[:shown]), *neighbours, *decided]
        values = {"missing": missing, "proposals": list(map(_proposal, proposals.values()))}
        return _listing(lines, [item for item, _ in items[:shown]], words, left_out=len(omitted), **values)

    return fitting(len(items), answer, max_tokens)


async def _neighbours(turns: Sequence[Mapping[str, Any]], call: CallContext) -> list[str]:
    """Return the turns right before and after messages, shortened."""
    shown = {_number(turn) for turn in turns}
    lines: dict[str, str] = {}
    for turn in turns[:_WITH_NEIGHBOURS]:
        around = {"around": _number(turn), "session": turn["session_id"], "before": 1, "after": 1}
        timeline = await call.read("memory.timeline", kinds=["message"], **around)
        lines |= {item["id"]: _timeline_line(item) for item in timeline["items"] if item["id"] not in shown}
    return list(lines.values())


async def _proposals(missing: list[str], call: CallContext) -> dict[str, dict[str, Any]]:
    """Return the client's own proposals whose numbers are among the missing ids."""
    numbers = [identity for identity in missing if identity.isdecimal()]
    if not numbers:
        return {}
    own = {str(proposal["id"]): proposal for proposal in await call.read("inbox.mine", limit=_PROPOSALS)}
    return {number: own[number] for number in numbers if number in own}


def _fate(proposal: dict[str, Any]) -> str:
    """Return what became of a proposal, in words."""
    because = f": {' '.join(proposal['note'].split())}" if proposal["note"] else "."
    if proposal["state"] == "waiting":
        return "waits for the person; nothing is stored yet."
    if proposal["state"] == "accepted":
        stored = f" It is stored as {named(proposal['ids'])}." if proposal["ids"] else ""
        return f"was accepted by the person{because}{stored}"
    return f"was rejected by the person{because}" if proposal["state"] == "rejected" else "expired undecided."


def _proposal(proposal: dict[str, Any]) -> dict[str, Any]:
    return {"id": str(proposal["id"]), "state": proposal["state"], "ids": list(proposal["ids"])}


async def context(given: Arguments, call: CallContext) -> ToolAnswer:
    """Return the context for the next answer."""
    prompt, session, max_tokens = given.required("prompt"), given.text("session").strip(), given.number("max_tokens")
    room = None if max_tokens is None else max(0, max_tokens - _FRAME)
    request = {"prompt": prompt, "session": session, "project": call.project}
    for _ in range(_TRIES):
        answer = _context(await call.read("memory.context", max_tokens=room, **request))
        if max_tokens is None or room is None or (excess := answer.tokens() - max_tokens) <= 0:
            break
        room = max(0, room - excess - _FRAME)
    return answer


def _context(context: dict[str, Any]) -> ToolAnswer:
    count = context["left_out_count"]
    notes = list(context["notes"])
    if count:
        notes.append(f"{count:,} more {'item' if count == 1 else 'items'} had no room.")
    words = "\n".join(notes) or ("" if context["text"] else "There is nothing to tell yet.")
    return ToolAnswer(words, {"tokens": context["tokens"], "left_out": count}, context["text"])


async def timeline(given: Arguments, call: CallContext) -> ToolAnswer:
    """Return what lies around a moment or an item."""
    cursor = bare(given.text("cursor"))
    kinds = [one_of("kinds", kind, KINDS) for kind in given.texts("kinds") if kind.lower() != "all"]
    before, after = given.number("before", _NEIGHBOURS), given.number("after", _NEIGHBOURS)
    around = cursor or given.span("around")
    try:
        timeline = await call.read(
            "memory.timeline",
            around=around,
            before=0 if cursor else before,
            after=after,
            kinds=kinds,
            session=given.text("session").strip(),
            project=given.text("project").strip(),
        )
    except NotFoundError as error:
        raise NotFoundError(
            Sentence(
                "There is no memory or message with the id {id}, and it is no date that can be read either.", id=around
            )
        ) from error
    items = [item for item in timeline["items"] if not (cursor and short_id(item["id"]) == short_id(cursor))]

    def answer(shown: int) -> ToolAnswer:
        is_more = bool(timeline["later"] or shown < len(items))
        following = short_id(items[shown - 1]["id"]) if is_more and shown else ""
        words = ["" if items else "Nothing there.", f"Later ones with cursor {following}." * bool(following)]
        values = {"earlier": timeline["earlier"], "later": is_more, "next_cursor": following}
        return _listing(list(map(_timeline_line, items[:shown])), _ids(items[:shown]), words, **values)

    return fitting(len(items), answer, given.number("max_tokens"))


async def entity_info(given: Arguments, call: CallContext) -> ToolAnswer:
    """Return everything about a named thing."""
    name, limit = given.identifier("name"), given.number("limit", 20)
    others: list[dict[str, Any]] = []
    if name.startswith("ent-"):
        entity_id = name
    else:
        candidates = await call.read("entity.list", filter={"text": name}, limit=10)
        exact = [candidate for candidate in candidates if candidate["name"].casefold() == name.casefold()]
        if not candidates:
            return ToolAnswer(f"Nothing is known under the name '{name}'.", {"ids": []})
        entity_id = (exact or candidates)[0]["id"]
        others = [candidate for candidate in candidates if candidate["id"] != entity_id]
    info = await call.read("entity.info", id=entity_id, limit=limit)
    lines = [
        *entity_entries(info),
        *(entry(other["id"], f"other match, {other['type']}", other["name"]) for other in others),
    ]
    return _listing(lines, [entity_id, *_ids(info["facts"])], [], others=_ids(others))


def entity_entries(info: dict[str, Any]) -> list[str]:
    """Return the profile of an entity as entries of recalled text."""
    entity = info["entity"]
    about = f"{entity['type']}, {entity['name']}, mentioned {counted(entity['mentions'], 'time')}"
    lines = [entry(entity["id"], about, entity["summary"])]
    lines += [entry(_id_of(fact), _about(fact), _words(fact)) for fact in info["facts"]]
    for relation in info["relations"]:
        sentence = f"{relation['subject']} {relation['predicate']} {relation['object']}"
        lines.append(entry(relation["object_id"], "relation", sentence))
    met = ", ".join(entity["name"] for entity in [*info["people"], *info["related"]])
    if met:
        lines.append(entry(entity["id"], "mentioned together with", met))
    return lines


def _listing(lines: Sequence[str], ids: Sequence[str], words: Sequence[str], **values: Any) -> ToolAnswer:
    """Return entries, their ids, our words after them, and further values that are not empty."""
    known = {name: value for name, value in values.items() if value not in ("", [])}
    return ToolAnswer("\n".join(filter(None, words)), {"ids": ids, **known}, fenced(lines))


def _ids(items: Iterable[Mapping[str, Any]]) -> list[str]:
    return [str(item.get("id", "")) for item in items]


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
    near = "near in meaning only" if hit["part"] == "meaning" else ""
    marks = [day(hit["created_at"]), hit["kind"], hit["role"] or hit["author"], hit["title"], near]
    return entry(hit["id"], ", ".join(mark for mark in marks if mark), hit["snippet"])


def _number(turn: Mapping[str, Any]) -> str:
    return f"{turn['session_id']}#{turn['seq']}"


def _timeline_line(item: dict[str, Any]) -> str:
    marks = [day(item["at"]), item["kind"], item["role"], item["title"]]
    return entry(item["id"], ", ".join(mark for mark in marks if mark), item["text"])


def _id_of(fact: dict[str, Any]) -> str:
    return str(fact.get("id", ""))


def _about(fact: dict[str, Any]) -> str:
    return ", ".join(part for part in (day(fact.get("at") or fact.get("created_at")), fact.get("kind", "fact")) if part)


def _words(fact: dict[str, Any]) -> str:
    return str(fact.get("text") or fact.get("content") or fact.get("title") or "")
