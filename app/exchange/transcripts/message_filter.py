"""Filter of transcript messages: recalled text and secrets are not stored."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from app.core.text_rules.recall_fence import is_own_tool, without_recalled
from app.core.text_rules.secret_patterns import value_without_secrets, without_secrets
from app.exchange.importing.batches import Storable
from app.exchange.model import MessageRecord, SessionRecord
from app.exchange.parsing.item_places import of_session
from app.memories.foreign_record import Problem
from app.sentence import Sentence
from app.sessions.model import NewMessage
from app.sessions.service import MAX_MESSAGE_CHARACTERS

_SERVED: Final = "[recalled from Keepsake]"


@dataclass(frozen=True, slots=True)
class Filtered:
    """Filtered records of a transcript.

    Args:
        records: What may be stored.
        secrets: The number of secrets that were replaced, by kind.
        recalled: The number of messages that Keepsake's own text was taken out of.
        problems: What could not be taken.
    """

    records: tuple[SessionRecord | MessageRecord, ...]
    secrets: Counter[str]
    recalled: int
    problems: tuple[Problem, ...]


def filtered(records: Sequence[Storable], *, keeps_secrets: bool) -> Filtered:
    """Return records without recalled text, and without secrets unless they are kept."""
    filtered_records: list[SessionRecord | MessageRecord] = []
    problems: list[Problem] = []
    secrets: Counter[str] = Counter()
    recalled = 0
    for record in records:
        if isinstance(record, SessionRecord):
            filtered_records.append(record if keeps_secrets else _head_without_secrets(record, secrets))
        elif isinstance(record, MessageRecord):
            message = record.message
            if len(message.content) > MAX_MESSAGE_CHARACTERS:
                problems.append(
                    Problem(of_session(record.session_key), Sentence("A message is too long and was left out."))
                )
                continue
            message_left = _without_served(message)
            recalled += message_left != message.content
            if not message_left.strip() and not message.tool_calls:
                continue
            message = replace(message, content=message_left)
            filtered_records.append(
                replace(record, message=message if keeps_secrets else _without_secrets(message, secrets))
            )
    return Filtered(tuple(filtered_records), secrets, recalled, tuple(problems))


def _without_served(message: NewMessage) -> str:
    if message.role == "tool" and is_own_tool(message.tool_name):
        # That it was asked stays; what it answered is in the vault already.
        return _SERVED
    return without_recalled(message.content)


def _without_secrets(message: NewMessage, secrets: Counter[str]) -> NewMessage:
    content, count = without_secrets(message.content)
    secrets.update(count)
    calls = None if message.tool_calls is None else value_without_secrets(message.tool_calls, secrets)
    payload = None if message.payload is None else value_without_secrets(message.payload, secrets)
    return replace(message, content=content, tool_calls=calls, payload=payload)


def _head_without_secrets(record: SessionRecord, secrets: Counter[str]) -> SessionRecord:
    title, count = without_secrets(record.title)
    secrets.update(count)
    return replace(record, title=title, attributes=value_without_secrets(record.attributes, secrets))
