"""Rewriting of links: those to one note follow its new title."""

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from app.memories.text.markdown_links import MEMORY_ID, WikiLink, find_links, find_markdown_links, title_key

_NOT_IN_WIKI: Final = re.compile(r"[\[\]|#^\n\\]+")
_WIKI_END: Final = "]]"
# Readers of Markdown take these for the end of a target.
_PATH_SAFE: Final = "-._~!$&'*+,;=:@"


@dataclass(frozen=True, slots=True)
class Renaming:
    """A note's new title.

    Args:
        memory_id: The note.
        old: The title it had.
        new: The title it has.
        is_wiki_target: Whether ``[[new]]`` means it; else links name its id.
        is_path_target: Whether ``new.md`` means it.
    """

    memory_id: str
    old: str
    new: str
    is_wiki_target: bool
    is_path_target: bool


def can_be_wiki_target(title: str) -> bool:
    """Return whether ``[[title]]`` can be written."""
    return bool(title) and not _NOT_IN_WIKI.search(title)


def rewritten(text: str, renaming: Renaming, names_it: Callable[[str], bool], path: str = "") -> str:
    """Return ``text`` with its links to the renamed note rewritten.

    All else stays as it is. Headings and shown words of links stay, except words that were the old title.

    Args:
        text: Markdown.
        renaming: The note, before and after.
        names_it: Tells whether a target of ``find_links`` or ``find_markdown_links`` meant the note by its old title.
        path: Where the text was imported from; see ``find_markdown_links``.
    """
    changes = [
        (link.start, link.end, _wiki(text, link, renaming))
        for link in find_links(text)
        if names_it(link.target) or (link.target == renaming.memory_id and link.shown == renaming.old)
    ]
    for link in find_markdown_links(text, path):
        is_named = names_it(link.target)
        shown = f"[{renaming.old}"
        begin = link.start - len(shown)
        is_titled = begin >= 0 and text.startswith(shown, begin) and can_be_wiki_target(renaming.new)
        if is_titled and (is_named or link.target == renaming.memory_id):
            changes.append((begin + 1, link.start, renaming.new))
        if is_named:
            changes.append((link.start, link.end, _markdown(text, link, renaming)))
    for start, end, words in sorted(changes, reverse=True):
        text = text[:start] + words + text[end:]
    return text


def rewritten_attributes(
    attributes: Mapping[str, Any], renaming: Renaming, names_it: Callable[[str], bool]
) -> dict[str, Any]:
    """Return front matter with the links in its texts rewritten."""

    def value_of(value: Any) -> Any:
        if isinstance(value, str):
            return rewritten(value, renaming, names_it)
        if isinstance(value, Mapping):
            return {name: value_of(inner) for name, inner in value.items()}
        return [value_of(inner) for inner in value] if isinstance(value, list | tuple) else value

    return {name: value_of(value) for name, value in attributes.items()}


def is_by_title(target: str, old: str) -> bool:
    """Return whether a link's target is the title ``old``, alone or ending a path."""
    key, wanted = title_key(target), title_key(old)
    return not MEMORY_ID.fullmatch(target) and wanted in {key, key.rpartition("/")[2].removesuffix(".md")}


def _wiki(text: str, link: WikiLink, renaming: Renaming) -> str:
    written = text[link.start : link.end]
    bar = "\\|" if "\\|" in written else "|"  # as tables need it
    shown = "" if link.shown == renaming.old else link.shown
    if renaming.is_wiki_target:
        folder = link.target.rpartition("/")[0] if title_key(link.target) != title_key(renaming.old) else ""
        is_path = bool(folder) and link.target != renaming.memory_id
        target = f"{folder}/{renaming.new}" if is_path else renaming.new
    else:
        target = renaming.memory_id
        shown = shown or " ".join(_NOT_IN_WIKI.sub(" ", renaming.new or renaming.old).split())
    heading = f"#{link.heading}" if link.heading else ""
    return f"{'!' if link.embed else ''}[[{target}{heading}{bar + shown if shown else ''}{_WIKI_END}"


def _markdown(text: str, link: WikiLink, renaming: Renaming) -> str:
    written = text[link.start + len("](") : link.end]
    lead = written[: len(written) - len(written.lstrip(" \t"))]
    written = written[len(lead) :]
    is_angled = written.startswith("<")
    target = written[1 : written.index(">")] if is_angled else re.split(r"[ \t)]", written, maxsplit=1)[0]
    if not is_angled:  # parentheses in pairs belong to it
        while target.count("(") > target.count(")"):
            target = written[: written.index(")", len(target)) + 1]
    rest = written[len(target) + 2 * is_angled :]
    path, mark, heading = target.partition("#")
    if renaming.is_path_target:
        folder, ending = posixpath.dirname(path), posixpath.splitext(path)[1]
        name = renaming.new if is_angled else quote(renaming.new, safe=_PATH_SAFE)
        path = posixpath.join(folder, name + ending)
    else:
        path = renaming.memory_id
    target = f"{path}{mark}{heading}"
    return f"]({lead}{f'<{target}>' if is_angled else target}{rest}"
