"""Parts of a Claude message: thinking, text with tool calls, and tool results.

Each part, in order, becomes a message.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from app.exchange.formats.assistants.chatgpt_content import fenced
from app.exchange.parsing.lenient import clean, filled, first_text, row, table, text
from app.exchange.parsing.source_words import StoredWords

_CIPHER_TEXT: Final = "redacted_thinking"
CIPHERED: Final = f"type={_CIPHER_TEXT}"  # nobody's words, as ``Noise`` names them


@dataclass(slots=True)
class ClaudeTurn:
    """Part of a message that becomes a message of its own.

    Args:
        content: The text.
        calls: Tool calls made along the way.
        answers: The id of the call this answers, ``None`` when it is no tool's answer.
        tool: The tool that answers.
        thought: True for reasoning the person was not addressed with.
        left: Parts of the blocks that the text does not hold.
    """

    content: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    answers: str | None = None
    tool: str = ""
    thought: bool = False
    left: dict[str, Any] = field(default_factory=dict)


def turns(message: dict[str, Any]) -> Iterator[ClaudeTurn]:
    """Yield the parts of a message that are not empty.

    Attachments and files go with the first of them.
    """
    content = message.get("content")
    blocks = content if isinstance(content, list) else [content]
    result = list(_from_blocks([_block(block) for block in blocks]))
    plain = text(message.get("text"))
    if plain.strip() and not any(turn.content.strip() for turn in result):
        result = [ClaudeTurn(plain, calls=[call for turn in result for call in turn.calls])]
    elif plain.strip() and not _holds(result, plain):
        _add(result, plain)
    _add(result, *_attached(message))
    return (turn for turn in result if turn.content.strip() or turn.calls)


def _add(turns: list[ClaudeTurn], *texts: str) -> None:
    """Add texts to the first part that is no thought or answer."""
    if texts:
        own = next((turn for turn in turns if turn.answers is None and not turn.thought), None)
        if own is None:
            own = ClaudeTurn()
            turns.append(own)
        own.content = "\n\n".join(filter(None, (own.content, *texts)))


def _holds(turns: list[ClaudeTurn], plain: str) -> bool:
    """Return whether the blocks say what the message's text does."""
    words = StoredWords()
    for turn in turns:
        words.add(turn.content)
    return words.holds(plain)


def _block(given: Any) -> dict[str, Any]:
    """Return a block, which other programs write as its text alone."""
    return {"type": "text", "text": given} if isinstance(given, str) else table(given)


def _from_blocks(blocks: list[dict[str, Any]]) -> Iterator[ClaudeTurn]:
    current = ClaudeTurn()
    for block in blocks:
        kind = text(block.get("type"))
        if kind in ("thinking", "tool_result"):
            yield current
            current = ClaudeTurn()
            yield _thought(block) if kind == "thinking" else _answer(block)
        elif kind == "tool_use":
            call = {"id": block.get("id"), "name": block.get("name"), "input": block.get("input")}
            current.calls.append(filled(call))
        else:
            words = _said(kind, block)
            current.content = "\n\n".join(filter(None, (current.content, words)))
            _keep(current, kind, block)
    yield current


def _said(kind: str, block: dict[str, Any]) -> str:
    """Return a block's readable text; an unknown type is given as JSON."""
    if kind in ("text", "", "voice_note"):
        return first_text(block, "text", "title")
    if kind in ("token_budget", _CIPHER_TEXT):
        return ""
    if kind == "document":
        return _document(block)
    if kind in ("image", "file"):
        return first_text(block, "text") or f"[{kind}]"
    words = first_text(block, "text", "content", "summary", "title")
    return words or f"[{kind}]\n\n" + fenced(json.dumps(clean(block), ensure_ascii=False, indent=1), "json")


def _document(block: dict[str, Any]) -> str:
    """Return the title and text of a document in a message."""
    source, name = table(block.get("source")), first_text(block, "title", "name", "file_name")
    inner = source.get("content") if source.get("type") == "content" else source.get("data")
    is_text = source.get("type") in ("text", "content")
    parts = [inner] if isinstance(inner, str) else [first_text(table(part), "text") for part in row(inner)]
    words = "\n\n".join(filter(None, parts)) if is_text else first_text(block, "text")
    mark = f"[document: {name}]" if name else "[document]"
    return "\n\n".join(filter(None, (mark, first_text(block, "context"), words)))


def _keep(turn: ClaudeTurn, kind: str, block: dict[str, Any]) -> None:
    covered = ("text", "start_timestamp", "stop_timestamp", *(("type",) if kind in ("text", "") else ()))
    if rest := filled(block, without=covered):
        turn.left.setdefault("blocks", []).append(rest)


def _thought(block: dict[str, Any]) -> ClaudeTurn:
    rest = filled(block, without=("thinking", "start_timestamp", "stop_timestamp", "text"))
    return ClaudeTurn(first_text(block, "thinking", "text"), thought=True, left={"blocks": [rest]})


def _answer(block: dict[str, Any]) -> ClaudeTurn:
    content = block.get("content")
    words = content if isinstance(content, str) else "\n\n".join(_result(table(part)) for part in row(content))
    rest = filled(block, without=("content", "tool_use_id", "name", "start_timestamp", "stop_timestamp"))
    call = text(block.get("tool_use_id"))
    return ClaudeTurn(words or "[no answer]", answers=call, tool=text(block.get("name")), left={"blocks": [rest]})


def _result(part: dict[str, Any]) -> str:
    return first_text(part, "text") or (_said(text(part.get("type")), part) if part else "")


def _attached(message: dict[str, Any]) -> list[str]:
    words = []
    for item in map(table, row(message.get("attachments"))):
        name = first_text(item, "file_name") or "attachment"
        body = first_text(item, "extracted_content")
        words.append(f"[attachment: {name}]\n\n{fenced(body)}" if body else f"[attachment: {name}]")
    for item in map(table, row(message.get("files"))):
        name = first_text(item, "file_name") or first_text(item, "file_uuid") or "file"
        words.append(f"[{text(item.get('file_kind')) or 'file'}: {name}]")
    return words
