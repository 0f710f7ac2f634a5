"""Facts that exclude one another, such as home and age."""

import re
from typing import Final

_NAME: Final = r"([A-Z][\w'-]*(?: [A-Z][\w'-]*){0,3})"
_PARTNER: Final = r"(?:wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?)"
_TABLE: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("home", re.compile(rf"(?i:\b(?:i|we) (?:just |recently |finally |now |currently )?(?:live|moved|relocated) "
                        rf"(?:in|to|back to|over to|out to)) (?:the )?{_NAME}")),
    ("home", re.compile(rf"(?i:\b(?:i'm|i am|we're) (?:now |currently )?living in) {_NAME}")),
    ("work", re.compile(rf"(?i:\bi (?:now |currently )?work (?:at|for)) (?:the )?{_NAME}")),
    ("work", re.compile(r"(?i:\bi(?:'m| am) (?:now )?(?:a|an) ([a-z -]{3,40}?) (?:at|for|by profession)\b)")),
    ("age", re.compile(r"(?i:\bi(?:'m| am)) (\d{1,3}) (?i:years old)")),
    ("age", re.compile(r"(?i:\bi (?:just )?turned) (\d{1,3})\b")),
    ("name", re.compile(rf"(?i:\bmy name is) {_NAME}")),
    ("diet", re.compile(r"(?i:\bi(?:'m| am)(?: a)? (vegan|vegetarian|pescatarian)\b)")),
    ("partner", re.compile(rf"(?i:\bmy {_PARTNER}(?:'s name)? is) {_NAME}")),
    ("favourite", re.compile(r"(?i:\bmy (?:all-time )?favou?rite ([a-z]+(?: [a-z]+)?) (?:is|are))")),
)  # fmt: skip


def single_value(sentence: str, subject: str) -> tuple[str, str]:
    """Return category and key of a fact that a newer one replaces.

    Two empty texts stand for all other facts.

    Args:
        sentence: A sentence of the first person.
        subject: Who says it.
    """
    for category, pattern in _TABLE:
        found = pattern.search(sentence)
        if found is not None:
            about = f": {found[1].lower()}" if category == "favourite" else ""
            return category, f"{subject}{about}"
    return "", ""
