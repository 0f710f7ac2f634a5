"""Text of ChatGPT messages: each content type as Markdown, and what is left over."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from app.exchange.formats.assistants.conversation_files import pointers
from app.exchange.parsing.lenient import clean, filled, first_text, row, table, text
from app.exchange.parsing.source_words import MAX_DEPTH, Noise, spoken

Content = dict[str, Any]

_ALL_COUNT = Noise()
_FENCE = re.compile(r"`{3,}")
_NAMED_PARTS = {
    "image_asset_pointer": "[image]",
    "audio_asset_pointer": "[audio]",
    "video_container_asset_pointer": "[video]",
    "real_time_user_audio_video_asset_pointer": "[audio]",
}


def fenced(source: str, language: str = "") -> str:
    """Return ``source`` as a fenced block whose fence it does not contain."""
    longest = max((len(run) for run in _FENCE.findall(source)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{source}\n{fence}"


def _no_link(_address: str) -> str:
    return ""


def render(given: object, link: Callable[[str], str] = _no_link) -> tuple[str, Content]:
    """Return a message's text and the parts of its content that are not in it.

    The text is ``""`` where there is none.

    Args:
        given: The message's ``content``; other programs write its text or a list of parts alone.
        link: Returns Markdown for the address of a file, ``""`` when the export lacks the file.
    """
    content = table(given) if isinstance(given, dict) else {"parts": given}
    kind = text(content.get("content_type")) or "text"
    renderer = _RENDERERS.get(kind)
    if renderer is _parts:
        renderer = partial(_parts, link=link)
    if renderer is None:
        return _unknown(kind, content)
    words, covered = renderer(content)
    payload = filled(content, without=("content_type", *covered))
    return words.strip("\n"), payload if kind == "text" else {"content_type": kind, **payload}


def _parts(content: Content, link: Callable[[str], str] = _no_link) -> tuple[str, tuple[str, ...]]:
    pieces = content.get("parts")
    parts = [pieces] if isinstance(pieces, str | dict) else row(pieces)
    words = [words for part in parts if (words := _part(part, link)).strip()]
    if not parts:
        return first_text(content, "text", "content", "value"), ("parts", "text", "content", "value")
    return "\n\n".join(words), ("parts",) if all(isinstance(part, str) for part in parts) else ()


def _part(part: object, link: Callable[[str], str], depth: int = 0) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "\n\n".join(filter(None, (_part(inner, link, depth + 1) for inner in part))) if depth < MAX_DEPTH else ""
    fields = table(part)
    kind = text(fields.get("content_type"))
    words = first_text(fields, "text")
    if words or not fields:
        return words
    if shown := " ".join(filter(None, map(link, pointers(fields)))):
        return shown
    if kind in _NAMED_PARTS:
        return _NAMED_PARTS[kind]
    return "\n\n".join(value.text for value in spoken(fields, _ALL_COUNT)) or f"[{kind or 'attachment'}]"


def _code(content: Content) -> tuple[str, tuple[str, ...]]:
    source = first_text(content, "text")
    language = text(content.get("language"))
    return (fenced(source, "" if language == "unknown" else language) if source else ""), ("text", "language")


def _output(content: Content) -> tuple[str, tuple[str, ...]]:
    source = first_text(content, "text")
    return (fenced(source) if source else ""), ("text",)


def _quote(content: Content) -> tuple[str, tuple[str, ...]]:
    title = first_text(content, "title", "domain", "url")
    url = first_text(content, "url")
    head = f"[{title}]({url})" if url.startswith(("http://", "https://")) else title
    return "\n\n".join(filter(None, (head, first_text(content, "text")))), ("title", "domain", "url", "text")


def _browsed(content: Content) -> tuple[str, tuple[str, ...]]:
    texts = (first_text(content, "summary"), first_text(content, "result"))
    return "\n\n".join(filter(None, texts)), ("summary", "result")


def _thoughts(content: Content) -> tuple[str, tuple[str, ...]]:
    texts = []
    for thought in map(table, row(content.get("thoughts"))):
        summary, body = first_text(thought, "summary"), first_text(thought, "content")
        texts.append(f"**{summary}**\n\n{body}".strip() if summary else body)
    return "\n\n".join(filter(None, texts)), ("thoughts",)


def _recap(content: Content) -> tuple[str, tuple[str, ...]]:
    return first_text(content, "content"), ("content",)


def _failure(content: Content) -> tuple[str, tuple[str, ...]]:
    return ": ".join(filter(None, (first_text(content, "name"), first_text(content, "text")))), ("name", "text")


def _about_user(content: Content) -> tuple[str, tuple[str, ...]]:
    texts = (first_text(content, "user_profile"), first_text(content, "user_instructions"))
    return "\n\n".join(filter(None, texts)), ("user_profile", "user_instructions")


def _about_model(content: Content) -> tuple[str, tuple[str, ...]]:
    return first_text(content, "model_set_context"), ("model_set_context",)


def _unknown(kind: str, content: Content) -> tuple[str, Content]:
    """Keep an unknown content type: its plain text, else all of it as JSON."""
    payload = {"content_type": kind, **filled(content, without=("content_type",))}
    words, _ = _parts(content)
    words = words or first_text(content, "content", "result", "summary", "title", "name")
    if not words and len(payload) > 1:
        words = f"[{kind}]\n\n" + fenced(json.dumps(clean(content), ensure_ascii=False, indent=1), "json")
    return words.strip("\n"), payload


_RENDERERS: dict[str, Callable[[Content], tuple[str, tuple[str, ...]]]] = {
    "text": _parts,
    "multimodal_text": _parts,
    "code": _code,
    "execution_output": _output,
    "tether_quote": _quote,
    "tether_browsing_code": _output,
    "tether_browsing_display": _browsed,
    "thoughts": _thoughts,
    "reasoning_recap": _recap,
    "system_error": _failure,
    "user_editable_context": _about_user,
    "model_editable_context": _about_model,
}
