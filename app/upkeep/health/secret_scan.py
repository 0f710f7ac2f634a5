"""Search of messages for secrets: each is read once, a bounded time in each report."""

import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Final

import apsw

from app.core.text_rules.secret_patterns import secrets_in
from app.store.store import Store
from app.upkeep.health import repo

_SECONDS: Final = 2.0
_PAGE: Final = 500
_MOST: Final = 2_000  # messages with secrets that are remembered


@dataclass(frozen=True, slots=True)
class MessageSecret:
    """A message with secrets: its id, its text and how many of each kind."""

    id: str
    text: str
    kinds: Counter[str]


class SecretScan:
    """The search of the messages, which goes on where it stopped.

    Args:
        store: The vault's database.
        seconds: How long each report may search.
    """

    def __init__(self, store: Store, seconds: float = _SECONDS) -> None:
        self._store = store
        self._seconds = seconds
        self._after = 0
        self._found: list[int] = []

    async def go_on(self) -> tuple[int, int]:
        """Search for a bounded time; return up to where, and the last message, by rowid."""
        last = await self._store.read(repo.last_message)
        if last < self._after:  # messages were removed, and their numbers may be given again
            self._after, self._found = 0, []
        ends = time.monotonic() + self._seconds
        while self._after < last and time.monotonic() < ends:
            self._store.stop_signal.check()
            after, secrets = await self._store.read(partial(_search, self._after), is_background=True)
            self._after = last if after is None else after
            self._found = [*self._found, *secrets][:_MOST]
        return min(self._after, last), last

    async def found(self) -> list[MessageSecret]:
        """Return the messages that still have secrets."""
        return await self._store.read(partial(_still, list(self._found)))


def _search(after: int, connection: apsw.Connection) -> tuple[int | None, list[int]]:
    rows = repo.messages(connection, after, _PAGE)
    places = [place for place, text in rows if secrets_in(text)]
    return (rows[-1][0] if rows else None), places


def _still(places: list[int], connection: apsw.Connection) -> list[MessageSecret]:
    secrets = []
    for _, message, text in repo.messages_at(connection, places):
        kinds = Counter(match.kind for match in secrets_in(text))
        if kinds:
            secrets.append(MessageSecret(message, text, kinds))
    return secrets
