"""Incognito switch: one stored state in which no agent reads or records."""

from datetime import UTC, datetime
from functools import partial
from typing import Final

import apsw
import msgspec

from app.agents.model import Incognito
from app.changes import Changed, ChangeSet
from app.core.clock import Clock, to_datetime, to_ms
from app.errors import AgentPausedError, InputError
from app.sentence import Sentence
from app.store import meta
from app.store.store import Store

AREA: Final = "agents"
_KEY: Final = "incognito"
_PERIODS_KEY: Final = "incognito_periods"
_OFF: Final = Incognito()

Period = tuple[int, int | None]
"""When incognito was turned on and when it ended, in milliseconds since 1970 UTC; no end while it is on."""


class IncognitoSwitch:
    """Holds up every agent at once, those that are let in later among them.

    The state is stored in the vault, so that it holds in every window and after a restart. This process is the only
    one that writes it, so it is read once.

    Args:
        store: The person's vault.
        clock: The source of the time.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._stored: Incognito | None = None
        self._periods: tuple[Period, ...] = ()

    @property
    def is_on(self) -> bool:
        """True while agents are held up; also before the state was first read."""
        return self._stored is None or self._current(self._stored).is_on

    async def state(self) -> Incognito:
        """Return whether incognito is on, and until when."""
        if self._stored is None:
            values = await self._store.read(_read)
            self._periods = msgspec.json.decode(values.get(_PERIODS_KEY, "[]"), type=tuple[Period, ...])
            self._stored = msgspec.json.decode(values[_KEY], type=Incognito) if _KEY in values else _OFF
        return self._current(self._stored)

    def covers(self, begin_ms: int, end_ms: int) -> bool:
        """Return whether incognito was on at any moment between two times, both included.

        It is also true before the state was first read.
        """
        return self._stored is None or any(
            begin <= end_ms and (end is None or begin_ms <= end) for begin, end in self._periods
        )

    async def switch(self, *, is_on: bool, until: datetime | None = None, actor: str) -> Changed[Incognito]:
        """Turn incognito on or off.

        Args:
            is_on: Whether agents are held up.
            until: When it ends by itself, ``None`` for when the person ends it.
            actor: Who decides.

        Raises:
            InputError: The end has passed, or there is an end and incognito is turned off.
        """
        now = to_datetime(self._clock.now_ms())
        if until is not None and not is_on:
            raise InputError("Incognito has an end only while it is on.", field="until")
        if until is not None and until <= now:
            raise InputError("This end of incognito has passed. Choose a later one.", field="until")
        await self.state()
        switch = Incognito(True, now, until) if is_on else _OFF
        periods = _ended(self._periods, to_ms(now))
        if is_on:
            periods = (*periods, (to_ms(now), None if until is None else to_ms(until)))
        texts = {_KEY: msgspec.json.encode(switch).decode(), _PERIODS_KEY: msgspec.json.encode(periods).decode()}
        # Agents are held up before it is stored and let in after: a call meanwhile must not slip through.
        before = self._stored, self._periods
        if is_on:
            self._stored, self._periods = switch, periods
        try:
            await self._store.write(partial(_write, texts=texts))
        except BaseException:
            self._stored, self._periods = before
            raise
        self._stored, self._periods = switch, periods
        return Changed(switch, ChangeSet(frozenset({AREA}), (), actor))

    async def refuse_agents(self, operation: str) -> None:
        """Refuse the call of an agent while incognito is on.

        Raises:
            AgentPausedError: It is on.
        """
        state = await self.state()
        if not state.is_on:
            return
        end = "" if state.until is None else f" until {state.until.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        raise AgentPausedError(
            Sentence(
                "The person has turned on incognito{end}: agents can neither read nor record. Try again later.", end=end
            ),
            operation=operation,
        )

    def _current(self, stored: Incognito) -> Incognito:
        has_ended = stored.until is not None and stored.until <= to_datetime(self._clock.now_ms())
        return _OFF if has_ended else stored


def _read(connection: apsw.Connection) -> dict[str, str]:
    values = {key: meta.read(connection, key) for key in (_KEY, _PERIODS_KEY)}
    return {key: value for key, value in values.items() if value is not None}


def _write(connection: apsw.Connection, texts: dict[str, str]) -> None:
    for key, value in texts.items():
        meta.write(connection, key, value)


def _ended(periods: tuple[Period, ...], now_ms: int) -> tuple[Period, ...]:
    """Return the periods, with one that goes on ended now."""
    return tuple((begin, now_ms if end is None else min(end, max(begin, now_ms))) for begin, end in periods)
