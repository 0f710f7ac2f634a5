"""Merged memories: an old memory and the new one merged into it."""

from dataclasses import replace
from datetime import datetime

from app.core.tag_names import normalise_tags
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
        attributes={**old.attributes, **new.attributes},
        files=validation.clean_names("file", (*old.files, *new.files)),
        people=validation.clean_names("person", (*old.people, *new.people)),
        sources=validation.clean_sources((*old.sources, *new.sources)),
    )


def _later(first: datetime | None, second: datetime | None) -> datetime | None:
    """Return the later time; ``None`` is never."""
    return None if first is None or second is None else max(first, second)
