"""Labels and icons of kinds, stores, roles, events, sources and ranking features."""

from datetime import datetime

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.core.text import excerpt, without_markup
from ui.models.dates import date_words, local

BEGINNING = 600
"""Characters of a text that its first words are looked for in."""

_KINDS: dict[str, tuple[object, object, str]] = {
    "note": (QT_TRANSLATE_NOOP("Words", "Note"), QT_TRANSLATE_NOOP("Words", "Notes"), "file-text"),
    "fact": (QT_TRANSLATE_NOOP("Words", "Fact"), QT_TRANSLATE_NOOP("Words", "Facts"), "lightbulb"),
    "observation": (QT_TRANSLATE_NOOP("Words", "Observation"), QT_TRANSLATE_NOOP("Words", "Observations"), "eye"),
    "reflection": (QT_TRANSLATE_NOOP("Words", "Reflection"), QT_TRANSLATE_NOOP("Words", "Reflections"), "sparkles"),
    "digest": (QT_TRANSLATE_NOOP("Words", "Digest"), QT_TRANSLATE_NOOP("Words", "Digests"), "archive"),
    "entity": (QT_TRANSLATE_NOOP("Words", "Name"), QT_TRANSLATE_NOOP("Words", "Names"), "waypoints"),
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
    "FORGET": QT_TRANSLATE_NOOP("Words", "Deleted"),
    "RENAME": QT_TRANSLATE_NOOP("Words", "Renamed"),
    "COMPRESS": QT_TRANSLATE_NOOP("Words", "Condensed"),
    "CONFIRM": QT_TRANSLATE_NOOP("Words", "Confirmed"),
    "MERGE": QT_TRANSLATE_NOOP("Words", "Merged"),
    "MENTION": QT_TRANSLATE_NOOP("Words", "Said again"),
    "ARCHIVE": QT_TRANSLATE_NOOP("Words", "Archived"),
    "CLEAN": QT_TRANSLATE_NOOP("Words", "Deleted from the archive"),
    "ACCEPT": QT_TRANSLATE_NOOP("Words", "Accepted"),
    "REJECT": QT_TRANSLATE_NOOP("Words", "Rejected"),
}


_ROLES: dict[str, object] = {
    "user": QT_TRANSLATE_NOOP("Words", "You"),
    "assistant": QT_TRANSLATE_NOOP("Words", "Assistant"),
    "tool": QT_TRANSLATE_NOOP("Words", "Tool"),
    "system": QT_TRANSLATE_NOOP("Words", "System"),
}

_OWN_SOURCES = {"rules", "consolidation", "decay", "enrichment", "housekeeping", "reflection", "retention"}
"""Parts of the engine that write of their own accord."""

_FEATURES = {
    "bm25": QT_TRANSLATE_NOOP("Words", "Words of the message"),
    "bm25_before": QT_TRANSLATE_NOOP("Words", "Words of the message before"),
    "bm25_after": QT_TRANSLATE_NOOP("Words", "Words of the message after"),
    "bm25_text": QT_TRANSLATE_NOOP("Words", "Words, for its length"),
    "bm25_window": QT_TRANSLATE_NOOP("Words", "Words around it"),
    "bm25_passage": QT_TRANSLATE_NOOP("Words", "Words of the passage"),
    "bm25_session": QT_TRANSLATE_NOOP("Words", "Words of the conversation"),
    "coverage": QT_TRANSLATE_NOOP("Words", "Share of your words in it"),
    "coverage_before": QT_TRANSLATE_NOOP("Words", "Share of your words in the message before"),
    "coverage_onward": QT_TRANSLATE_NOOP("Words", "Share of your words two messages later"),
    "coverage_window": QT_TRANSLATE_NOOP("Words", "Share of your words around it"),
    "coverage_session": QT_TRANSLATE_NOOP("Words", "Share of your words in the conversation"),
    "pairs": QT_TRANSLATE_NOOP("Words", "Words side by side"),
    "cosine": QT_TRANSLATE_NOOP("Words", "Meaning"),
    "cosine_before": QT_TRANSLATE_NOOP("Words", "Meaning of the message before"),
    "cosine_after": QT_TRANSLATE_NOOP("Words", "Meaning of the message after"),
    "cosine_window": QT_TRANSLATE_NOOP("Words", "Meaning around it"),
    "cosine_session": QT_TRANSLATE_NOOP("Words", "Meaning of the conversation"),
    "words_rank": QT_TRANSLATE_NOOP("Words", "Place by words"),
    "vector_rank": QT_TRANSLATE_NOOP("Words", "Place by meaning"),
    "speaker": QT_TRANSLATE_NOOP("Words", "Said by someone you name"),
    "first_speaker": QT_TRANSLATE_NOOP("Words", "Said by whom you name first"),
    "other_speaker": QT_TRANSLATE_NOOP("Words", "Said to someone you name"),
    "length": QT_TRANSLATE_NOOP("Words", "Length"),
    "question": QT_TRANSLATE_NOOP("Words", "It is a question"),
    "question_before": QT_TRANSLATE_NOOP("Words", "A question came before"),
    "answer": QT_TRANSLATE_NOOP("Words", "The message before asks about your words"),
    "user": QT_TRANSLATE_NOOP("Words", "Said by a person"),
    "after_user": QT_TRANSLATE_NOOP("Words", "Follows a person"),
    "first_person": QT_TRANSLATE_NOOP("Words", "It is about who says it"),
    "second_person": QT_TRANSLATE_NOOP("Words", "It is about who hears it"),
    "number": QT_TRANSLATE_NOOP("Words", "It says a number"),
    "names": QT_TRANSLATE_NOOP("Words", "Names in it"),
    "time": QT_TRANSLATE_NOOP("Words", "It says when"),
    "date": QT_TRANSLATE_NOOP("Words", "The date fits"),
    "date_near": QT_TRANSLATE_NOOP("Words", "Said soon after the time named"),
    "recency": QT_TRANSLATE_NOOP("Words", "How new it is"),
    "memory": QT_TRANSLATE_NOOP("Words", "It is a note or fact"),
    "session_words": QT_TRANSLATE_NOOP("Words", "Words of the whole conversation"),
    "session_user_words": QT_TRANSLATE_NOOP("Words", "Words of the person in it"),
    "session_coverage": QT_TRANSLATE_NOOP("Words", "Most of your words in one of its messages"),
    "session_length": QT_TRANSLATE_NOOP("Words", "Length of the conversation"),
    "session_recency": QT_TRANSLATE_NOOP("Words", "How new the conversation is"),
    "entity": QT_TRANSLATE_NOOP("Words", "Mentions what you name"),
    "project": QT_TRANSLATE_NOOP("Words", "It is of your project"),
    "kin": QT_TRANSLATE_NOOP("Words", "Its conversation is like the best ones"),
    "kin_recent": QT_TRANSLATE_NOOP("Words", "Its conversation is the newest of those"),
    "question_length": QT_TRANSLATE_NOOP("Words", "Length of the question"),
    "register": QT_TRANSLATE_NOOP("Words", "Whether texts are chat or long"),
    "message": QT_TRANSLATE_NOOP("Words", "A message of several sentences"),
    "cross_encoder": QT_TRANSLATE_NOOP("Words", "Judged by the reading model"),
    "late_interaction": QT_TRANSLATE_NOOP("Words", "Its words fit those of the question in meaning"),
    "from_history": QT_TRANSLATE_NOOP("Words", "Read from the history"),
}


