"""Pages in Org markup, as Logseq and Emacs write them, turned into Markdown.

Headlines become an outline, page keywords become properties, and drawers keep only the ids of blocks.
"""

import re
from typing import Final

SUFFIX: Final = ".org"
_KEYWORD: Final = re.compile(r"#\+(?P<name>[A-Za-z_-]+):[ \t]*(?P<value>.*)")
_BLOCK: Final = re.compile(r"[ \t]*#\+(?P<edge>BEGIN|END)_(?P<kind>[A-Za-z]+)[ \t]*(?P<rest>.*)", re.IGNORECASE)
_HEADLINE: Final = re.compile(r"(?P<stars>\*+)(?:[ \t]+(?P<text>.*))?")
_DRAWER: Final = re.compile(r"[ \t]*:(?:PROPERTIES|LOGBOOK):[ \t]*", re.IGNORECASE)
_DRAWER_END: Final = re.compile(r"[ \t]*:END:[ \t]*", re.IGNORECASE)
_PROPERTY: Final = re.compile(r"[ \t]*:(?P<name>[^:\s]+):[ \t]*(?P<value>.*)")
_LINK: Final = re.compile(r"\[\[(?P<target>[^\[\]\n]+)\](?:\[(?P<shown>[^\[\]\n]+)\])?\]")
_VERBATIM: Final = re.compile(r"(?<![\w=~])[=~](?P<text>\S(?:[^\n]*?\S)?)[=~](?![\w=~])")
_STRONG: Final = re.compile(r"(?<![\w*])\*(?P<text>[^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])")
_EMPHASIS: Final = re.compile(r"(?<![\w/:.])/(?P<text>[^\s/](?:[^/\n]*[^\s/])?)/(?![\w/])")
_HEADLINE_TAGS: Final = re.compile(r"[ \t]+:(?P<tags>[\w@#%:]+):[ \t]*$")
_PAGE: Final = {
    "title": "title", "alias": "alias", "aliases": "alias", "tags": "tags", "filetags": "tags", "date": "date",
    "created": "created", "created-at": "created", "updated": "updated", "icon": "icon", "public": "public",
}  # fmt: skip
_FENCED: Final = frozenset({"src", "example", "export"})


def as_markdown(text: str) -> str:
    """Return a page in Org markup as Markdown, with page properties at its beginning."""
    properties, lines = list[str](), list[str]()
    page = _Page(properties, lines)
    for line in text.splitlines():
        page.take(line)
    if page.fence:
        lines.append("```")
    body = "\n".join(lines).strip("\n")
    return "\n".join((*properties, *([""] if properties and body else []), body))


class _Page:
    """A page, line by line."""

    def __init__(self, properties: list[str], lines: list[str]) -> None:
        self._properties = properties
        self._lines = lines
        self._depth = 0
        self._quotes = 0
        self._in_drawer = False
        self.fence = ""

    def take(self, line: str) -> None:
        block = _BLOCK.fullmatch(line)
        if self.fence:
            if block and block["edge"].lower() == "end" and block["kind"].lower() == self.fence:
                self.fence = ""
                self._put("```")
            else:
                self._put(line)
        elif self._in_drawer:
            self._take_property(line)
        elif _DRAWER.fullmatch(line):
            self._in_drawer = True
        elif block:
            self._take_block(block)
        elif (keyword := _KEYWORD.fullmatch(line)) is not None:
            self._take_keyword(keyword, line)
        elif (headline := _HEADLINE.fullmatch(line)) is not None:
            self._take_headline(headline)
        else:
            self._put(f"{'> ' * self._quotes}{inline(line)}")

    def _put(self, line: str) -> None:
        self._lines.append(f"{'  ' * self._depth}{line}" if line.strip() else "")

    def _take_property(self, line: str) -> None:
        if _DRAWER_END.fullmatch(line):
            self._in_drawer = False
            return
        match = _PROPERTY.fullmatch(line)
        if match is None:
            return
        if not self._lines and match["name"].lower() in _PAGE:
            self._add_property(match["name"], match["value"])
        elif match["name"].lower() == "id":
            self._put(f"id:: {match['value'].strip()}")

    def _take_block(self, block: re.Match[str]) -> None:
        kind, begins = block["kind"].lower(), block["edge"].lower() == "begin"
        if kind in _FENCED and begins:
            self.fence = kind
            language = block["rest"].split() if kind == "src" else []
            self._put("```" + (language[0] if language else ""))
        elif kind == "quote":
            self._quotes = 1 if begins else 0

    def _take_keyword(self, keyword: re.Match[str], line: str) -> None:
        if keyword["name"].lower() in _PAGE:
            self._add_property(keyword["name"], keyword["value"])
        else:
            self._put(inline(line))

    def _add_property(self, written: str, value: str) -> None:
        name = _PAGE[written.lower()]
        if name == "tags":
            value = ", ".join(part for part in re.split(r"[:,\s]+", value.replace("[[", "").replace("]]", "")) if part)
        if value.strip():
            self._properties.append(f"{name}:: {value.strip()}")

    def _take_headline(self, headline: re.Match[str]) -> None:
        text, tags = headline["text"] or "", ""
        if match := _HEADLINE_TAGS.search(text):
            text, tags = text[: match.start()], "".join(f" #{tag}" for tag in match["tags"].split(":") if tag)
        self._quotes = 0
        self._depth = len(headline["stars"]) - 1
        self._put(f"- {inline(text)}{tags}".rstrip())
        self._depth += 1


def inline(text: str) -> str:
    """Return a line with its links and emphasis as Markdown."""
    pieces: list[str] = []

    def keep(piece: str) -> str:
        pieces.append(piece)
        return f"\0{len(pieces) - 1}\0"

    text = text.replace("\0", "")
    text = _LINK.sub(lambda match: keep(_link(match)), text)
    text = _VERBATIM.sub(lambda match: keep(f"`{match['text']}`"), text)
    text = _EMPHASIS.sub(r"*\g<text>*", _STRONG.sub(r"**\g<text>**", text))
    return re.sub(r"\0(\d+)\0", lambda match: pieces[int(match[1])], text)


def _link(match: re.Match[str]) -> str:
    target, shown = match["target"].strip(), (match["shown"] or "").strip()
    place = target.removeprefix("file:")
    is_address = re.match(r"[a-z][a-z0-9+.-]*:", place, re.IGNORECASE) is not None
    if place.lower().endswith(SUFFIX) and not is_address:
        stem = place.replace("\\", "/").rpartition("/")[2][: -len(SUFFIX)]
        return f"[[{stem}|{shown}]]" if shown and shown != stem else f"[[{stem}]]"
    if is_address:
        return f"[{shown or place}]({place})"
    if place != target or place.startswith(("./", "../")):
        embeds = "" if shown else "!"
        return f"{embeds}[{shown}](<{place}>)" if " " in place else f"{embeds}[{shown}]({place})"
    return f"[[{target}|{shown}]]" if shown and shown != target else f"[[{target}]]"
