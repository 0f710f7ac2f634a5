"""Places of items in what is imported, and what the items are called, as sentences."""

from typing import Final, Literal

from app.core.text import plural
from app.sentence import Sentence

ItemNoun = Literal["conversation", "entry", "mail", "memory", "message", "name", "note", "project", "value"]
"""Kinds of items that a reader numbers."""
PlaceNoun = ItemNoun | Literal["document", "entity", "file", "line", "page", "relation", "session", "tab", "table"]

_NUMBERED: Final[dict[PlaceNoun, Sentence]] = {
    "conversation": Sentence("{whole}, conversation {number}"),
    "document": Sentence("{whole}, document {number}"),
    "entity": Sentence("{whole}, entity {number}"),
    "entry": Sentence("{whole}, entry {number}"),
    "file": Sentence("{whole}, file {number}"),
    "line": Sentence("{whole}, line {number}"),
    "mail": Sentence("{whole}, mail {number}"),
    "memory": Sentence("{whole}, memory {number}"),
    "message": Sentence("{whole}, message {number}"),
    "name": Sentence("{whole}, name {number}"),
    "note": Sentence("{whole}, note {number}"),
    "page": Sentence("{whole}, page {number}"),
    "project": Sentence("{whole}, project {number}"),
    "relation": Sentence("{whole}, relation {number}"),
    "session": Sentence("{whole}, session {number}"),
    "tab": Sentence("{whole}, tab {number}"),
    "table": Sentence("{whole}, table {number}"),
    "value": Sentence("{whole}, value {number}"),
}
_AFTER: Final[dict[ItemNoun, Sentence]] = {
    "conversation": Sentence("{whole}, after conversation {number}"),
    "entry": Sentence("{whole}, after entry {number}"),
    "mail": Sentence("{whole}, after mail {number}"),
    "memory": Sentence("{whole}, after memory {number}"),
    "message": Sentence("{whole}, after message {number}"),
    "name": Sentence("{whole}, after name {number}"),
    "note": Sentence("{whole}, after note {number}"),
    "project": Sentence("{whole}, after project {number}"),
    "value": Sentence("{whole}, after value {number}"),
}
_NOUNS: Final = {
    "comment": (Sentence("comment"), Sentence("comments")),
    "conversation": (Sentence("conversation"), Sentence("conversations")),
    "document": (Sentence("document"), Sentence("documents")),
    "entity": (Sentence("entity"), Sentence("entities")),
    "entry": (Sentence("entry"), Sentence("entries")),
    "field": (Sentence("field"), Sentence("fields")),
    "file": (Sentence("file"), Sentence("files")),
    "head": (Sentence("head"), Sentence("heads")),
    "item": (Sentence("item"), Sentence("items")),
    "line": (Sentence("line"), Sentence("lines")),
    "mail": (Sentence("mail"), Sentence("mails")),
    "memory": (Sentence("memory"), Sentence("memories")),
    "message": (Sentence("message"), Sentence("messages")),
    "name": (Sentence("name"), Sentence("names")),
    "note": (Sentence("note"), Sentence("notes")),
    "page": (Sentence("page"), Sentence("pages")),
    "project": (Sentence("project"), Sentence("projects")),
    "relation": (Sentence("relation"), Sentence("relations")),
    "row": (Sentence("row"), Sentence("rows")),
}
_WHOLE: Final = "whole"
_NUMBER: Final = "number"


def numbered(whole: str, noun: PlaceNoun, number: object) -> Sentence:
    """Return the place of an item, such as ``chat.json, message 3``.

    Args:
        whole: Where it is: a file, or a place in one.
        noun: What it is, such as ``message``.
        number: Its number or name.
    """
    return Sentence(_NUMBERED[noun].template, whole=whole, number=str(number))


def after(whole: str, noun: ItemNoun, number: object) -> Sentence:
    """Return the place that follows an item."""
    return Sentence(_AFTER[noun].template, whole=whole, number=str(number))


def part(whole: str, name: object) -> Sentence:
    """Return the place of what has a name, such as ``notes.zip, rose.png``."""
    return Sentence("{whole}, {name}", whole=whole, name=str(name))


def of_session(key: str) -> Sentence:
    """Return the place of a conversation that is known by its key."""
    return Sentence("session {key}", key=key)


def titled(place: str, title: str) -> str:
    """Return a place with the title of what is there, where it has one."""
    return Sentence('{whole} ("{title}")', whole=place, title=title) if title else place


def renumbered(place: str, number: int) -> str:
    """Return the place of an item that is the ``number``-th in another one."""
    if isinstance(place, Sentence) and _NUMBER in place.values:
        return Sentence(place.template, **place.values | {_NUMBER: str(number)})
    return place


def moved(place: str, own: str, name: str) -> str | None:
    """Return a place under another name of its file, ``None`` for one in another file.

    Args:
        place: The place.
        own: The name of the file in it.
        name: What it is called instead.
    """
    if isinstance(place, Sentence) and _WHOLE in place.values:
        inner = place.values[_WHOLE]
        whole = moved(inner, own, name) if isinstance(inner, str) else None
        return None if whole is None else Sentence(place.template, **place.values | {_WHOLE: whole})
    return f"{name}{place.removeprefix(own)}" if place.startswith(own) else None


def noun_for(noun: str, count: int) -> str:
    """Return what so many items are called."""
    if noun not in _NOUNS:
        return noun if count == 1 else plural(noun)
    return _NOUNS[noun][count != 1]
