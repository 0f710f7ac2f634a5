"""The memory_links table: what memories link to by title, and which memory a title means."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import apsw

from app.core.text import excerpt, storable
from app.memories.importing import import_sources
from app.memories.model import Link, Links, Memory
from app.memories.repo import get, store_condition
from app.memories.text.markdown_links import (
    GENERIC_NAME,
    MAX_LINKS,
    MEMORY_ID,
    WikiLink,
    attribute_links,
    find_links,
    find_markdown_links,
    markdown_target,
    title_key,
)

_UNTITLED = 60  # characters of the text that stand in for a missing title
_MARKDOWN = "markdown"  # the import format whose records have paths
_TOP = "\U0010ffff"
_MAX_WORDS = 20

# Of memories with the same title a note comes first, then the oldest: a newcomer takes no links over.
_FIRST = "m.kind <> 'note', m.created_at, m.rowid"
# Spelled as the partial index of memories with aliases has it.
_ALIASED = "m.valid_until IS NULL AND json_extract(m.attributes, '$.aliases') IS NOT NULL"


def write(connection: apsw.Connection, memory: Memory, *, is_new: bool = False) -> None:
    """Replace the links that ``memory``'s content and foreign front matter make.

    There is one for each title and relation. Its related files and people have links of their own. A memory that
    ``is_new`` has none to replace.
    """
    if not is_new:
        connection.execute("DELETE FROM memory_links WHERE memory_id = ?", (memory.id,))
    links: dict[tuple[str, str], WikiLink] = {}
    for relation, names in (("file", memory.files), ("person", memory.people)):
        links.update(((relation, title_key(name)), WikiLink(name)) for name in names)
    for link in (*find_links(memory.content), *attribute_links(memory.attributes), *_markdown_links(memory)):
        links.setdefault((link.relation, title_key(link.target)), link)
    if not links:
        return
    connection.executemany(
        "INSERT OR IGNORE INTO memory_links (memory_id, relation, target, target_key, context) VALUES (?, ?, ?, ?, ?)",
        [
            (memory.id, relation, link.target, key, link.context)
            for (relation, key), link in list(links.items())[:MAX_LINKS]
        ],
    )


def _markdown_links(memory: Memory) -> Iterator[WikiLink]:
    return find_markdown_links(memory.content, imported_path(memory)) if memory.kind == "note" else iter(())


def imported_path(memory: Memory) -> str:
    """Return the path of a note's imported Markdown file, ``""`` for other notes."""
    origin = memory.attributes.get("origin")
    if not isinstance(origin, dict) or origin.get("format") != _MARKDOWN or not isinstance(origin.get("key"), str):
        return ""
    return str(origin["key"])


def is_imported_path(connection: apsw.Connection, path: str, stores: Sequence[str]) -> bool:
    """Return whether an active note was imported from ``path``."""
    return bool(_imported(connection, [path], stores))


def of(connection: apsw.Connection, memory_id: str, *, stores: Sequence[str]) -> Links:
    """Return the links from and to a memory.

    Its own links include unresolved titles; links to it are those of active memories.
    """
    memory = get(connection, memory_id, stores=stores)
    if memory is None:
        return Links()
    return Links(_outgoing(connection, memory_id, stores), _backlinks(connection, memory, stores))


def resolve(connection: apsw.Connection, title: str, *, stores: Sequence[str]) -> str | None:
    """Return the id of the active memory that ``[[title]]`` means."""
    if not title:
        return None
    link = resolve_all(connection, [title], stores=stores).get(title)
    return None if link is None else link.memory_id


def resolve_target(connection: apsw.Connection, written: str, source: str, *, stores: Sequence[str]) -> str | None:
    """Return the id of the memory that a Markdown link in ``source`` leads to."""
    memory = get(connection, source, stores=stores)
    target = markdown_target(written, "" if memory is None else imported_path(memory))
    return resolve(connection, target, stores=stores)


