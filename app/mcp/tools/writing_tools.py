"""Tools of the small profile that write: memories, facts, corrections, the scratchpad."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from app.core.text_rules.recall_fence import entry
from app.core.text_rules.short_ids import short_id
from app.core.text_rules.tag_names import MAX_TAG_LENGTH, MAX_TAGS, normalise_tag
from app.errors import InputError, KeepsakeError, NotFoundError, StaleError
from app.mcp.tools.lenient_arguments import Arguments
from app.mcp.tools.reading_tools import STORES
from app.mcp.tools.tool_answers import ToolAnswer, fenced, held_back, memory_entry
from app.mcp.tools.toolbox import CallContext, refused
from app.sentence import Sentence

_OUTCOMES: Final = {
    "ADD": ("added", "Stored as {id}."),
    "UPDATE": ("updated", "{id} now says it too; nothing new was stored."),
    "DELETE": ("superseded", "Stored as {id}; {matched} gave way to it."),
    "NONE": ("duplicate", "Known already as {id}; nothing was stored."),
    "EXACT_DUP": ("duplicate", "Known already in the same words as {id}; it was counted once more."),
}
_CONFLICTS: Final = 3
_LONGEST_CHAIN: Final = 50  # facts that superseded each other


async def write(given: Arguments, call: CallContext) -> ToolAnswer:
    """Store a memory."""
    tags = given.texts("tags")
    value = await call.write(
        "memory.write",
        content=given.required("content"),
        title=given.text("title"),
        kind=given.choice("kind", ("observation", "note", "fact"), "observation"),
        type=given.text("type"),
        facts=given.lines("facts"),
        tags=tags,
        related_people=given.texts("people"),
        related_files=given.texts("files"),
        project=given.text("project").strip() or call.project,
        store=_store(given),
        session=given.text("session").strip() or None,
    )
    return _with_tag_notes(_held_back(value) or _written(value), tags)


async def remember(given: Arguments, call: CallContext) -> ToolAnswer:
    """Store a fact, and name facts that it may contradict."""
    content, category, key = given.required("content"), given.text("category").strip(), given.text("key").strip()
    if bool(category) != bool(key):
        raise InputError("'category' and 'key' name a fact together: give both or neither.", field="key")
    category, key = await _fact_name(category, key, call)
    if category and (declined := await _protects(category, key, content, call)):
        return declined
    tags = given.texts("tags")
    value = await call.write(
        "fact.remember",
        content=content,
        category=category,
        key=key,
        tags=tags,
        store=_store(given),
        session=given.text("session").strip() or None,
        project=call.project,
    )
    if held := _held_back(value):
        return _with_tag_notes(held, tags)
    answer = _with_tag_notes(_written(value), tags)
    if answer.values["outcome"] != "added":
        return answer
    own = answer.values["id"]
    near = await call.read("fact.conflicts", content=content, limit=_CONFLICTS + 1)
    conflicts = [fact for fact in near if fact["id"] != own][:_CONFLICTS]
    if not conflicts:
        return answer
    words = f"{answer.words} These facts are about the same; correct_fact replaces one that no longer holds."
    values = {**answer.values, "conflicts": [conflict["id"] for conflict in conflicts]}
    return ToolAnswer(words, values, fenced(list(map(memory_entry, conflicts))))


async def correct(given: Arguments, call: CallContext) -> ToolAnswer:
    """Replace what a memory says, or delete it."""
    memory_id, content = given.identifier("id"), given.text("content")
    is_deletion = given.flag("delete")
    if is_deletion and content.strip():
        raise InputError("Give either 'content' or 'delete', not both.", field="delete")
    if not is_deletion and not content.strip():
        raise InputError("'content' is missing: say what is right, or set 'delete' to true.", field="content")
    memory = await call.read("note.get", id=memory_id)
    memory_id = memory["id"]
    if memory["deleted_at"]:
        raise await _gone(memory, call)
    is_fact = memory["kind"] == "fact"
    if is_deletion or _is_protected(memory):
        deed = "Delete" if is_deletion else "Change"
        decision = await call.confirmer.confirm(f"{deed} this from your memory? {_excerpt(memory)}")
        if refusal := refused(decision):
            return _declined(refusal, memory_id)
    shown = short_id(memory_id)
    if is_deletion:
        value = await call.write("fact.forget" if is_fact else "note.delete", id=memory_id)
        return _held_back(value) or ToolAnswer(
            f"Deleted {shown}. The person can restore it.", {"outcome": "deleted", "id": memory_id}
        )
    if not is_fact:
        value = await call.write("note.update", id=memory_id, version=memory["version"], content=content)
        return _held_back(value) or ToolAnswer(f"Changed {shown}.", {"outcome": "updated", "id": memory_id})
    value = await call.write("fact.correct", id=memory_id, content=content)
    if held := _held_back(value):
        return held
    fact = value["fact"]["id"]
    return ToolAnswer(
        f"Stored as {short_id(fact)}; {shown} is superseded by it.",
        {"outcome": "superseded", "id": fact, "matched": memory_id},
    )


async def confirm(given: Arguments, call: CallContext) -> ToolAnswer:
    """Make a fact certain for good."""
    fact_id = given.identifier("id")
    value = await call.write("fact.confirm", id=fact_id)
    return _held_back(value) or ToolAnswer(
        f"Confirmed {short_id(fact_id)}: it never fades.", {"outcome": "updated", "id": fact_id}
    )


async def scratchpad(given: Arguments, call: CallContext) -> ToolAnswer:
    """Read, replace or empty the client's working list."""
    session = given.text("session").strip() or _own_session(call)
    items = given.lines("items")
    action = given.choice("action", ("read", "write", "clear"), "write" if items else "read")
    if action == "write":
        value = await call.write("session.scratchpad.write", session=session, items=items)
        if held := _held_back(value):
            return held
        return _scratchpad(value["items"], session, "updated")
    if action == "clear":
        value = await call.write("session.scratchpad.clear", session=session)
        return _held_back(value) or ToolAnswer("Emptied.", {"session": session, "outcome": "deleted"})
    try:
        scratchpad = await call.read("session.scratchpad.read", session=session)
    except NotFoundError:
        scratchpad = {"items": []}
    return _scratchpad(scratchpad["items"], session, "read")


