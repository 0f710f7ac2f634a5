"""Exports of other programs that are recognised, so that a refusal can name them."""

import re
from collections.abc import Callable, Iterable

_WHATSAPP = re.compile(
    r"^[\u200e\ufeff]?\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}[:.]\d{2}.{0,12}?(?: - |\] )[^\n:]{1,80}: ",
    re.MULTILINE,
)
_NAMES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Slack", re.compile(r"(?:.*/)?(?:channels|integration_logs)\.json")),
    ("WhatsApp", re.compile(r"(?:.*/)?(?:_chat|WhatsApp Chat .*)\.txt")),
    ("Instagram", re.compile(r"(?:.*/)?messages/inbox/.*")),
    ("Discord", re.compile(r"(?:.*/)?messages/c\d+/(?:channel|messages)\.(?:json|csv)")),
    ("Gemini", re.compile(r"(?:.*/)?(?:My Activity|Meine Aktivitäten|Gemini)/.*")),
    ("Telegram", re.compile(r"(?:.*/)?(?:result\.json|export_results\.html)")),
)
_FIELDS: tuple[tuple[str, frozenset[str]], ...] = (
    ("Discord", frozenset({"guild", "channel", "messages"})),
    ("Telegram", frozenset({"messages.item.from_id"})),
    ("Telegram", frozenset({"chats.list.item.messages"})),
    ("Telegram", frozenset({"chats", "chats.list"})),
    ("Instagram", frozenset({"messages.item.sender_name"})),
    ("Google's My Activity (Gemini)", frozenset({"item.header", "item.products"})),
    ("Slack", frozenset({"item.type", "item.ts"})),
    ("mem0", frozenset({"results.item.memory"})),
    ("an agent's message list", frozenset({"item.role", "item.content"})),
)
_TEXTS: tuple[tuple[str, Callable[[str], object]], ...] = (("WhatsApp", _WHATSAPP.search),)


def by_names(names: Iterable[str]) -> str:
    """Return the program whose export has files named so, ``""`` for none known."""
    listed = list(names)
    return next((name for name, pattern in _NAMES if any(pattern.fullmatch(item) for item in listed)), "")


def by_fields(names: set[str]) -> str:
    """Return the program whose JSON has these fields, ``""`` for none known."""
    return next((name for name, fields in _FIELDS if fields <= names), "")


def by_text(text: str) -> str:
    """Return the program that writes text like this, ``""`` for none known."""
    return next((name for name, recognise in _TEXTS if recognise(text[:20_000])), "")
