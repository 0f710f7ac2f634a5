"""Markdown text of HTML and of Evernote's ENML; scripts and styles are left out.

Two libraries were tried. markdownify 1.2.3 ends with a ``RecursionError`` in 20,000 nested elements, takes six times as
long, and drops ENML's ticks and files. html2text 2025.4.15 drops them too, and the text of CDATA sections; it is under
the GPL.
"""

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Final

MAX_CHARACTERS: Final = 16 << 20
_HEADINGS: Final = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BLOCKS: Final = frozenset({"p", "div", "section", "article", "table", "figure", "dl", "dt", "dd", "header", "footer"})
_SILENT: Final = frozenset({"script", "style", "template", "noscript"})
_MARKS: Final = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "s": "~~", "del": "~~", "strike": "~~"}
_LINK: Final = re.compile(r"(?:https?|mailto|evernote|tel|file):|[^:]*$|[^:]*[/#?]", re.IGNORECASE)
_SPACE: Final = re.compile(r"[ \t\r\n\f]+")
_MAX_INDENT: Final = 20
_CDATA: Final = "CDATA["


class _MarkdownMaker(HTMLParser):
    """Parser that collects Markdown while it reads tags."""

    def __init__(self, media_links: Mapping[str, str]) -> None:
        super().__init__(convert_charrefs=True)
        self._media_links = media_links
        self.parts: list[str] = []
        self.title = ""
        self.media = 0
        self._silent = 0
        self._preformatted = 0
        self._in_title = False
        self._lists: list[int | None] = []
        self._links: list[str] = []
        self._rows = 0
        self._cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in _SILENT:
            self._silent += 1
        elif tag == "title":
            self._in_title = True
        elif tag in _MARKS and not self._preformatted:
            self.parts.append(_MARKS[tag])
        elif tag == "a":
            self._links.append(attributes.get("href") or "")
            self.parts.append("[")
        elif tag == "en-todo":
            self.parts.append("- [x] " if attributes.get("checked") == "true" else "- [ ] ")
        elif tag in ("img", "en-media"):
            self._put_media(attributes)
        else:
            self._begin_block(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "title":
            self._in_title = False
        elif tag in _MARKS and not self._preformatted:
            self.parts.append(_MARKS[tag])
        elif tag == "a" and self._links:
            href = self._links.pop()
            self.parts.append(f"]({href})" if href and _LINK.match(href) else "]")
        else:
            self._end_block(tag)

    def parse_html_declaration(self, i: int) -> int:
        """Read a declaration, and pass over one that the library gives up on."""
        try:
            return super().parse_html_declaration(i)
        except AssertionError:
            return self.parse_bogus_comment(i)

    def unknown_decl(self, data: str) -> None:
        if data.startswith(_CDATA):
            self.handle_data(data.removeprefix(_CDATA))

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._silent:
            self.parts.append(data if self._preformatted else _SPACE.sub(" ", data))

    def _put_media(self, given: dict[str, str | None]) -> None:
        if link := self._media_links.get((given.get("hash") or "").lower()):
            self.parts.append(link)
            return
        source, name = given.get("src") or "", given.get("alt") or given.get("type") or "picture"
        shown = bool(source) and not source.startswith("data:") and bool(_LINK.match(source))
        self.media += not shown
        self.parts.append(f"![{name}]({source})" if shown else f"[{name}]")

    def _begin_block(self, tag: str) -> None:
        if tag in _HEADINGS:
            self.parts.append(f"\n\n{_HEADINGS[tag]}")
        elif tag in ("ul", "ol"):
            self.parts.append("\n" if self._lists else "\n\n")
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            self.parts.append(self._bullet())
        elif tag in ("td", "th"):
            self._cells += 1
            self.parts.append("| ")
        elif tag == "tr":
            self._cells = 0
            self.parts.append("\n")
        elif tag == "pre":
            self._preformatted += 1
            self.parts.append("\n\n```\n")
        elif tag in ("br", "hr", "blockquote"):
            self.parts.append({"br": "\n", "hr": "\n\n---\n\n", "blockquote": "\n\n> "}[tag])
        elif tag in _BLOCKS:
            self._rows = 0
            self.parts.append("\n\n" if tag != "div" else "\n")

    def _end_block(self, tag: str) -> None:
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self.parts.append("\n")
        elif tag == "tr":
            self._rows += 1
            self.parts.append("|" + ("\n" + "| --- " * self._cells + "|" if self._rows == 1 else ""))
        elif tag == "pre" and self._preformatted:
            self._preformatted -= 1
            self.parts.append("\n```\n\n")
        elif tag in _HEADINGS or tag in (*_BLOCKS, "blockquote"):
            self.parts.append("\n" if tag == "div" else "\n\n")
        elif tag in ("td", "th"):
            self.parts.append(" ")

    def _bullet(self) -> str:
        indent = "  " * min(max(len(self._lists) - 1, 0), _MAX_INDENT)
        number = self._lists[-1] if self._lists else None
        if number is None:
            return f"\n{indent}- "
        self._lists[-1] = number + 1
        return f"\n{indent}{number + 1}. "


def markdown_of(source: str, media_links: Mapping[str, str] | None = None) -> tuple[str, str, int]:
    """Return Markdown of an HTML text, its ``<title>``, and how many files it lacks.

    Args:
        source: HTML or ENML; broken tags are read as browsers read them.
        media_links: The Markdown of files that ENML names by their hash.
    """
    maker = _MarkdownMaker(media_links or {})
    maker.feed(source)
    maker.close()
    text = re.sub(r"(?m)[ \t]+$", "", "".join(maker.parts).replace("\xa0", " "))
    text = re.sub(r"- (?=- \[[ x]\] )", "", re.sub(r"\n{3,}", "\n\n", text))
    return text.strip(), " ".join(maker.title.split()), maker.media
