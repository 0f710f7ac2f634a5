"""Placeholders of note templates: ``{{date}}``, ``{{time}}`` and ``{{title}}``."""

import re
from datetime import datetime
from typing import Final

from app.core.text_rules.tag_names import normalise_tag
from app.memories.text.markdown_links import tag_places

TEMPLATE_TAG: Final = "template"

_PLACEHOLDER = re.compile(r"\{\{[ \t]*(date|time|title)[ \t]*(?::[ \t]*([^{}\n]{1,60}?)[ \t]*)?\}\}", re.IGNORECASE)
# The signs of dates that Obsidian's templates use.
_SIGNS: Final = {
    "YYYY": "%Y",
    "YY": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "DD": "%d",
    "dddd": "%A",
    "ddd": "%a",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
}
_SIGN = re.compile("|".join(sorted(_SIGNS, key=len, reverse=True)))


def is_template_tag(tag: str) -> bool:
    """Return whether a tag makes a note a template."""
    name = normalise_tag(tag)
    return name == TEMPLATE_TAG or name.startswith(f"{TEMPLATE_TAG}/")


def has_placeholder(text: str) -> bool:
    """Return whether a text has a placeholder."""
    return _PLACEHOLDER.search(text) is not None


def expand(text: str, title: str, now: datetime) -> str:
    """Return a template's text with its placeholders filled in and its ``#template`` tags taken out.

    Args:
        text: The text; ``{{date:DD.MM.YYYY}}`` names another form of a date.
        title: The title of the new note.
        now: The moment, in the person's zone.
    """

    def filled(match: re.Match[str]) -> str:
        name, form = match[1].lower(), match[2]
        if name == "title":
            return title
        return now.strftime(_pattern(form) if form else "%Y-%m-%d" if name == "date" else "%H:%M")

    return _PLACEHOLDER.sub(filled, _without_template_tags(text))


def _pattern(form: str) -> str:
    return _SIGN.sub(lambda sign: _SIGNS[sign[0]], form.replace("%", "%%"))


def _without_template_tags(text: str) -> str:
    pieces, position = [], 0
    for name, start, end in tag_places(text):
        if is_template_tag(name):
            pieces.append(text[position : start - 1].rstrip(" \t") if start > 1 else "")
            position = end
    rest = text[position:]
    return "".join(pieces) + (rest.lstrip("\n") if position and not "".join(pieces).strip() else rest)
