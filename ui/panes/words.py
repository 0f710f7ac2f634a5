"""What kinds, stores and events are called, and which icon stands for each."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.core.text import excerpt

_KINDS: dict[str, tuple[object, object, str]] = {
    "note": (QT_TRANSLATE_NOOP("Words", "Note"), QT_TRANSLATE_NOOP("Words", "Notes"), "file-text"),
    "fact": (QT_TRANSLATE_NOOP("Words", "Fact"), QT_TRANSLATE_NOOP("Words", "Facts"), "lightbulb"),
    "observation": (QT_TRANSLATE_NOOP("Words", "Observation"), QT_TRANSLATE_NOOP("Words", "Observations"), "eye"),
    "reflection": (QT_TRANSLATE_NOOP("Words", "Reflection"), QT_TRANSLATE_NOOP("Words", "Reflections"), "sparkles"),
    "digest": (QT_TRANSLATE_NOOP("Words", "Digest"), QT_TRANSLATE_NOOP("Words", "Digests"), "archive"),
    "message": (QT_TRANSLATE_NOOP("Words", "Message"), QT_TRANSLATE_NOOP("Words", "Messages"), "message-square"),
}
_STORES: dict[str, object] = {
    "private": QT_TRANSLATE_NOOP("Words", "Private"),
    "shared": QT_TRANSLATE_NOOP("Words", "Shared"),
    "social": QT_TRANSLATE_NOOP("Words", "Social"),
}
_EVENTS: dict[str, object] = {
    "ADD": QT_TRANSLATE_NOOP("Words", "Written"),
    "UPDATE": QT_TRANSLATE_NOOP("Words", "Changed"),
    "DELETE": QT_TRANSLATE_NOOP("Words", "Deleted"),
    "RESTORE": QT_TRANSLATE_NOOP("Words", "Restored"),
    "FORGET": QT_TRANSLATE_NOOP("Words", "Forgotten"),
    "RENAME": QT_TRANSLATE_NOOP("Words", "Renamed"),
    "COMPRESS": QT_TRANSLATE_NOOP("Words", "Condensed"),
    "CONFIRM": QT_TRANSLATE_NOOP("Words", "Confirmed"),
    "MERGE": QT_TRANSLATE_NOOP("Words", "Merged"),
}


_ROLES: dict[str, object] = {
    "user": QT_TRANSLATE_NOOP("Words", "You"),
    "assistant": QT_TRANSLATE_NOOP("Words", "Assistant"),
    "tool": QT_TRANSLATE_NOOP("Words", "Tool"),
    "system": QT_TRANSLATE_NOOP("Words", "System"),
}


def _said(text: object) -> str:
    return QCoreApplication.translate("Words", str(text))


def kind_word(kind: str) -> str:
    """Return what one memory of ``kind`` is called."""
    return _said(_KINDS[kind][0]) if kind in _KINDS else kind


def kinds_word(kind: str) -> str:
    """Return what memories of ``kind`` are called together."""
    return _said(_KINDS[kind][1]) if kind in _KINDS else kind


def kind_icon(kind: str) -> str:
    """Return the icon that stands for ``kind``."""
    return _KINDS[kind][2] if kind in _KINDS else "file-text"


def store_word(store: str) -> str:
    """Return what a store is called."""
    return _said(_STORES.get(store, store))


def role_word(role: str) -> str:
    """Return who speaks in a role."""
    return _said(_ROLES.get(role, role))


def event_word(event: str) -> str:
    """Return what happened, in a word."""
    return _said(_EVENTS.get(event, event))


def source_word(source: str) -> str:
    """Return who stored something, as a person says it."""
    if source == "person":
        return _said(QT_TRANSLATE_NOOP("Words", "You"))
    name, colon, origin = source.partition(":")
    if name == "import" and colon:
        return _said(QT_TRANSLATE_NOOP("Words", "Import ({origin})")).format(origin=origin)
    return source


def title_of(title: str, content: str, untitled: str) -> str:
    """Return a title, else the first words, else ``untitled``."""
    return title or excerpt(content.lstrip("# "), 80) or untitled
