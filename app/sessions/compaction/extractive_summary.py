"""Extractive summaries: a line for each message, where no model writes a summary."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from app.core.text import collapse, excerpt
from app.core.text_rules.recall_fence import without_recalled
from app.core.text_rules.token_estimate import estimate_tokens
from app.sessions.model import Message

HEADING = "Recent condensed turns:"
SENTENCE_CHARACTERS = 160
CALL_CHARACTERS = 80
_PARSED_CHARACTERS = 4096
_ARGUMENTS = 12
LEFT_OUT = "- (earlier turns left out; they can still be read and searched)"

# A sentence has some length, so that "Hi." and "e.g." do not stand for a whole message.
_SENTENCE = re.compile(r".{12,}?[.!?…]['\"”’)\]]*(?=\s|$)|.+?[。！？]")
_TABLE_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE)
_RULE_SIGNS = frozenset(":- \t")
_SPEAKERS = {"user": "User", "assistant": "Assistant", "tool": "Tool", "system": "System"}


class Summariser(Protocol):
    """Writes what stands for messages that are no longer given in full."""

    @property
    def name(self) -> str:
        """Return who writes, kept beside what was written."""

    async def summarise(self, earlier: str, messages: Sequence[Message], max_tokens: int) -> str:
        """Return the summary of ``earlier`` and ``messages`` together, in at most ``max_tokens``.

        Raises:
            KeepsakeError: It cannot be had now; the messages are condensed without it.
        """


class ExtractiveSummariser:
    """The summariser that needs no model: a bulleted list, each message cut to a sentence."""

    name = "condensed"

    async def summarise(self, earlier: str, messages: Sequence[Message], max_tokens: int) -> str:
        """Return ``earlier`` with a line for each of ``messages``; see ``condensed``."""
        return extend_summary(earlier, messages, max_tokens, keeps_prose=True)


def extend_summary(earlier: str, messages: Sequence[Message], max_tokens: int, *, keeps_prose: bool = False) -> str:
    """Append a line for each message to a summary.

    Args:
        earlier: The summary so far; what is not our own list stays ahead of it.
        messages: The messages, in order.
        max_tokens: How long the summary may be; the oldest lines are left out for that, then the end of the prose.
        keeps_prose: Leave what somebody wrote whole, however long it is; the list then has half of ``max_tokens`` at
            least. For a summary that is stored, and not just shown.
    """
    head, _, tail = earlier.partition(HEADING)
    lines = [line for line in tail.splitlines() if line.strip() and line != LEFT_OUT]
    every = [*lines, *(f"- {line}" for message in messages if (line := message_line(message)))]
    whole_prose = head.strip()
    if not every:
        return whole_prose if keeps_prose else _cut(whole_prose, max_tokens)
    prose = whole_prose if keeps_prose else _cut(whole_prose, max_tokens // 2)
    opening = f"{prose}\n\n{HEADING}" if prose else HEADING
    if keeps_prose:
        max_tokens = max(max_tokens, estimate_tokens(opening) + max_tokens // 2)
    room = max_tokens - estimate_tokens(opening)
    newest = _newest(every, room)
    if len(newest) < len(every) or LEFT_OUT in tail:
        newest = [LEFT_OUT, *_newest(every, room - _line_tokens(LEFT_OUT))]
    whole = "\n".join([opening, *newest])
    return whole if estimate_tokens(whole) <= max_tokens else prose


def message_line(message: Message) -> str:
    """Return a message as one line: role, tool calls and first sentence.

    It is ``""`` for a message without text.
    """
    sentence = first_sentence(without_recalled(message.content))
    calls = excerpt("; ".join(_calls(message.tool_calls or [])), 2 * SENTENCE_CHARACTERS)
    if not sentence and not calls:
        return ""
    who = message.author or _SPEAKERS[message.role]
    if message.role == "tool" and message.tool_name:
        who = f"Tool {message.tool_name}"
    if calls:
        return f"{who} called {calls}" + (f": {sentence}" if sentence else "")
    return f"{who}: {sentence}"


def first_sentence(text: str, characters: int = SENTENCE_CHARACTERS) -> str:
    """Return the first sentence of ``text`` on one line.

    It is cut at a word where it is longer than ``characters``.
    """
    flat = collapse(_TABLE_ROW.sub(_row_words, text[: characters * 8]))
    match = _SENTENCE.match(flat[: characters * 2])
    return excerpt(match[0] if match else flat, characters)


def _row_words(row: re.Match[str]) -> str:
    """Return the cells of a table's row, nothing for the rule below its head."""
    cells = [cell.strip() for cell in row[1].split("|")]
    return "" if set("".join(cells)) <= _RULE_SIGNS else f"{', '.join(filter(None, cells))};"


def _calls(calls: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield calls as ``name(argument: value)``, however the program that made them writes them down."""
    for call in calls:
        inner = call.get("function")
        fields = inner if isinstance(inner, dict) else call
        name = fields.get("name") or call.get("name") or "a tool"
        arguments = next((fields[key] for key in ("arguments", "input", "args", "parameters") if key in fields), None)
        yield f"{excerpt(str(name), CALL_CHARACTERS)}({excerpt(_arguments(arguments), CALL_CHARACTERS)})"


def _arguments(given: object) -> str:
    try:
        read = json.loads(given) if isinstance(given, str) and len(given) <= _PARSED_CHARACTERS else given
        if isinstance(read, dict):
            return ", ".join(f"{name}: {_plain(value)}" for name, value in islice(read.items(), _ARGUMENTS))
        return "" if read is None else _plain(read)
    except (ValueError, RecursionError):
        return str(given)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _newest(lines: Sequence[str], room: int) -> list[str]:
    newest: list[str] = []
    for line in reversed(lines):
        room -= _line_tokens(line)
        if room < 0:
            break
        newest.append(line)
    return newest[::-1]


def _line_tokens(line: str) -> int:
    return estimate_tokens(line + "\n")


def _cut(text: str, max_tokens: int) -> str:
    """Return the beginning of ``text`` that costs at most ``max_tokens``."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimate_tokens(text[:middle]) <= max_tokens else (low, middle - 1)
    return text[:low]
