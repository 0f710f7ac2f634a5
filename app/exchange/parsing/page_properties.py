"""Page properties: ``key:: value`` lines that begin a note, as Logseq and Dataview write them."""

import re
from typing import Final

_LINE: Final = re.compile(r"(?:[-*] +)?([A-Za-z][\w-]{0,40}):: ?(.*)")
_MAX_LINES: Final = 40
_READ: Final = {"title": "title", "tags": "tags", "tag": "tags", "alias": "aliases", "aliases": "aliases"}


def page_properties(body: str) -> dict[str, str]:
    """Return title, tags and aliases among the properties that a text begins with."""
    if "::" not in body[:400]:
        return {}
    properties: dict[str, str] = {}
    for line in body.split("\n", _MAX_LINES)[:_MAX_LINES]:
        match = _LINE.fullmatch(line.strip())
        if match is None:
            break
        name = _READ.get(match[1].lower())
        if name and match[2].strip():
            properties.setdefault(name, re.sub(r"\[\[|\]\]", "", match[2]).strip())
    return properties
