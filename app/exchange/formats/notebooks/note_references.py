"""Links between the notes of an export whose program names notes by ids."""

import re
from collections import Counter
from collections.abc import Mapping

from app.memories.text.markdown_links import title_key

_UNLINKABLE = re.compile(r"[\[\]|#^\n]")


class NoteNames:
    """Names that links use for the notes of one export.

    A note is linked by its title where no other note of the export has it, else by its id, which becomes an alias.

    Args:
        titles: The title of each note, by id.
    """

    def __init__(self, titles: Mapping[str, str]) -> None:
        self._titles = titles
        self._counts = Counter(title_key(title) for title in titles.values())

    def link(self, key: str, shown: str, heading: str = "") -> str:
        """Return a wiki link to the note with the id ``key``."""
        target = self._titles[key] if self._is_clear(key) else key
        label = " ".join(re.sub(r"[\[\]|]", " ", shown).split()) or ("" if target != key else self._titles[key])
        label = re.sub(r"[\[\]|]", " ", label)
        place = f"#{heading}" if heading and not _UNLINKABLE.search(heading) else ""
        return f"[[{target}{place}|{label}]]" if label and label != target else f"[[{target}{place}]]"

    def aliases(self, key: str) -> list[str]:
        """Return the names beside its title that links use for a note."""
        return [] if self._is_clear(key) else [key]

    def _is_clear(self, key: str) -> bool:
        title = self._titles[key]
        return bool(title) and not _UNLINKABLE.search(title) and self._counts[title_key(title)] == 1
