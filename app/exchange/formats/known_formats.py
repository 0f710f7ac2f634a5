"""Formats that can be imported, from which every list of them follows."""

from collections.abc import Iterable
from typing import Final

from app.exchange.formats import docx, enex, markdown, memory_file, web_page
from app.exchange.formats.assistants import chatgpt, claude
from app.exchange.formats.chats import discord, mbox, messenger, signal, slack, telegram, whatsapp
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.memory_systems import gemini_activity, letta, memory_database, memory_list, message_list
from app.exchange.formats.notebooks import apple_notes, documents, joplin, notion, pdf
from app.exchange.formats.own import capsule, encrypted_export, keepsake
from app.exchange.formats.transcripts import agent_session, claude_code, codex, cursor, gemini
from app.sentence import Sentence

# Where several formats fit a source, the first one counts.
_SPECS: Final = (
    chatgpt.SPEC,
    chatgpt.BRANCHES_SPEC,
    claude.SPEC,
    markdown.SPEC,
    codex.SPEC,
    gemini.SPEC,
    claude_code.SPEC,
    agent_session.SPEC,
    cursor.SPEC,
    slack.SPEC,
    messenger.SPEC,
    discord.SPEC,
    telegram.SPEC,
    signal.SPEC,
    mbox.SPEC,
    whatsapp.SPEC,
    memory_file.SPEC,
    keepsake.SPEC,
    encrypted_export.SPEC,
    capsule.SPEC,
    enex.SPEC,
    joplin.SPEC,
    notion.SPEC,
    apple_notes.SPEC,
    pdf.SPEC,
    docx.SPEC,
    web_page.SPEC,
    documents.SPEC,
    letta.SPEC,
    memory_list.MEM0_SPEC,
    memory_list.SERVICE_SPEC,
    gemini_activity.SPEC,
    message_list.SPEC,
    memory_database.SPEC,
)
SPECS: Final = {spec.name: spec for spec in _SPECS}


def of_kind(*kinds: str) -> tuple[FormatSpec, ...]:
    """Return the formats that hold one of these kinds of things."""
    return tuple(spec for spec in _SPECS if spec.kind in kinds)


def by_fields(names: set[str], specs: Iterable[FormatSpec] = _SPECS) -> str:
    """Return the format whose JSON has these fields, ``""`` for none."""
    return next((spec.name for spec in specs if any(fields <= names for fields in spec.fields)), "")


def _names(kind: str) -> str:
    return ", ".join(spec.help for spec in of_kind(kind) if spec.help)


SUPPORTED: Final = Sentence(
    "Supported are exports of {conversations}; Markdown notes of {notes}; transcripts of {transcripts}; chats and mails"
    " of {chats}; notes of {notebooks}; documents as {documents}; memories of {memories}.",
    conversations=_names("conversations"),
    notes=_names("notes"),
    transcripts=_names("transcript"),
    chats=_names("chat"),
    notebooks=_names("notebook"),
    documents=_names("document"),
    memories=_names("memories"),
)