def _said(text: object) -> str:
    return QCoreApplication.translate("Words", str(text))


def kind_label(kind: str) -> str:
    """Return what one memory of ``kind`` is called."""
    return _said(_KINDS[kind][0]) if kind in _KINDS else kind


def kind_plural(kind: str) -> str:
    """Return what memories of ``kind`` are called together."""
    return _said(_KINDS[kind][1]) if kind in _KINDS else kind


def kind_icon(kind: str) -> str:
    """Return the icon that stands for ``kind``."""
    return _KINDS[kind][2] if kind in _KINDS else "file-text"


def store_label(store: str) -> str:
    """Return what a store is called."""
    return _said(_STORES.get(store, store))


def role_label(role: str) -> str:
    """Return who speaks in a role."""
    return _said(_ROLES.get(role, role))


def speaker_label(who: str) -> str:
    """Return who says something: a name as it is, a role in words."""
    return role_label(who) if who in _ROLES else who


def attribution(who: str, at: datetime | None) -> str:
    """Return who said a fact and when, such as ``Caroline, 23 June 2023``."""
    day = "" if at is None else date_words(local(at).date(), "d MMMM yyyy")
    return ", ".join(filter(None, (speaker_label(who), day)))


def event_label(event: str) -> str:
    """Return what happened, in a word."""
    return _said(_EVENTS.get(event, event))


def source_label(source: str) -> str:
    """Return who stored something, as a person says it."""
    if source == "person":
        return _said(QT_TRANSLATE_NOOP("Words", "You"))
    if source in _OWN_SOURCES:
        return "Keepsake"
    name, colon, origin = source.partition(":")
    if name == "import" and colon:
        return _said(QT_TRANSLATE_NOOP("Words", "Import ({origin})")).format(origin=origin)
    return source


def feature_label(name: str) -> str:
    """Return what a number is called that a recipe looked at."""
    return _said(_FEATURES.get(name, name.replace("_", " ")))


def observation_type(name: str) -> str:
    """Return what a person calls a type of observation."""
    names = {
        "decision": QCoreApplication.translate("Words", "a decision"),
        "preference": QCoreApplication.translate("Words", "a preference"),
        "plan": QCoreApplication.translate("Words", "a plan"),
        "event": QCoreApplication.translate("Words", "an event"),
        "discovery": QCoreApplication.translate("Words", "a discovery"),
        "problem": QCoreApplication.translate("Words", "a problem"),
        "change": QCoreApplication.translate("Words", "a change"),
        "learning": QCoreApplication.translate("Words", "something learned"),
    }
    return names.get(name, name)


def display_title(title: str, content: str, untitled: str) -> str:
    """Return a title, else the first words, else ``untitled``."""
    return title or excerpt(without_markup(content[:BEGINNING]), 80) or untitled