def resolve_all(connection: apsw.Connection, titles: Iterable[str], *, stores: Sequence[str]) -> dict[str, Link]:
    """Return the memory that each title means, for those that mean one.

    A path that begins with ``/`` means the note that was imported from there (``/vault/plants/rose.md``), and an id
    the memory that has it. A title is first taken whole, then as an alias, then as a path whose last part is the title
    (``Projects/Garden``, ``Garden.md``).
    """
    wanted = list(titles)
    imported = _imported(connection, [title for title in wanted if title.startswith("/")], stores)
    imported |= _identified(connection, [title for title in wanted if MEMORY_ID.fullmatch(title)], stores)
    keys = {title: key for title in wanted if title not in imported and (key := title_key(title))}
    known = _titled(connection, set(keys.values()), stores)
    if missing := set(keys.values()) - known.keys():
        known |= _aliased(connection, missing, stores)
    if missing := set(keys.values()) - known.keys():
        # A file called README says nothing about which note is meant where its own path is unknown.
        ends = {key: end for key in missing if not GENERIC_NAME.fullmatch(end := _last_part(key)) or "/" not in key}
        by_end = _titled(connection, set(ends.values()), stores)
        known |= {key: by_end[end] for key, end in ends.items() if end in by_end}
    return imported | {title: known[key] for title, key in keys.items() if key in known}


def titles(
    connection: apsw.Connection,
    prefix: str = "",
    *,
    contains: str = "",
    limit: int = 50,
    stores: Sequence[str],
) -> list[Link]:
    """Return the active memories whose title begins with ``prefix`` in any case, by title.

    The title has all words of ``contains``. Titles that begin with the first of them come first, then short ones.
    """
    key = title_key(storable(prefix)[0])
    words = title_key(storable(contains)[0]).split()[:_MAX_WORDS]
    order = "instr(m.title_key, ?) > 1, length(m.title_key), " if words else ""
    cursor = connection.execute(
        "SELECT m.id, m.title FROM memories m"
        " WHERE m.valid_until IS NULL AND m.title_key >= ? AND m.title_key < ? AND m.title_key <> ''"
        f" AND {store_condition(stores)}"
        + " AND instr(m.title_key, ?) > 0" * len(words)
        + f" ORDER BY {order}m.title_key, m.created_at, m.id LIMIT ?",
        (key, key + _TOP, *words, *words[:1], max(limit, 0)),
    )
    return [Link(memory_id, title) for memory_id, title in cursor]


def _outgoing(connection: apsw.Connection, memory_id: str, stores: Sequence[str]) -> tuple[Link, ...]:
    written: list[Any] = connection.execute(
        "SELECT target, context FROM memory_links WHERE memory_id = ? AND relation = 'wiki' ORDER BY target_key",
        (memory_id,),
    ).fetchall()
    known = resolve_all(connection, [target for target, _ in written], stores=stores)
    links: dict[str, Link] = {}
    for target, context in written:
        link = known.get(target)
        shown_link = Link("", _readable(target), context) if link is None else Link(link.memory_id, link.title, context)
        links.setdefault(target if link is None else link.memory_id, shown_link)
    return tuple(links.values())


def _backlinks(connection: apsw.Connection, memory: Memory, stores: Sequence[str]) -> tuple[Link, ...]:
    path = f"/{imported_path(memory)}" if imported_path(memory) else ""
    names = {
        key
        for key in map(title_key, (memory.id, memory.title, path, *aliases(memory.attributes.get("aliases"))))
        if key
    }
    rows: list[Any] = connection.execute(
        "SELECT l.target, m.id, m.title, substr(m.content, 1, 200), l.context"
        " FROM memory_links l JOIN memories m ON m.id = l.memory_id"
        " WHERE l.relation = 'wiki' AND m.valid_until IS NULL AND m.id <> :id"
        f" AND (l.target_key IN (SELECT value FROM json_each(:names)) OR {_PATH_TO_NAME}) AND {store_condition(stores)}"
        " ORDER BY m.updated_at DESC, m.rowid DESC",
        {"names": json.dumps(sorted(names)), "id": memory.id},
    ).fetchall()
    resolved = resolve_all(connection, {row[0] for row in rows}, stores=stores)
    links = {
        source: Link(source, title_or_start(title, content), context)
        for target, source, title, content, context in reversed(rows)
        if target in resolved and resolved[target].memory_id == memory.id
    }
    return tuple(reversed(links.values()))


