"""Declaration of a foreign format, made once in the file of its reader."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from app.exchange.model import Record

Reader = Callable[[Path, Callable[[], bool]], Iterator[Record]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatSpec:
    """A format: its reader, how it is recognised, and how its records are treated.

    Args:
        name: Its name in operations and commands.
        title: What people call an export of it, in reports and in the window.
        read: Reads a file or folder.
        kind: What it holds. The files of a transcript or document are imported as a group where several lie together.
        help: Its name in the sentence of all that is supported, ``""`` where that of another one covers it.
        suffixes: Endings of its files, in lower case; other files of a folder are not looked at.
        fields: Sets of fields, any of which gives its JSON away, with their place: ``item.mapping``.
        broken: Gives away JSON of it that is damaged.
        names: Gives away the files of its export by their names.
        files: Files that are read of an export of chats.
        is_line: Whether an object is a line of a transcript.
        noise: Fields and objects without words of a person or agent; see ``source_words.Noise``.
        stand_ins: Texts in place of words; see ``source_words.Noise``.
        keys: What its keys are unique in: everywhere, in the folder of a file, or in one file.
        stored_as: The format whose items its own are, so that importing in both ways adds nothing twice.
        has_other_products: Whether its exports hold more than conversations.
        has_attachments: Whether attachments lie beside it as an export of ours has them.
        is_folder: Whether a folder with files of these chats is one export.
        needs_secret: Whether a passphrase or key opens it, so that it is imported alone.
        names_others: Whether its reader names what else lies in its folder.
    """

    name: str
    title: str
    read: Reader
    kind: Literal["conversations", "notes", "notebook", "document", "transcript", "chat", "memories"]
    help: str = ""
    suffixes: Collection[str] = ()
    fields: tuple[frozenset[str], ...] = ()
    broken: re.Pattern[bytes] | None = None
    names: re.Pattern[str] | None = None
    files: re.Pattern[str] = re.compile(r"(?!)")
    is_line: Callable[[dict[str, Any]], bool] | None = None
    noise: tuple[str, ...] = ()
    stand_ins: frozenset[str] = frozenset()
    keys: Literal["everywhere", "folder", "file"] = "everywhere"
    stored_as: str = ""
    has_other_products: bool = False
    has_attachments: bool = False
    is_folder: bool = False
    needs_secret: bool = False
    names_others: bool = False


def fields(*alternatives: str) -> tuple[frozenset[str], ...]:
    """Return sets of fields, each written as names with spaces between them."""
    return tuple(frozenset(names.split()) for names in alternatives)
