"""Validation of memories: cleaning and limits of their fields.

A draft becomes a memory here.
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from app.core.clock import to_datetime, to_ms
from app.core.ids import new_id
from app.core.json_values import plain
from app.core.stores import STORES, StoreName
from app.core.text import has_controls, storable
from app.core.text_rules.tag_names import normalise_tag, normalise_tags
from app.core.text_rules.token_estimate import estimate_tokens
from app.errors import InputError
from app.memories.model import KINDS, SOURCE_KINDS, Memory, NewMemory, Source
from app.memories.text.markdown_links import find_tags, tag_places
from app.sentence import Sentence

MAX_BYTES = 128 * 1024 * 1024
MAX_TITLE = 1_000
MAX_NAME = 1_000  # source, category, key, type and id
MAX_RELATED = 1_000  # files, people, sources
_MIB = 1024 * 1024


def compose(draft: NewMemory, now_ms: int) -> Memory:
    """Return the memory that ``draft`` asks for, cleaned and checked.

    Raises:
        InputError: It is empty, too large, or has a field that cannot be stored.
    """
    if draft.kind not in KINDS:
        raise InputError(Sentence("A memory's kind is one of {names}.", names=", ".join(KINDS)), kind=str(draft.kind))
    content, title = clean_content(draft.content), clean_title(draft.title)
    facts = clean_facts(draft.facts)
    require_text(content, title, facts)
    created = draft.created_at or to_datetime(now_ms)
    return Memory(
        id=clean_name("id", draft.id) if draft.id is not None else new_id(draft.kind),
        kind=draft.kind,
        title=title,
        content=content,
        store=clean_store(draft.store),
        source=clean_name("source", draft.source),
        created_at=whole_milliseconds(created),
        updated_at=whole_milliseconds(draft.updated_at or created),
        tags=united_tags(draft.tags, content, draft.unfinished_tag),
        facts=facts,
        category=clean_name("category", draft.category),
        key=clean_name("key", draft.key),
        type=clean_name("type", draft.type),
        session_id=None if draft.session_id is None else clean_name("session", draft.session_id),
        confidence=clean_share(draft.confidence),
        decay_rate=draft.decay_rate if math.isfinite(draft.decay_rate) else 0.0,
        tokens=size(content, facts),
        pinned=draft.pinned,
        event_time=None if draft.event_time is None else whole_milliseconds(draft.event_time),
        expires_at=None if draft.expires_at is None else whole_milliseconds(draft.expires_at),
        attributes=plain(draft.attributes),
        files=clean_names("file", draft.files),
        people=clean_names("person", draft.people),
        sources=clean_sources(draft.sources),
    )


def with_content(memory: Memory, content: str, unfinished_tag: str = "") -> Memory:
    """Return ``memory`` with new content, and tags to match.

    Tags that stood in the old content leave, those in the new one join; see ``united_tags``. Other words are nobody's
    quotation any more.
    """
    content = clean_content(content)
    inline = set(normalise_tags(find_tags(memory.content)))
    other_tags = tuple(tag for tag in memory.tags if tag not in inline)
    attributes = memory.attributes
    if content != memory.content:
        attributes = {name: value for name, value in attributes.items() if name != "said_by"}
    tags, tokens = united_tags(other_tags, content, unfinished_tag), size(content, memory.facts)
    return replace(memory, content=content, tags=tags, tokens=tokens, attributes=attributes)


def clean_facts(facts: Iterable[str]) -> tuple[str, ...]:
    """Return storable single statements."""
    return tuple(storable(fact)[0] for fact in facts)


def size(content: str, facts: tuple[str, ...]) -> int:
    """Return the estimated tokens of what a memory says, its title aside."""
    return estimate_tokens("\n".join((content, *facts)) if facts else content)


def united_tags(tags: Iterable[str], content: str, unfinished_tag: str = "") -> tuple[str, ...]:
    """Return the given tags and then those in the content, in stored form.

    A tag at whose end somebody is still typing is none yet, unless it stands elsewhere in the content as well.
    """
    content_tags = find_tags(content)
    if unfinished := normalise_tag(unfinished_tag):
        places = sum(normalise_tag(name) == unfinished for name, _, _ in tag_places(content))
        content_tags = tuple(tag for tag in content_tags if tag != unfinished or places > 1)
    return normalise_tags((*tags, *content_tags))


def clean_content(content: str) -> str:
    """Return storable content.

    Raises:
        InputError: It is larger than a memory may be.
    """
    clean, _ = storable(content)
    size = len(clean) if len(clean) > MAX_BYTES else len(clean.encode())
    if size > MAX_BYTES:
        raise InputError(
            Sentence(
                "A memory holds at most {max_bytes} MB of text; this one has {size} MB. Split it into several notes.",
                max_bytes=MAX_BYTES // _MIB,
                size=size // _MIB,
            ),
            bytes=size,
            allowed=MAX_BYTES,
        )
    return clean


def clean_title(title: str) -> str:
    """Return a storable title on one line.

    Raises:
        InputError: It is longer than a title may be.
    """
    clean = " ".join(storable(title)[0].split())
    if len(clean) > MAX_TITLE:
        raise InputError(
            Sentence(
                "A title has at most {max_title} characters; this one has {count}. Move the rest into the text.",
                max_title=MAX_TITLE,
                count=len(clean),
            ),
            length=len(clean),
            allowed=MAX_TITLE,
        )
    return clean


def clean_name(field: str, value: str) -> str:
    """Return a storable short name on one line, such as a source or key.

    Raises:
        InputError: It is longer than a name may be, has control characters, or is an empty id.
    """
    clean = " ".join(storable(value)[0].split())
    if len(clean) > MAX_NAME:
        raise InputError(
            Sentence("A memory's {field} has at most {max_name} characters.", field=field, max_name=MAX_NAME),
            field=field,
            allowed=MAX_NAME,
        )
    if has_controls(clean):
        raise InputError(
            Sentence("A memory's {field} must not contain control characters. Leave them out.", field=field),
            field=field,
        )
    if field == "id" and not clean:
        raise InputError("A memory's id must not be empty; leave it out to get a new one.", field=field)
    return clean


def clean_names(field: str, values: Iterable[str]) -> tuple[str, ...]:
    """Return storable names, each once, without empty ones.

    Raises:
        InputError: One is longer than a name may be, or there are too many.
    """
    names = tuple(dict.fromkeys(name for value in values if (name := clean_name(field, value))))
    if len(names) > MAX_RELATED:
        raise InputError(
            Sentence("A memory names at most {max_related} of each thing it relates to.", max_related=MAX_RELATED),
            allowed=MAX_RELATED,
        )
    return names


def clean_sources(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Return storable sources, each once, in the order they are read back.

    Raises:
        InputError: One is neither a message nor a memory, or has no id.
    """
    clean = {Source(source.kind, clean_name("id", source.id)) for source in sources}
    if any(source.kind not in SOURCE_KINDS for source in clean):
        raise InputError(Sentence("A source's kind is one of {names}.", names=", ".join(SOURCE_KINDS)))
    if len(clean) > MAX_RELATED:
        raise InputError(
            Sentence("A memory names at most {max_related} sources.", max_related=MAX_RELATED),
            allowed=MAX_RELATED,
        )
    return tuple(sorted(clean, key=lambda source: (source.kind, source.id)))


