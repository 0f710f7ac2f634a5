"""Incognito switch: one stored state in which no agent reads or records."""

from datetime import UTC, datetime
from typing import Final

import msgspec

from app.agents.model import Incognito
from app.changes import Changed, ChangeSet
from app.core.clock import Clock, to_datetime
from app.errors import AgentPausedError, InputError
from app.store.store import Store

AREA: Final = "agents"
_KEY: Final = "incognito"
_OFF: Final = Incognito()


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

    @property
    def is_on(self) -> bool:
        """True while agents are held up; also before the state was first read."""
        return self._stored is None or self._current(self._stored).is_on

    async def state(self) -> Incognito:
        """Return whether incognito is on, and until when."""
        if self._stored is None:
            row = await self._store.read(
                lambda connection: connection.execute("SELECT value FROM meta WHERE key = ?", (_KEY,)).fetchone()
            )
            self._stored = _OFF if row is None else msgspec.json.decode(str(row[0]), type=Incognito)
        return self._current(self._stored)

    async def switch(self, *, is_on: bool, until: datetime | None = None, actor: str = "person") -> Changed[Incognito]:
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
        made = Incognito(True, now, until) if is_on else _OFF
        text = msgspec.json.encode(made).decode()
        # Agents are held up before it is stored and let in after: a call meanwhile must not slip through.
        if is_on:
            before, self._stored = self._stored, made
        try:
            await self._store.write(
                lambda connection: connection.execute(
                    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                    (_KEY, text),
                )
            )
        except BaseException:
            if is_on:
                self._stored = before
            raise
        self._stored = made
        return Changed(made, ChangeSet(frozenset({AREA}), (), actor))

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
            f"The person has turned on incognito{end}: agents can neither read nor record. Try again later.",
            operation=operation,
        )

    def _current(self, stored: Incognito) -> Incognito:
        has_ended = stored.until is not None and stored.until <= to_datetime(self._clock.now_ms())
        return _OFF if has_ended else stored
