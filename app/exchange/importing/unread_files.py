"""Files of an export that no reader opened, named in groups with the reason."""

import mimetypes
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from app.memories.foreign_record import Problem
from app.sentence import Sentence, counted_sentence, joined

SYSTEM_FILE: Final = re.compile(
    r"(?:.*/)?(?:__MACOSX/.*|\._[^/]*|\.DS_Store|\.localized|Thumbs\.db|desktop\.ini)", re.DOTALL | re.IGNORECASE
)
_SHOWN: Final = 6
FILES: Final = (Sentence("file"), Sentence("files"))
_MEDIA_NOUNS: Final = (Sentence("picture, recording or document"), Sentence("pictures, recordings or documents"))
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
            "empty": (FILES, Sentence("without contents")),
            "settings": (FILES, Sentence("with lists, settings or a copy of the conversations,")),
            "media": (_MEDIA_NOUNS, Sentence("that no message shows")),
        }
        for group, (nouns, kind) in what.items():
            if paths := groups[group]:
                yield left_out(source, paths, nouns, kind, lost=False)
        if paths := groups["ratings"]:
            yield left_out(source, paths, FILES, Sentence("with ratings of answers, and remarks on them,"))
        if paths := groups["zips"]:
            advice = Sentence("Unpack it, and import what is in it.")
            nouns = (Sentence("zip file"), Sentence("zip files"))
            yield left_out(source, paths, nouns, Sentence("within it"), advice=advice)
        if paths := groups["others"]:
            kind = Sentence("that this version does not know")
            if self._has_other_products:
                kind = Sentence("that no import takes")
            yield left_out(source, paths, FILES, kind, lost=not self._has_other_products)


def left_out(
    place: str,
    names: Iterable[str],
    nouns: tuple[Sentence, Sentence],
    kind: Sentence | None = None,
    *,
    lost: bool = True,
    advice: str = "",
) -> Problem:
    """Return the problem that names files which were left out.

    Args:
        place: Where they lie, for a person.
        names: Their names.
        nouns: What one is called, and what several are.
        kind: What they have in common, as words that follow the noun; ``None`` for nothing.
        lost: Whether texts may have been lost with them.
        advice: A sentence about what a person can do, ``""`` for none.
    """
    listed = sorted(names)
    count = len(listed)
    shown = ", ".join(listed[:_SHOWN]) + (" …" if count > _SHOWN else "")
    things = joined((nouns[count != 1], kind or ""))
    what = counted_sentence(
        count,
        "1 {things} was left out ({names}).",
        "{count} {things} were left out ({names}).",
        things=things,
        names=shown,
    )
    return Problem(place, joined((what, advice)), lost, foreign=not lost, count=count)


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
