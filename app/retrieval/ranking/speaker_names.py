"""Speaker names, which are left out of a question before a transformer embeds it.

To a transformer, a name is most of what a short question means.

"When did Caroline go to the support group" is nearest to messages that begin "Thanks, Caroline", while Caroline's own
messages about the group do not contain her name. Lexical search and the speaker features cover names.
"""

from collections.abc import Sequence
from typing import Any, Final

import apsw

from app.core.text_rules.spellings import fold
from app.retrieval.query.question import WORD
from app.store.store import Store

_STEP: Final = 100_000
_POSSESSIVE: Final = "s"


class SpeakerNames:
    """Names of the speakers in a vault."""

    def __init__(self) -> None:
        self._alone: set[str] = set()
        self._parts: set[str] = set()

    def add(self, author: str) -> None:
        """Add a speaker's name."""
        parts = WORD.findall(fold(author))
        (self._alone if len(parts) == 1 else self._parts).update(parts)

    def strip(self, text: str) -> str:
        """Return a question without speaker names, unchanged where nothing else would remain.

        Words of a longer name count only with a capital letter, because they may have another meaning.
        """
        kept = [word for word in text.split() if not self._is_name(word)]
        return " ".join(kept) if any(map(WORD.search, kept)) else text

    def _is_name(self, word: str) -> bool:
        parts = WORD.findall(fold(word))
        if len(parts) > 1 and parts[-1] == _POSSESSIVE:
            parts.pop()
        has_capital = next(filter(str.isalpha, word), "").isupper()
        known = self._alone | self._parts if has_capital else self._alone
        return bool(parts) and known.issuperset(parts)


class SpeakerNameCache:
    """Cache of all message authors, which reads only new messages.

    Args:
        store: The vault's database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.clear()

    def clear(self) -> None:
        """Clear the names; they are read again when needed."""
        self._read_to = 0
        self._names = SpeakerNames()

    async def strip_speakers(self, text: str) -> str:
        """Return a question without speaker names; see ``SpeakerNames``.

        Raises:
            KeepsakeError: The vault cannot be read.
        """
        while batch := await self._store.read(self._fresh):
            self._read_to = batch[-1][0]
            for _, author in batch:
                self._names.add(author)
        return self._names.strip(text)

    def _fresh(self, connection: apsw.Connection) -> Sequence[tuple[Any, ...]]:
        """Return the authors of the next messages, each with its last row id."""
        rows: list[tuple[Any, ...]] = connection.execute(
            "SELECT max(rowid) AS last, author"
            " FROM (SELECT rowid, author FROM messages WHERE rowid > ? ORDER BY rowid LIMIT ?)"
            " GROUP BY author ORDER BY last",
            (self._read_to, _STEP),
        ).fetchall()
        return rows
