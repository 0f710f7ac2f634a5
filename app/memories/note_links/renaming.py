"""Renaming of notes: links follow a new title within the same transaction."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import apsw

from app.memories import repo, validation
from app.memories.model import Memory
from app.memories.note_links import links
from app.memories.text.link_rewriting import (
    Renaming,
    can_be_wiki_target,
    is_by_title,
    rewritten,
    rewritten_attributes,
)
from app.memories.text.markdown_links import attribute_links, find_links, find_markdown_links, heading_title
from app.memories.writer import MemoryWriter

_PATH_BREAKERS: Final = frozenset("/\\<>%?#")


def with_title_of_heading(draft_title: str, kind: str, content: str) -> str:
    """Return the title of a note: its own, else its first heading."""
    if draft_title.strip() or kind != "note":
        return draft_title
    return heading_title(content)[: validation.MAX_TITLE]


def with_followed_heading(before: Memory, after: Memory) -> Memory:
    """Return ``after`` with the title of its heading, where it has no other.

    A title that is the same as the heading follows when the heading changes.
    """
    if after.kind != "note":
        return after
    is_followed = after.title == before.title and bool(after.title) and before.content != after.content
    if after.title and not (is_followed and after.title == heading_title(before.content)):
        return after
    heading = heading_title(after.content)[: validation.MAX_TITLE]
    return replace(after, title=validation.clean_title(heading)) if heading else after


def store_renamed(writer: MemoryWriter, before: Memory, after: Memory, stores: Sequence[str]) -> Memory:
    """Store ``after`` in place of ``before``, and let the links to it follow its title.

    Those of memories in other stores than ``stores`` stay.
    """
    connection = writer.connection
    if before.kind != "note" or not before.title or before.title == after.title:
        return writer.coalesce_update(before, after)
    linking = [link.memory_id for link in links.of(connection, before.id, stores=stores).backlinks]
    sources = [repo.get_with_sources(connection, identity, stores=stores) for identity in linking]
    meaning = {note.id: _meaning(connection, note, before, stores) for note in (*filter(None, sources), after)}
    if not any(meaning.values()):
        return writer.coalesce_update(before, after)
    writer.begin_run()
    stored = writer.update(before, after)
    renaming = _renaming(connection, before, stored, stores)
    for source in (*filter(None, sources), stored):
        changed = _rewritten(source, renaming, meaning[source.id])
        if changed != source:
            written = writer.update(source, changed)
            stored = written if source is stored else stored
    return stored


def _meaning(connection: apsw.Connection, source: Memory, named: Memory, stores: Sequence[str]) -> frozenset[str]:
    """Return the targets in ``source`` that mean ``named`` by its title or by its id."""
    path = links.imported_path(source)
    target_links = {
        link.target
        for link in (
            *find_links(source.content),
            *find_markdown_links(source.content, path),
            *attribute_links(source.attributes),
        )
    }
    named_so = [target for target in target_links if target == named.id or is_by_title(target, named.title)]
    known = links.resolve_all(connection, named_so, stores=stores)
    # The path of an imported file goes on meaning its note, whatever that is called.
    by_path = {target for target in named_so if target.startswith("/") and known.get(target) is not None}
    lasting = {target for target in by_path if links.is_imported_path(connection, target, stores)}
    return frozenset(target for target in named_so if target in known and known[target].memory_id == named.id) - lasting


def _rewritten(source: Memory, renaming: Renaming, meaning: frozenset[str]) -> Memory:
    if not meaning:
        return source

    def names_it(target: str) -> bool:
        return target in meaning and target != renaming.memory_id

    content = rewritten(source.content, renaming, names_it, links.imported_path(source))
    attributes = rewritten_attributes(source.attributes, renaming, names_it)
    changed = source if content == source.content else validation.with_content(source, content)
    return changed if attributes == source.attributes else replace(changed, attributes=attributes)


def _renaming(connection: apsw.Connection, before: Memory, after: Memory, stores: Sequence[str]) -> Renaming:
    title, path = after.title, f"{after.title}.md"
    known = links.resolve_all(connection, [title, path], stores=stores)

    def means(target: str) -> bool:
        return target in known and known[target].memory_id == after.id

    return Renaming(
        after.id,
        before.title,
        title,
        is_wiki_target=can_be_wiki_target(title) and means(title),
        is_path_target=bool(title) and _PATH_BREAKERS.isdisjoint(title) and can_be_wiki_target(title) and means(path),
    )
