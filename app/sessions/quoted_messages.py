"""Messages as quoted data for language models: fenced, without recalled text and secrets."""

from collections.abc import Sequence
from typing import Final

from app.core.text_rules.recall_fence import entry, fence_text, without_recalled
from app.core.text_rules.secret_patterns import without_secrets
from app.sessions.model import Message

MAX_CHARACTERS: Final = 4_000  # of one message
_ROLES: Final = ("user", "assistant")


def quoted_messages(messages: Sequence[Message]) -> str:
    """Return the turns of people and assistants, each with its number.

    It is ``""`` where nobody said anything.
    """
    turns = [turn for message in messages if message.role in _ROLES and (turn := _turn(message))]
    return fence_text("\n".join(turns))[0] if turns else ""


def quoted_text(text: str) -> str:
    """Return a text in a fence, ``""`` where there is none."""
    clean = without_secrets(text)[0].strip()
    return fence_text(entry("text", "", clean, whole_lines=True))[0] if clean else ""


def _turn(message: Message) -> str:
    text = without_secrets(without_recalled(message.content[: 5 * MAX_CHARACTERS]))[0].strip()
    if not text:
        return ""
    who = message.author or message.role
    return entry(str(message.seq), f"{message.created_at:%Y-%m-%d}, {who}", text[:MAX_CHARACTERS], whole_lines=True)
