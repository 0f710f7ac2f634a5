"""Fixes of findings: each step is checked again inside the transaction that does it."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from app.core.stores import STORES
from app.core.text import collapse
from app.core.text_rules.secret_patterns import value_without_secrets, without_secrets
from app.core.text_rules.tag_names import normalise_tags
from app.entities.entity_edits import EntityEdits
from app.memories import repo as memories
from app.memories import validation
from app.memories.deduplication.service import superseding
from app.memories.deduplication.similar import text_of
from app.memories.deduplication.word_sets import restates
from app.memories.model import Memory
from app.memories.writer import MemoryWriter
from app.upkeep.health import repo
from app.upkeep.health.model import FindingId, FixStep

Fix = Callable[[MemoryWriter, FixStep], bool]


def merge(writer: MemoryWriter, step: FixStep) -> bool:
    """Let one memory stand for another that says nothing more; return whether it was done."""
    gone, memory = _active(writer, step.id), _active(writer, step.into)
    if gone is None or memory is None or (gone.kind, gone.store) != (memory.kind, memory.store):
        return False
    if repo.protected(writer.connection, [gone.id]) or not restates(text_of(gone), text_of(memory)):
        return False
    _replace(writer, gone, memory)
    return True


def supersede(writer: MemoryWriter, step: FixStep) -> bool:
    """Supersede a fact by a newer one of its key; return whether it was done."""
    old, new = _active(writer, step.id), _active(writer, step.into)
    if old is None or new is None or _key(old) != _key(new) or new.updated_at < old.updated_at:
        return False
    if repo.protected(writer.connection, [old.id]):
        return False
    _replace(writer, old, new)
    return True


def set_aside(writer: MemoryWriter, step: FixStep) -> bool:
    """Put a stale fact into the trash; return whether it was done."""
    fact = _active(writer, step.id)
    if fact is None or fact.kind != "fact" or repo.protected(writer.connection, [fact.id]):
        return False
    writer.delete(fact)
    return True


def redact(writer: MemoryWriter, step: FixStep) -> bool:
    """Replace the secrets in a memory by marks; return whether it had any."""
    memory = _active(writer, step.id)
    if memory is None:
        return False
    counts: Counter[str] = Counter()
    after = validation.with_content(memory, _clean(memory.content, counts))
    after = replace(
        after,
        title=validation.clean_title(_clean(memory.title, counts)),
        facts=tuple(_clean(fact, counts) for fact in memory.facts),
        attributes=value_without_secrets(memory.attributes, counts),
    )
    if not counts or after == memory:
        return False
    writer.update(memory, after)
    return True


def retire(edits: EntityEdits, step: FixStep, before_ms: int) -> bool:
    """Remove an entity that nothing mentions; return whether it was done."""
    if not repo.is_orphan(edits.connection, step.id, before_ms):
        return False
    state = edits.state(step.id)
    # Its name is free from now on, for another entity that a text may mention.
    gone = {**state, "name": f"{state['name'][:200]} {step.id}", "aliases": [], "claims": [], "relations": []}
    edits.write(step.id, {**gone, "attributes": {**state["attributes"], "retired": True}}, "DELETE")
    return True


FIXES: Final[Mapping[FindingId, Fix]] = {
    "duplicates": merge,
    "contradictions": supersede,
    "stale": set_aside,
    "secrets": redact,
}


def _replace(writer: MemoryWriter, gone: Memory, kept: Memory) -> None:
    """Supersede a memory; what stands for it names it, and keeps its tags and mentions."""
    writer.supersede(gone, kept.id, "DELETE")
    after = superseding(kept, gone)
    if gone.store == kept.store:
        after = replace(
            after,
            tags=normalise_tags((*kept.tags, *gone.tags)),
            mention_count=kept.mention_count + gone.mention_count,
        )
    if after != kept:
        writer.update(kept, after, kept.updated_at)


def _active(writer: MemoryWriter, memory_id: str) -> Memory | None:
    memory = memories.get_with_sources(writer.connection, memory_id, stores=STORES)
    return memory if memory is not None and memory.deleted_at is None else None


def _key(fact: Memory) -> tuple[str, ...]:
    return fact.kind, collapse(fact.category).casefold(), collapse(fact.key).casefold()


def _clean(text: str, counts: Counter[str]) -> str:
    clean, secrets = without_secrets(text)
    counts.update(secrets)
    return clean
