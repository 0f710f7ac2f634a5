"""Files of an export that no reader opened, named in groups with the reason."""

import mimetypes
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from app.memories.foreign_record import Problem

SYSTEM_FILE: Final = re.compile(
    r"(?:.*/)?(?:__MACOSX/.*|\._[^/]*|\.DS_Store|\.localized|Thumbs\.db|desktop\.ini)", re.DOTALL | re.IGNORECASE
)
_SHOWN: Final = 6
_FILES: Final = ("file", "files")
_MEDIA_NOUNS: Final = ("picture, recording or document", "pictures, recordings or documents")
# Lists and settings of an account, which hold no conversation.
_SETTINGS: Final = re.compile(
    r"(?:.*/)?(?:(?:org_)?users?|shared_conversations|export_manifest|user_settings"
    r"|integration_logs|conversation_asset_file_names)\.json|(?:.*/)?chat\.html",
    re.IGNORECASE,
)
# What a person wrote about answers, and answers beside those of the conversations.
_RATINGS: Final = re.compile(r"(?:.*/)?(?:message_feedback|model_comparisons)\.json", re.IGNORECASE)
_EMPTY_LIST = 2  # bytes
_MEDIA: Final = re.compile(r"(?:image|audio|video|font)/")
_DOCUMENTS: Final = frozenset({".pdf", ".docx", ".pptx", ".xlsx", ".dat", ".heic", ".opus", ".webp", ".tgs", ".vcf"})
_UPLOADED: Final = re.compile(r"file[-_][0-9A-Za-z]{6,}")


class FileAccount:
    """Account of the files of a source.

    Args:
        has_other_products: Whether such an export also holds what is no conversation, such as posts.
    """

    def __init__(self, *, has_other_products: bool = False) -> None:
        self._has_other_products = has_other_products
        self._unread: dict[str, int] = {}
        self._opened: set[str] = set()

    def add(self, name: str, size: int) -> None:
        """Take a file of the source, and its size in bytes."""
        if name not in self._opened and not SYSTEM_FILE.fullmatch(name):
            self._unread[name] = size

    def open(self, name: str) -> None:
        """Take that a reader opens a file."""
        self._opened.add(name)
        self._unread.pop(name, None)

    def problems(self, source: str) -> Iterator[Problem]:
        """Yield what was left out of the source with this name."""
        groups: dict[str, list[str]] = {
            "empty": [],
            "settings": [],
            "ratings": [],
            "media": [],
            "zips": [],
            "others": [],
        }
        for name, size in self._unread.items():
            groups[_group(name, size)].append(name)
        what = {
            "empty": (_FILES, "without contents"),
            "settings": (_FILES, "with lists, settings or a copy of the conversations,"),
            "media": (_MEDIA_NOUNS, "that no message shows"),
        }
        for group, (nouns, kind) in what.items():
            if paths := groups[group]:
                yield left_out(source, paths, nouns, kind, lost=False)
        if paths := groups["ratings"]:
            yield left_out(source, paths, _FILES, "with ratings of answers, and remarks on them,")
        if paths := groups["zips"]:
            advice = "Unpack it, and import what is in it."
            yield left_out(source, paths, ("zip file", "zip files"), "within it", advice=advice)
        if paths := groups["others"]:
            kind = "that no import takes" if self._has_other_products else "that this version does not know"
            yield left_out(source, paths, _FILES, kind, lost=not self._has_other_products)


def left_out(
    place: str,
    names: Iterable[str],
    nouns: tuple[str, str],
    kind: str = "",
    *,
    lost: bool = True,
    advice: str = "",
) -> Problem:
    """Return the problem that names files which were left out.

    Args:
        place: Where they lie, for a person.
        names: Their names.
        nouns: What one is called, and what several are.
        kind: What they have in common, as words that follow the noun.
        lost: Whether texts may have been lost with them.
        advice: A sentence about what a person can do, ``""`` for none.
    """
    listed = sorted(names)
    count = len(listed)
    shown = ", ".join(listed[:_SHOWN]) + (" …" if count > _SHOWN else "")
    subject = " ".join(filter(None, (f"{count:,}", nouns[count != 1], kind)))
    what = f"{subject} {'was' if count == 1 else 'were'} left out ({shown})."
    return Problem(place, " ".join(filter(None, (what, advice))), lost, foreign=not lost, count=count)


def is_media(name: str) -> bool:
    """Return whether a file is a picture, a recording or the like by its name."""
    return _MEDIA.match(mimetypes.guess_type(name)[0] or "") is not None


def _group(name: str, size: int) -> str:
    path = PurePosixPath(name)
    suffix = path.suffix.lower()
    if not size:
        return "empty"
    if _RATINGS.fullmatch(name):
        return "ratings" if size > _EMPTY_LIST else "empty"
    if _SETTINGS.fullmatch(name):
        return "settings"
    if is_media(name) or suffix in _DOCUMENTS or _UPLOADED.match(path.name):
        return "media"
    return "zips" if suffix == ".zip" else "others"
