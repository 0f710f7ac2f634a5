"""Links between notes and inline tags of a Markdown text, outside code."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Literal
from urllib.parse import unquote

from app.core.text import collapse, storable, without_markup
from app.core.text_rules.tag_names import INLINE_TAG_ENDS, MAX_TAG_LENGTH, is_inline_tag, normalise_tags
from app.memories.text.code_spans import CodeRanges, code_ranges

Relation = Literal["wiki", "file"]

MARKDOWN_SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx"})
MAX_TARGET = 500
MAX_LINKS = 10_000
_CONTEXT = 80  # characters kept on either side of a link
_MAX_CONTEXT = 4 * _CONTEXT

_LINK = re.compile(r"(!?)\[\[([^\[\]\n]+)\]\]")
# The second half of ``[shown](target "title")``: angle brackets allow spaces, parentheses come in pairs.
_MARKDOWN_LINK = re.compile(
    r"\]\([ \t]*(?:<([^<>\n]*)>|([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*))"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
# A Markdown link may name a memory by its id, as ``keepsake://notes/…`` does too.
_ID = r"(?:note|fact|obs|ref|dig)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
MEMORY_ID = re.compile(_ID)
_BY_ID = re.compile(rf"(?:keepsake:/{{2,3}}(?:memory|notes?)/)?({_ID})(?:\.md)?")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_TITLE_PART = 20_000  # characters of a text in which its title is looked for
_URL_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
_TAG = re.compile(rf"(?<!\S)#([^{INLINE_TAG_ENDS}]+)")
# Names of files that say nothing about the note in them; also ids: UUIDs, hashes, moments written in digits.
GENERIC_NAME = re.compile(
    r"readme|_?index|untitled(?:[ _-]?\d+)?|new[ _-](?:note|page|document)(?:[ _-]?\d+)?|\d{1,3}|\d{12,}"
    r"|[0-9a-f]{32,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    re.IGNORECASE,
)
_HEADING = re.compile(r"^ {0,3}#[ \t]+([^\n]*?)(?:[ \t]+#+)?[ \t]*$", re.MULTILINE)
_ATTACHMENT = re.compile(
    r".+\.(?:png|jpe?g|gif|bmp|svg|webp|avif|heic|pdf|mp3|m4a|wav|ogg|flac|3gp|webm|mp4|ogv|mov|mkv|zip|csv|canvas)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class WikiLink:
    """One ``[[Target#Heading|shown]]``, or a Markdown link to the file of another note.

    Args:
        target: The title it names, white space collapsed; of a Markdown link the path (see ``find_markdown_links``).
        heading: What follows ``#``, a block reference included; ``""`` for none.
        shown: The text shown instead of the target, ``""`` for none.
        embed: True for ``![[...]]``.
        start: Where it begins in the text.
        end: Where it ends.
        context: The words around it.
    """

    target: str
    heading: str = ""
    shown: str = ""
    embed: bool = False
    start: int = 0
    end: int = 0
    context: str = ""

    @property
    def relation(self) -> Relation:
        """``file`` for an attachment such as ``picture.png``, else ``wiki``."""
        return "file" if _ATTACHMENT.fullmatch(self.target) else "wiki"


def first_heading(text: str) -> str:
    """Return the words of the first ``# heading`` outside code, ``""`` when there is none."""
    code: CodeRanges | None = None
    for match in _HEADING.finditer(text):
        code = code or CodeRanges(code_ranges(text))
        if not code.touch(match.start(), match.start() + 1) and (words := without_markup(match[1])):
            return words
    return ""


def without_front_matter(text: str) -> str:
    """Return a text without the front matter that it begins with."""
    return _FRONT_MATTER.sub("", text, count=1) if text.startswith("---") else text


def heading_title(text: str) -> str:
    """Return the title that a text gives itself, ``""`` when it gives none.

    That is its first ``# heading``, or a heading of any level that the text begins with; front matter is passed over.
    """
    begin = text[:_TITLE_PART].replace("\r\n", "\n")
    begin = without_front_matter(begin)
    if "#" not in begin:
        return ""
    first = begin.lstrip("\n \t").partition("\n")[0]
    return first_heading(re.sub(r"\A#{2,6}[ \t]", "# ", first)) or first_heading(begin)


def title_key(title: str) -> str:
    """Return a title's comparison key: normalised, white space collapsed, case folded."""
    return collapse(collapse(title).casefold())


def find_links(text: str) -> Iterator[WikiLink]:
    """Return the wiki links of ``text`` in order, at most ``MAX_LINKS``.

    Links within the same note (``[[#Heading]]``), in code, behind a backslash, or with a target of more than
    ``MAX_TARGET`` characters are text.
    """
    return _links(text, _LINK, _link) if "[[" in text else iter(())


def _links(
    text: str, pattern: re.Pattern[str], link_of: Callable[[re.Match[str]], WikiLink | None]
) -> Iterator[WikiLink]:
    """Return the links that ``link_of`` makes of matches outside code, unless escaped."""
    code = CodeRanges(code_ranges(text))
    matches = (
        match
        for match in pattern.finditer(text)
        if not (match.start() > 0 and text[match.start() - 1] == "\\") and not code.touch(*match.span())
    )
    return islice(filter(None, map(link_of, matches)), MAX_LINKS)


def _link(match: re.Match[str]) -> WikiLink | None:
    name, _, shown = match[2].partition("|")
    name, _, heading = name.removesuffix("\\").partition("#")  # in a table the bar is written \|
    target = " ".join(name.split())
    if not target or len(target) > MAX_TARGET:
        return None
    return WikiLink(
        target=target,
        heading=heading.strip(),
        shown=shown.strip(),
        embed=bool(match[1]),
        start=match.start(),
        end=match.end(),
        context=_context(match.string, match.start(), match.end()),
    )


def find_markdown_links(text: str, path: str = "") -> Iterator[WikiLink]:
    """Return the ``[shown](other.md)`` links of ``text`` to Markdown files in order, at most ``MAX_LINKS``.

    ``[shown](note-0197…)`` names a memory by its id. Addresses of the web, files of other kinds, and targets outside
    the imported folder are no links to notes.

    Args:
        text: The Markdown source.
        path: Where the text was imported from, the name of the imported folder first (``vault/plants/rose.md``).

    Returns:
        Links whose target is ``/`` and a path like ``path``. Without ``path`` it is the path as it is written.
    """
    return _links(text, _MARKDOWN_LINK, partial(_markdown_link, path=path)) if "](" in text else iter(())


def markdown_target(written: str, path: str = "") -> str:
    """Return a Markdown link's target in the form of ``find_markdown_links``.

    It is ``""`` when it leads to no note.
    """
    written = written.partition("#")[0].strip()
    if match := _BY_ID.fullmatch(unquote(written)):
        return match[1]
    if not written or _URL_SCHEME.match(written):
        return ""
    target = storable(unquote(written).replace("\\", "/"))[0]
    target = _path_in_folder(target, path) if path else posixpath.normpath(target).lstrip("/")
    is_note = posixpath.splitext(target)[1].lower() in MARKDOWN_SUFFIXES and len(target) <= MAX_TARGET
    return target if is_note else ""


def _markdown_link(match: re.Match[str], path: str) -> WikiLink | None:
    written, _, heading = (match[1] or match[2] or "").partition("#")
    if not (target := markdown_target(written, path)):
        return None
    start, end = match.span()
    return WikiLink(
        target, storable(unquote(heading))[0], start=start, end=end, context=_context(match.string, start, end)
    )


def _path_in_folder(target: str, path: str) -> str:
    """Return the link target, seen from ``path``, below its imported folder.

    It is ``""`` when the target lies outside.
    """
    root, _, place = path.partition("/")
    joined = posixpath.normpath(posixpath.join("/", posixpath.dirname(place), target).lstrip("/"))
    return "" if joined.startswith("..") else f"/{root}/{joined}"


def _context(text: str, start: int, end: int) -> str:
    """Return the line around a link, cut to ``_CONTEXT`` characters on either side."""
    low, high = max(0, start - _CONTEXT), min(len(text), end + _CONTEXT)
    line_start, line_end = text.rfind("\n", low, start) + 1, text.find("\n", end, high)
    first = line_start or low
    last = line_end if line_end >= 0 else high
    before = "…" if first == low and low > 0 and text[low - 1] != "\n" else ""
    after = "…" if last == high and high < len(text) and text[high] != "\n" else ""
    return (before + " ".join(text[first:last].split()) + after)[:_MAX_CONTEXT]


def attribute_links(attributes: Mapping[str, Any]) -> Iterator[WikiLink]:
    """Yield the links in the texts of foreign front matter.

    Examples are ``author: "[[Ursula K. Le Guin]]"`` and ``up: "[Garden](Garden.md)"``.
    """
    stack: list[Any] = [*attributes.values()]
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            yield from find_links(value)
            yield from find_markdown_links(value)
        elif isinstance(value, Mapping):
            stack.extend(value.values())
        elif isinstance(value, list | tuple):
            stack.extend(value)


def find_tags(text: str) -> tuple[str, ...]:
    """Return all tags of ``text`` in stored form, each once, in order.

    A tag follows white space or begins a line, and is outside code and links.
    """
    tags = dict.fromkeys(name for name, _, _ in tag_places(text))
    return tuple(dict.fromkeys(tag for name in tags for tag in normalise_tags((name,))))


def tag_places(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each tag of ``text``, without its mark, with start and end."""
    if "#" not in text:
        return
    code, links = CodeRanges(code_ranges(text)), CodeRanges([match.span() for match in _LINK.finditer(text)])
    for match in _TAG.finditer(text):
        name = match[1].strip("/")
        if not name or len(name) > MAX_TAG_LENGTH or not is_inline_tag(name):
            continue
        if not code.touch(*match.span()) and not links.touch(*match.span()):
            start = match.start(1) + match[1].index(name)
            yield name, start, start + len(name)