def _held_back(value: Any) -> ToolAnswer | None:
    return held_back(value, "memory_get with its number as the id says what became of it.")


def _scratchpad(items: list[str], session: str, outcome: str) -> ToolAnswer:
    lines = [entry(str(number), "line", item) for number, item in enumerate(items, 1)]
    words = "" if items else "The scratchpad is empty."
    return ToolAnswer(words, {"session": session, "outcome": outcome}, fenced(lines))


def _own_session(call: CallContext) -> str:
    name = re.sub(r"[^a-z0-9]+", "-", call.link.client.name.lower()).strip("-") or "agent"
    return f"scratchpad-{name[:60]}"


def _written(value: dict[str, Any]) -> ToolAnswer:
    outcome, sentence = _OUTCOMES.get(value["outcome"], ("added", "Stored as {id}."))
    memory_id, matched = value["memory"]["id"], value["matched"]
    words = sentence.format(id=short_id(memory_id), matched=short_id(matched or "an older one"))
    text = f"{words} {value['reason']}".strip()
    values = {"outcome": outcome, "id": memory_id, "matched": matched}
    return ToolAnswer(text, {name: field for name, field in values.items() if field})


async def _fact_name(category: str, key: str, call: CallContext) -> tuple[str, str]:
    """Return the name of a fact in lower case, unless one has it as given."""
    lower = category.casefold(), key.casefold()
    if (category, key) == lower:
        return lower
    try:
        await call.read("fact.get", category=category, key=key)
    except NotFoundError:
        return lower
    return category, key


def _with_tag_notes(answer: ToolAnswer, tags: Sequence[str]) -> ToolAnswer:
    """Return an answer that says which of the tags were cut or left out."""
    notes = []
    names = list(dict.fromkeys(map(normalise_tag, tags)))
    if cut := sum(len(tag.strip()) > MAX_TAG_LENGTH for tag in tags):
        notes.append(f"{_tags(cut)} cut to {MAX_TAG_LENGTH} characters.")
    tag_names = list(filter(None, names))
    if len(tag_names) > MAX_TAGS:
        notes.append(f"{_tags(len(tag_names) - MAX_TAGS)} left out: a memory has at most {MAX_TAGS}.")
    if len(tag_names) < len(names):
        notes.append("A tag without any letter was left out.")
    if not notes:
        return answer
    return replace(answer, words=" ".join([answer.words, *notes]))


def _tags(count: int) -> str:
    return "1 tag was" if count == 1 else f"{count:,} tags were"


async def _protects(category: str, key: str, content: str, call: CallContext) -> ToolAnswer | None:
    """Ask the person before a certain fact is replaced; return a refusal."""
    try:
        old = await call.read("fact.get", category=category, key=key)
    except NotFoundError:
        return None
    if not _is_protected(old) or old["content"].strip() == content.strip():
        return None
    question = f"Replace a fact you confirmed? Now: {_excerpt(old)} -- Then: {' '.join(content.split())[:300]}"
    refusal = refused(await call.confirmer.confirm(question))
    return _declined(refusal, old["id"]) if refusal else None


def _is_protected(memory: dict[str, Any]) -> bool:
    is_confirmed = memory["kind"] == "fact" and memory["confidence"] >= 1 and memory["decay_rate"] == 0
    return bool(memory["pinned"]) or is_confirmed


async def _gone(memory: dict[str, Any], call: CallContext) -> KeepsakeError:
    """Return the failure that a memory is deleted or superseded, and by which."""
    latest = memory
    for _ in range(_LONGEST_CHAIN):
        following = latest["superseded_by"] if latest["deleted_at"] else None
        if not following:
            break
        try:
            latest = await call.read("note.get", id=following)
        except NotFoundError:
            break
    if latest["deleted_at"]:
        return NotFoundError(Sentence("{id} was deleted already.", id=short_id(memory["id"])), id=memory["id"])
    return StaleError(
        Sentence(
            "{id} was superseded by {latest}, which says {text}. Correct that one instead.",
            id=short_id(memory["id"]),
            latest=short_id(latest["id"]),
            text=_excerpt(latest),
        ),
        id=memory["id"],
        superseded_by=latest["id"],
    )


def _declined(refusal: str, memory_id: str) -> ToolAnswer:
    return ToolAnswer(f"{refusal} {short_id(memory_id)} stays as it is.", {"outcome": "declined", "id": memory_id})


def _excerpt(memory: dict[str, Any]) -> str:
    words = " ".join(f"{memory['title']} {memory['content']}".split())
    return f"“{words[:300]}”"


def _store(given: Arguments) -> str | None:
    return given.choice("store", STORES) or None
