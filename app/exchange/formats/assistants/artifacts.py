"""Artifacts in tool calls: documents that Claude wrote beside its answer, as Markdown."""

from typing import Any

from app.exchange.formats.assistants.chatgpt_content import fenced
from app.exchange.parsing.lenient import first_text, row, table, text

TOOL = "artifacts"
_MARKDOWN = "text/markdown"


def artifacts(tool_calls: list[dict[str, Any]] | None) -> list[str]:
    """Return the artifacts of a message's tool calls as Markdown.

    Each has its title and its text in a code block.
    """
    calls = [table(call) for call in row(tool_calls)]
    shown = (_artifact(table(call.get("input"))) for call in calls if call.get("name") == TOOL)
    return [part for part in shown if part]


def _artifact(given: dict[str, Any]) -> str:
    title = " ".join((first_text(given, "title") or first_text(given, "id")).split())
    parts = [f"**Artifact{': ' if title else ''}{title}**"]
    old, new = text(given.get("old_str")), text(given.get("new_str"))
    content = text(given.get("content"))
    if content:
        language = "markdown" if given.get("type") == _MARKDOWN else "".join(text(given.get("language")).split())
        parts.append(fenced(content, language))
    if old or new:
        parts += ["Replaced:", fenced(old), "With:", fenced(new)]
    return "\n\n".join(parts) if len(parts) > 1 else ""


def title_of(artifact: str) -> str:
    """Return the title in the first line of an artifact, ``""`` for none."""
    return artifact.partition("\n")[0].strip("*").removeprefix("Artifact").removeprefix(": ")
