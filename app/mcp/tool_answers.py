"""Answers of tools: text for the model and the same as structured values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from app.core.recall_fence import PREAMBLE, entry, fence_text
from app.core.token_estimate import estimate_tokens
from app.errors import KeepsakeError
from app.inbox.model import HOW_TO_ASK

PROPOSED: Final = "proposed"


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """Answer of a tool.

    Args:
        text: What a model reads.
        structured: The same as values.
        is_error: Whether the call failed.
    """

    text: str
    structured: dict[str, Any] = field(default_factory=dict)
    is_error: bool = False

    def as_result(self) -> dict[str, Any]:
        """Return the result of ``tools/call``."""
        result: dict[str, Any] = {"content": [{"type": "text", "text": self.text}], "isError": self.is_error}
        if self.structured and not self.is_error:
            result["structuredContent"] = self.structured
        return result


def failure(error: KeepsakeError) -> ToolAnswer:
    """Return the answer of a failed call, a sentence that a model can act on."""
    return ToolAnswer(f"{error.message} [{error.code}]", is_error=True)


def recalled(entries: Sequence[str], after: str = "") -> str:
    """Return entries of recalled text in their fence, and our own words after it."""
    if not entries:
        return after.strip()
    fenced, _ = fence_text("\n".join([PREAMBLE, "", *entries]))
    return f"{fenced}\n{after}".strip()


def within(entries: Sequence[tuple[str, Any]], max_tokens: int | None) -> int:
    """Return how many entries, each with its value, fit into a budget; at least one."""
    if max_tokens is None:
        return len(entries)
    used = 0
    for count, (text, _) in enumerate(entries):
        used += estimate_tokens(text)
        if used > max_tokens and count:
            return count
    return len(entries)


def day(moment: Any) -> str:
    """Return the date and minute of an ISO 8601 time."""
    return str(moment or "")[:16].replace("T", " ")


def memory_entry(memory: Mapping[str, Any]) -> str:
    """Return a whole memory as an entry."""
    marks = [day(memory["created_at"]), memory["kind"], memory.get("title") or ""]
    if memory.get("category"):
        marks.append(f"{memory['category']}/{memory.get('key', '')}")
    if memory.get("superseded_by"):
        marks.append(f"superseded by {memory['superseded_by']}")
    if memory.get("deleted_at"):
        marks.append("deleted")
    if memory.get("tags"):
        marks.append(" ".join(f"#{tag}" for tag in memory["tags"]))
    body = "\n".join([memory["content"], *(f"- {fact}" for fact in memory.get("facts") or ())])
    return entry(memory["id"], ", ".join(mark for mark in marks if mark), body, whole_lines=True)


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