def clean_share(value: float) -> float:
    """Return a number from 0 to 1.

    Raises:
        InputError: It lies outside.
    """
    if not 0.0 <= value <= 1.0:
        raise InputError("A confidence lies between 0 and 1.", confidence=str(value))
    return float(value)


def require_text(content: str, title: str, facts: tuple[str, ...] = ()) -> None:
    """Refuse a memory that says nothing.

    Raises:
        InputError: Content, title and facts are all empty.
    """
    if not content.strip() and not title and not any(fact.strip() for fact in facts):
        raise InputError("There is nothing to store: the title and the text are both empty.")


def whole_milliseconds(when: datetime) -> datetime:
    """Return ``when`` in whole milliseconds UTC, as the database keeps it."""
    return to_datetime(to_ms(when))


def clean_store(store: StoreName) -> StoreName:
    """Return the store's name.

    Raises:
        InputError: There is no such store.
    """
    if store not in STORES:
        raise InputError(Sentence("A memory's store is one of {names}.", names=", ".join(STORES)), store=str(store))
    return store


def require_category(memory: Memory) -> None:
    """Refuse a fact that has a key without a category, which together name it.

    Raises:
        InputError: It has none.
    """
    if memory.kind == "fact" and memory.key and not memory.category:
        raise InputError(
            "A fact with a key needs a category too: give 'category', or leave 'key' out.", field="category"
        )
