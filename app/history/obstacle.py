"""Reasons why something cannot be undone now, and the sentences that tell of them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

Reason = Literal["changed", "changed_back", "deleted", "restored", "archived", "went_on", "not_kept"]

_SAID: Final[dict[Reason, str]] = {
    "changed": "{thing} was changed again since ({fields}).",
    "changed_back": "{thing} was changed and changed back since.",
    "deleted": "{thing} was deleted since.",
    "restored": "{thing} was brought back since.",
    "archived": "{thing} was put into the archive since. Bring it back first.",
    "went_on": "{thing} went on since. It stays, with all that was said in it.",
    "not_kept": "What was accepted changed nothing that the history keeps, so it cannot be undone here.",
}
_FIRST: Final = "Undo this first: {what}."
_THINGS: Final = {
    "memory": "The memory",
    "note": "The note",
    "fact": "The fact",
    "observation": "The observation",
    "reflection": "The reflection",
    "digest": "The digest",
    "session": "The conversation",
    "entity": "The name",
    "proposal": "The proposal",
    "schedule": "The schedule",
    "saved_search": "The saved search",
    "inbox_rule": "The inbox rule",
}
_FIELDS: Final = {
    "title": "title",
    "content": "text",
    "facts": "facts",
    "tags": "tags",
    "store": "who may see it",
    "pinned": "pinned or not",
    "category": "category",
    "key": "key",
    "type": "type",
    "confidence": "confidence",
    "decay_rate": "how fast it fades",
    "event_time": "time",
    "valid_until": "until when it holds",
    "expires_at": "until when it is kept",
    "superseded_by": "what took its place",
    "files": "files",
    "people": "people",
    "summary": "summary",
    "message_count": "messages",
    "withheld": "messages",
    "name": "name",
    "canonical_name": "name",
    "aliases": "other names",
    "merged_into": "what it was merged into",
    "relations": "relations",
    "mentions": "mentions",
    "state": "decision",
    "arguments": "wording",
    "goal": "goal",
    "cadence": "times",
    "status": "on or off",
    "notification_policy": "notices",
    "trust": "trust",
}
"""Words for the fields of states; ``_OTHER`` for the rest of them."""
_OTHER: Final = "something else"
_FOLLOWING: Final = frozenset({"tokens"})  # from the text, so that nobody changed them by themselves


def refusal(
    reason: Reason, kind: str, fields: Sequence[str] = (), first: str = "", say: Callable[[str], str] = str
) -> str:
    """Return why something cannot be undone now, in one sentence or two.

    Args:
        reason: What is in the way.
        kind: The kind of what was to be undone: that of a memory, such as ``note``, else ``session`` and the like.
        fields: The fields that were changed since, as they are stored.
        first: What to undo first, in words; ``""`` where that is not known.
        say: Translates a text of this module.
    """
    changed = [name for name in fields if name not in _FOLLOWING] or fields
    words = dict.fromkeys(say(_FIELDS.get(name.partition(":")[0], _OTHER)) for name in changed)
    sentence = say(_SAID[reason]).format(thing=say(_THINGS.get(kind, _THINGS["memory"])), fields=", ".join(words))
    return f"{sentence} {say(_FIRST).format(what=first)}" if first else sentence


def texts() -> Iterator[str]:
    """Return the texts from which refusals are made, for translation."""
    yield from (*_SAID.values(), _FIRST, _OTHER)
    yield from dict.fromkeys((*_THINGS.values(), *_FIELDS.values()))
