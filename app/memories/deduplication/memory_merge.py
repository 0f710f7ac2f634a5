"""Merged memories: an old memory and the new one merged into it."""

from dataclasses import replace
from datetime import datetime
from typing import Final

from app.core.text_rules.tag_names import normalise_tags
from app.errors import InputError
from app.memories import validation
from app.memories.deduplication.reconciler import Decision
from app.memories.model import Memory


def merge_memory(old: Memory, new: Memory, decision: Decision) -> Memory:
    """Return the old memory with the content of ``new`` merged in.

    What ``old`` holds and ``new`` does not contradict stays.

    Raises:
        InputError: The merged text is too large or empty.
    """
    content = new.content if decision.content is None else decision.content
    title = (new.title or old.title) if decision.title is None else decision.title
    facts = dict.fromkeys((*old.facts, *new.facts)) if decision.facts is None else decision.facts
    result = validation.with_content(replace(old, facts=validation.clean_facts(facts)), content)
    validation.require_text(result.content, title, result.facts)
    return replace(
        result,
        title=validation.clean_title(title),
        type=new.type or old.type,
        tags=normalise_tags((*result.tags, *new.tags)),
        confidence=max(old.confidence, new.confidence),
        mention_count=old.mention_count + 1,
        event_time=new.event_time or old.event_time,
        expires_at=_later(old.expires_at, new.expires_at),
        attributes={**result.attributes, **validation.with_content(new, content).attributes},
        files=validation.clean_names("file", (*old.files, *new.files)),
        people=validation.clean_names("person", (*old.people, *new.people)),
        sources=validation.clean_sources((*old.sources, *new.sources)),
    )


_WORDS: Final = ("type", "category")
_LISTS: Final = ("tags", "files", "people", "sources")


def with_details(old: Memory, new: Memory) -> Memory | None:
    """Return a memory with the tags, times and attributes of another of the same words.

    Returns:
        The memory; ``None`` where the two say different things of it, so that both have to be kept.
    """
    if any(
        getattr(old, field) and getattr(new, field) and getattr(old, field) != getattr(new, field) for field in _WORDS
    ):
        return None
    if new.event_time is not None and old.event_time not in (None, new.event_time):
        return None
    if any(name in old.attributes and old.attributes[name] != value for name, value in new.attributes.items()):
        return None
    try:
        return replace(
            old,
            type=old.type or new.type,
            category=old.category or new.category,
            tags=normalise_tags((*old.tags, *new.tags)),
            files=validation.clean_names("file", (*old.files, *new.files)),
            people=validation.clean_names("person", (*old.people, *new.people)),
            sources=validation.clean_sources((*old.sources, *new.sources)),
            event_time=old.event_time or new.event_time,
            expires_at=_later(old.expires_at, new.expires_at),
            attributes={**old.attributes, **new.attributes},
        )
    except InputError:  # one memory cannot hold as many
        return None


def new_details(old: Memory, joined: Memory) -> list[str]:
    """Return the words for what ``with_details`` added to a memory."""
    names = (*_WORDS, *_LISTS, "event_time", "expires_at", "attributes")
    changed = [name for name in names if getattr(old, name) != getattr(joined, name)]
    return [name.replace("_", " ") for name in changed]


def _later(first: datetime | None, second: datetime | None) -> datetime | None:
    """Return the later time; ``None`` is never."""
    return None if first is None or second is None else max(first, second)
