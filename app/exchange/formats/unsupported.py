"""Exports of other programs that are recognised, so that a refusal can name them."""

import re
from collections.abc import Iterable

_NAMES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Gemini", re.compile(r"(?:.*/)?(?:My Activity|Meine Aktivitäten|Gemini)/.*")),
)


def by_names(names: Iterable[str]) -> str:
    """Return the program whose export has files named so, ``""`` for none known."""
    listed = list(names)
    return next((name for name, pattern in _NAMES if any(pattern.fullmatch(item) for item in listed)), "")
