"""Answers of tools: recalled text in its fence, and our own words.

The two halves of an MCP result say the same. Clients show their model one or the other, so recalled text is fenced in
both.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from app.core.text_rules.project_name import ATTRIBUTE, project_name
from app.core.text_rules.recall_fence import PREAMBLE, entry, fence_text, neutralise
from app.core.text_rules.short_ids import short_id
from app.core.text_rules.token_estimate import estimate_served_tokens
from app.errors import KeepsakeError
from app.inbox.model import HOW_TO_ASK

PROPOSED: Final = "proposed"
MOST_NAMED: Final = 10


class Answer(Protocol):
    """Answer of a tool."""

    def as_result(self) -> dict[str, Any]:
        """Return the result of ``tools/call``."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """Answer whose halves say the same: the text, and values with that text among them.

    Args:
        words: What Keepsake says itself. It may quote a text, so it is made harmless.
        values: Ids, counts and outcomes; no recalled text.
        fenced: Recalled text in its fence, ``""`` for none.
        is_error: Whether the call failed.
    """

    words: str
    values: Mapping[str, Any] = field(default_factory=dict)
    fenced: str = ""
    is_error: bool = False

    @property
    def text(self) -> str:
        """Return what a model reads."""
        return f"{self.fenced}\n{neutralise(self.words)}".strip()

    @property
    def structured(self) -> dict[str, Any]:
        """Return the same as values."""
        return {"text": self.text, **harmless(with_short_ids(self.values))}

    def as_result(self) -> dict[str, Any]:
        """See ``Answer``."""
        result: dict[str, Any] = {"content": [{"type": "text", "text": self.text}], "isError": self.is_error}
        if not self.is_error:
            result["structuredContent"] = self.structured
        return result

    def tokens(self) -> int:
        """Return the estimated tokens of the larger half."""
        halves = self.text, json.dumps(self.structured, ensure_ascii=False)
        return max(map(estimate_served_tokens, halves))


def failure(error: KeepsakeError) -> ToolAnswer:
    """Return the answer of a failed call, a sentence that a model can act on."""
    return ToolAnswer(f"{error.message} [{error.code}]", is_error=True)


def with_short_ids(value: Any) -> Any:
    """Return JSON values with the short forms of the ids among them."""
    if isinstance(value, str):
        return short_id(value)
    if isinstance(value, Mapping):
        return {name: with_short_ids(part) for name, part in value.items()}
    return [with_short_ids(part) for part in value] if isinstance(value, (list, tuple)) else value


def harmless(value: Any) -> Any:
    """Return JSON values whose texts can neither end a fence nor begin an entry."""
    if isinstance(value, str):
        return neutralise(value)
    if isinstance(value, Mapping):
        return {harmless(name): harmless(part) for name, part in value.items()}
    return [harmless(part) for part in value] if isinstance(value, (list, tuple)) else value


def fenced(entries: Sequence[str]) -> str:
    """Return entries of recalled text in their fence, ``""`` for none."""
    return fence_text("\n".join([PREAMBLE, "", *entries]))[0] if entries else ""


def recalled(entries: Sequence[str], after: str = "") -> str:
    """Return entries of recalled text in their fence, and our own words after it."""
    return f"{fenced(entries)}\n{neutralise(after)}".strip()


def fitting(count: int, make: Callable[[int], ToolAnswer], max_tokens: int | None) -> ToolAnswer:
    """Return an answer with as many entries as fit into a budget, at least one.

    Args:
        count: How many entries there are.
        make: Returns the answer with the first so many of them.
        max_tokens: The budget of each half of the answer; ``None`` for none.
    """
    whole = make(count)
    if max_tokens is None or count <= 1 or whole.tokens() <= max_tokens:
        return whole
    low, high = 1, count - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if make(middle).tokens() <= max_tokens else (low, middle - 1)
    return make(low)


def named(ids: Sequence[str], most: int = MOST_NAMED) -> str:
    """Return ids as a list in a sentence, the first of many."""
    more = f" and {len(ids) - most:,} more" if len(ids) > most else ""
    return f"{', '.join(map(short_id, ids[:most]))}{more}"


def day(moment: Any) -> str:
    """Return the date and minute of an ISO 8601 time."""
    return str(moment or "")[:16].replace("T", " ")


def memory_entry(memory: Mapping[str, Any]) -> str:
    """Return a whole memory as an entry."""
    known = (memory.get("attributes") or {}) if memory["kind"] == "fact" else {}
    marks = [day(known.get("said_at") or memory["created_at"]), memory["kind"], memory.get("title") or ""]
    if known.get("said_by"):
        marks.append(f"said by {known['said_by']}")
    if memory.get("category"):
        marks.append(f"{memory['category']}/{memory.get('key', '')}")
    if memory.get("superseded_by"):
        marks.append(f"superseded by {short_id(memory['superseded_by'])}")
    if memory.get("deleted_at"):
        marks.append("deleted")
    if memory.get("tags"):
        marks.append(" ".join(f"#{tag}" for tag in memory["tags"]))
    marks += [f"{name} {', '.join(memory[name])}" for name in ("files", "people") if memory.get(name)]
    if project := project_name((memory.get("attributes") or {}).get(ATTRIBUTE)):
        marks.append(f"project {project}")
    body = "\n".join([memory["content"], *(f"- {fact}" for fact in memory.get("facts") or ())])
    return entry(memory["id"], ", ".join(mark for mark in marks if mark), body, whole_lines=True)


def turn_entry(turn: Mapping[str, Any], session: str = "", *, whole_lines: bool = False) -> str:
    """Return a message as an entry.

    Args:
        turn: The message.
        session: Its conversation, where the message does not name it.
        whole_lines: Keep its lines, each quoted; they become one otherwise.
    """
    about = ", ".join(part for part in (day(turn["created_at"]), turn.get("author") or turn["role"]) if part)
    number = f"{session or turn['session_id']}#{turn['seq']}"
    return entry(number, about, turn["content"], whole_lines=whole_lines)


def held_back(value: Any, how: str = HOW_TO_ASK) -> ToolAnswer | None:
    """Return the answer to a write in the inbox, ``None`` where it was carried out.

    Args:
        value: What the operation answered.
        how: How the client learns what became of it, in its profile.
    """
    if not isinstance(value, Mapping) or PROPOSED not in value or "message" not in value:
        return None
    key, reason = str(value[PROPOSED]), str(value["message"]).replace(HOW_TO_ASK, how)
    text = f"Not done yet: it waits for the person as proposal {key}. {reason}"
    return ToolAnswer(text, {"outcome": PROPOSED, "id": key, "reason": reason})
