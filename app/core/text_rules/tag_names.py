"""Tag rules: trimmed, lower-cased, deduplicated, at most 16 of at most 64 characters."""

import re
import unicodedata
from collections.abc import Iterable

MAX_TAGS = 16
MAX_TAG_LENGTH = 64
INLINE_TAG_ENDS = r"\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s"
"""The characters Obsidian ends a ``#tag`` at, for a set in a pattern; any other, emoji included, belongs to it."""

_ENDS = re.compile(f"[{INLINE_TAG_ENDS}]+")


_NO_NAME = re.compile(r"[\d/]+|[/_-]+")
_COLOUR = re.compile(r"[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8}")
_OF_CODE = re.compile(r"includes?|defines?|undef|ifn?def|elif|elifn?def|endif|pragma|endregion|rrggbb(?:aa)?|aarrggbb")
# Words that have only letters from a to f, and are no colours for that.
_HEX_WORDS = frozenset(
    (
        *("abed", "accede", "ace", "aced", "add", "babe", "bad", "bade", "bead", "beef", "bed", "bee", "cab", "cafe"),
        *("cede", "dab", "dace", "dad", "dada", "dead", "deaf", "deb", "decade", "deed", "ebb", "efface", "fab"),
        *("facade", "face", "fad", "fade", "fed", "fee", "feed"),
    )
)


def is_inline_tag(name: str) -> bool:
    """Return whether what follows ``#`` in a text is meant as a tag.

    Numbers, colours such as ``#ffffff`` and directives of C such as ``#include`` are not, nor is ``#rrggbb``.
    """
    folded = name.lower()
    if _NO_NAME.fullmatch(folded) or _OF_CODE.fullmatch(folded):
        return False
    return folded in _HEX_WORDS or not _COLOUR.fullmatch(folded)


def normalise_tag(tag: str) -> str:
    """Return one tag in its stored form, ``""`` when nothing is left of it."""
    # Brackets belong to links: a tag with them could not be told from one in the text.
    letters = "".join(ch for ch in tag if ch.isprintable() and ch not in "[]")
    folded = unicodedata.normalize("NFC", letters).strip().lstrip("#")
    return " ".join(folded.lower().split())[:MAX_TAG_LENGTH].strip().strip("/")


def normalise_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return ``tags`` in stored form, in the order given, without repeats, at most ``MAX_TAGS``."""
    seen: dict[str, None] = {}
    for tag in tags:
        if name := normalise_tag(tag):
            seen.setdefault(name)
    return tuple(seen)[:MAX_TAGS]


def inline_tag(tag: str) -> str:
    """Return a tag as it can be typed after ``#``.

    Spaces become hyphens and other signs go; ``""`` when nothing is left.
    """
    words = (_ENDS.sub("", word) for word in normalise_tag(tag).split())
    return normalise_tag("-".join(word for word in words if word.strip("/_-")))
