"""Tag rules: trimmed, lower-cased, deduplicated, at most 16 of at most 64 characters."""

import unicodedata
from collections.abc import Iterable

MAX_TAGS = 16
MAX_TAG_LENGTH = 64


def normalise_tag(tag: str) -> str:
    """Return one tag in its stored form, ``""`` when nothing is left of it."""
    # Brackets belong to links: a tag with them could not be told from one in the text.
    kept = "".join(ch for ch in tag if ch.isprintable() and ch not in "[]")
    folded = unicodedata.normalize("NFC", kept).strip().lstrip("#")
    return " ".join(folded.lower().split())[:MAX_TAG_LENGTH].strip().strip("/")


def normalise_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return ``tags`` in stored form, in the order given, without repeats, at most ``MAX_TAGS``."""
    seen: dict[str, None] = {}
    for tag in tags:
        if name := normalise_tag(tag):
            seen.setdefault(name)
    return tuple(seen)[:MAX_TAGS]
