"""Entity types as the graph shows them: words, shape and colour."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.entities.model import TYPES, EntityType

_WORDS: dict[str, tuple[object, object]] = {
    "person": (QT_TRANSLATE_NOOP("Words", "Person"), QT_TRANSLATE_NOOP("Words", "People")),
    "organization": (QT_TRANSLATE_NOOP("Words", "Organization"), QT_TRANSLATE_NOOP("Words", "Organizations")),
    "location": (QT_TRANSLATE_NOOP("Words", "Place"), QT_TRANSLATE_NOOP("Words", "Places")),
    "project": (QT_TRANSLATE_NOOP("Words", "Project"), QT_TRANSLATE_NOOP("Words", "Projects")),
    "email": (QT_TRANSLATE_NOOP("Words", "E-mail address"), QT_TRANSLATE_NOOP("Words", "E-mail addresses")),
    "url": (QT_TRANSLATE_NOOP("Words", "Web address"), QT_TRANSLATE_NOOP("Words", "Web addresses")),
    "date": (QT_TRANSLATE_NOOP("Words", "Date"), QT_TRANSLATE_NOOP("Words", "Dates")),
    "hashtag": (QT_TRANSLATE_NOOP("Words", "Hashtag"), QT_TRANSLATE_NOOP("Words", "Hashtags")),
    "mention": (QT_TRANSLATE_NOOP("Words", "Mention"), QT_TRANSLATE_NOOP("Words", "Mentions")),
    "other": (QT_TRANSLATE_NOOP("Words", "Other name"), QT_TRANSLATE_NOOP("Words", "Other names")),
}
SHAPES: dict[str, str] = {
    "person": "circle",
    "organization": "square",
    "location": "diamond",
    "project": "hexagon",
    "email": "ring",
    "url": "triangle",
    "date": "triangle",
    "hashtag": "ring",
    "mention": "ring",
    "other": "circle",
}
"""Outline of each type: colour is never the only sign."""
SERIES: dict[str, int] = {
    "person": 0,
    "organization": 1,
    "location": 2,
    "project": 3,
    "email": 7,
    "url": 7,
    "date": 4,
    "hashtag": 5,
    "mention": 6,
    "other": 7,
}
"""Colour of each type among the theme's series."""
DRAWN: tuple[EntityType, ...] = tuple(kind for kind in TYPES if kind not in ("email", "url"))
"""Types that the graph draws. Addresses are no names: only vaults that were read long ago hold them as such."""
LINK = "link"
"""Key of note links in the legend, and their kind of edge."""
HIDDEN_AT_FIRST: tuple[EntityType, ...] = ("date",)
"""Types that most people do not look for in a graph."""
TYPE_NUMBERS = {name: number for number, name in enumerate(TYPES)}


def type_label(kind: str) -> str:
    """Return what one entity of a type is called."""
    return QCoreApplication.translate("Words", str(_WORDS[kind][0])) if kind in _WORDS else kind


def type_plural(kind: str) -> str:
    """Return what entities of a type are called together."""
    return QCoreApplication.translate("Words", str(_WORDS[kind][1])) if kind in _WORDS else kind
