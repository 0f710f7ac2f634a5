"""Recognition of exports of messengers and mail programs by their content."""

import re
from collections.abc import Iterable
from pathlib import Path

from app.exchange.formats.chats import (
    chat_records,
    discord,
    mbox,
    messenger,
    signal,
    slack,
    telegram,
    whatsapp,
    whatsapp_name,
)
from app.exchange.model import ImportPreview

FORMATS = (
    whatsapp.FORMAT,
    telegram.FORMAT,
    slack.FORMAT,
    discord.FORMAT,
    signal.FORMAT,
    messenger.FORMAT,
    mbox.FORMAT,
)
READERS = {
    whatsapp.FORMAT: whatsapp.read,
    telegram.FORMAT: telegram.read,
    slack.FORMAT: slack.read,
    discord.FORMAT: discord.read,
    signal.FORMAT: signal.read,
    messenger.FORMAT: messenger.read,
    mbox.FORMAT: mbox.read,
}
FILES = {
    whatsapp.FORMAT: whatsapp.FILES,
    telegram.FORMAT: telegram.FILES,
    slack.FORMAT: slack.FILES,
    discord.FORMAT: discord.FILES,
    signal.FORMAT: signal.FILES,
    messenger.FORMAT: messenger.FILES,
    mbox.FORMAT: mbox.FILES,
}
STAND_INS = {slack.FORMAT: slack.STAND_INS}
"""Texts in place of words, by format; see ``source_words.Noise``."""
NOISE = {
    telegram.FORMAT: telegram.NOISE,
    slack.FORMAT: slack.NOISE,
    discord.FORMAT: discord.NOISE,
    signal.FORMAT: signal.NOISE,
    messenger.FORMAT: messenger.NOISE,
}
WITH_OTHER_PRODUCTS = frozenset({telegram.FORMAT, slack.FORMAT, discord.FORMAT, messenger.FORMAT})
"""Formats whose exports hold more than conversations."""
_SHOWN = 3
_NAMES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (slack.FORMAT, re.compile(r"(?:[^/]*/)?(?:channels|dms|groups|integration_logs)\.json")),
    (
        messenger.FORMAT,
        re.compile(r"(?:.*/)?(?:inbox|e2ee_cutover|archived_threads|message_requests)/.*/message_\d+\.json"),
    ),
    (discord.FORMAT, discord.PACKAGE),
    (telegram.FORMAT, re.compile(r"(?:[^/]*/)?result\.json")),
    (mbox.FORMAT, mbox.FILES),
)
_FIELDS: tuple[tuple[str, frozenset[str]], ...] = (
    (discord.FORMAT, frozenset({"guild", "channel", "messages"})),
    (telegram.FORMAT, frozenset({"messages.item.from_id"})),
    (telegram.FORMAT, frozenset({"messages.item.actor_id"})),
    (telegram.FORMAT, frozenset({"chats.list.item.messages"})),
    (telegram.FORMAT, frozenset({"chats", "chats.list"})),
    (telegram.FORMAT, frozenset({"about", "personal_information"})),
    (messenger.FORMAT, frozenset({"messages.item.sender_name"})),
    (messenger.FORMAT, frozenset({"messages.item.senderName", "participants"})),
    (signal.FORMAT, frozenset({"item.conversationId", "item.sent_at"})),
    (signal.FORMAT, frozenset({"date", "sender", "body", "reactions"})),
    (slack.FORMAT, frozenset({"item.type", "item.ts"})),
)


def by_names(names: Iterable[str]) -> str:
    """Return the format whose exports have files named so, ``""`` for none."""
    listed = list(names)
    if name := next((name for name, pattern in _NAMES if any(pattern.fullmatch(item) for item in listed)), ""):
        return name
    is_chat = any(item.count("/") <= 1 and whatsapp_name.is_named(item) for item in listed)
    return whatsapp.FORMAT if is_chat else ""


def by_fields(names: set[str]) -> str:
    """Return the format whose JSON has these fields, ``""`` for none."""
    return next((name for name, fields in _FIELDS if fields <= names), "")


def by_text(text: str, name: str) -> str:
    """Return the format of a text file by its beginning and name, ``""`` for none."""
    if mbox.begins_mbox(text[:2000].encode()) or mbox.is_single(name, text[:2000].encode()):
        return mbox.FORMAT
    return whatsapp.FORMAT if whatsapp_name.is_named(name) or whatsapp.is_chat(text) else ""


def preview(path: Path, name: str) -> ImportPreview:
    """Return which files an import would read."""
    with chat_records.files(path, FILES[name]) as found:
        detail = ", ".join(entry.name for entry in found[:_SHOWN])
        more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
        return ImportPreview(name, sum(entry.size for entry in found), detail + more)