# A link written as a path is compared by its last part; rtrim takes everything after the last slash away.
_PATH_TO_NAME = (
    "((instr(l.target_key, '/') > 0 OR l.target_key LIKE '%.md')"
    " AND replace(substr(l.target_key, length(rtrim(l.target_key, replace(l.target_key, '/', ''))) + 1) || '|',"
    " '.md|', '|') IN (SELECT value || '|' FROM json_each(:names)))"
)


def _imported(connection: apsw.Connection, paths: Sequence[str], stores: Sequence[str]) -> dict[str, Link]:
    """Return the active notes that were imported from ``paths``, by path."""
    if not paths:
        return {}
    uris = {import_sources.uri(_MARKDOWN, path[1:]): path for path in paths}
    cursor = connection.execute(
        "SELECT f.source_uri, m.id, m.title FROM json_each(?) wanted CROSS JOIN files f ON f.source_uri = wanted.value"
        f" CROSS JOIN memories m ON m.id = f.target WHERE m.valid_until IS NULL AND {store_condition(stores)}",
        (json.dumps(list(uris)),),
    )
    return {uris[uri]: Link(memory_id, title) for uri, memory_id, title in cursor}


def _identified(connection: apsw.Connection, ids: Sequence[str], stores: Sequence[str]) -> dict[str, Link]:
    if not ids:
        return {}
    cursor = connection.execute(
        "SELECT m.id, m.title, substr(m.content, 1, 200) FROM json_each(?) wanted CROSS JOIN memories m"
        f" ON m.id = wanted.value WHERE m.valid_until IS NULL AND {store_condition(stores)}",
        (json.dumps(list(ids)),),
    )
    return {memory_id: Link(memory_id, title_or_start(title, content)) for memory_id, title, content in cursor}


def title_or_start(title: str, content: str) -> str:
    """Return a memory's title, the start of its text if it has none."""
    return title or excerpt(content, _UNTITLED)


def _readable(target: str) -> str:
    """Return an unresolved target as the title that the note would have."""
    if target.lower().endswith(".md"):
        return target.rpartition("/")[2][: -len(".md")] or target
    return target.split("/", 2)[2] if target.startswith("/") and target.count("/") > 1 else target


def _titled(connection: apsw.Connection, keys: set[str], stores: Sequence[str]) -> dict[str, Link]:
    cursor = connection.execute(
        "SELECT m.title_key, m.id, m.title FROM json_each(?) wanted CROSS JOIN memories m"
        " ON m.title_key = wanted.value AND m.valid_until IS NULL"
        f" WHERE m.title_key <> '' AND {store_condition(stores)} ORDER BY {_FIRST}",
        (json.dumps(sorted(keys)),),
    )
    links: dict[str, Link] = {}
    for key, memory_id, title in cursor:
        links.setdefault(key, Link(memory_id, title))
    return links


def _aliased(connection: apsw.Connection, keys: set[str], stores: Sequence[str]) -> dict[str, Link]:
    cursor = connection.execute(
        "SELECT m.id, m.title, m.attributes -> '$.aliases' FROM memories m"
        f" WHERE {_ALIASED} AND {store_condition(stores)} ORDER BY {_FIRST}"
    )
    links: dict[str, Link] = {}
    for memory_id, title, written in cursor:
        for key in map(title_key, aliases(json.loads(written))):
            if key in keys:
                links.setdefault(key, Link(memory_id, title))
    return links


def aliases(value: object) -> list[str]:
    """Return aliases as front matter has them: a list, or one line with commas."""
    if isinstance(value, str):
        return value.split(",")
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _last_part(key: str) -> str:
    return key.rpartition("/")[2].removesuffix(".md")
