"""Service that keeps the accounts of the language model."""

from collections.abc import Sequence

import apsw

from app.core.clock import Clock, to_datetime
from app.llm.model import Usage
from app.part import BackgroundTask, Part
from app.spending import repo
from app.spending.model import Spending
from app.store.store import Store


class SpendingService(Part):
    """Accounts of the language model in the vault.

    Args:
        store: The vault's database.
        clock: The source of the time.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._month = ""
        self._spent = 0.0

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the reading of what was spent."""
        return (BackgroundTask("spending", self.load, is_reading=True),)

    @property
    def spent_this_month(self) -> float:
        """Return the cost since the month began, once ``load`` has read it."""
        return self._spent if self._month == self._day()[:7] else 0.0

    async def load(self) -> None:
        """Read what was spent this month."""
        month = self._day()[:7]
        spent = await self._store.read(lambda connection: repo.cost_of_month(connection, month))
        self._month, self._spent = month, spent

    async def record(self, purpose: str, model: str, usage: Usage, *, is_failure: bool) -> None:
        """Enter one request.

        Args:
            purpose: What it was for.
            model: The model that was asked.
            usage: What it took.
            is_failure: Whether it failed.
        """
        day = self._day()

        def work(connection: apsw.Connection) -> float:
            repo.add(connection, day, purpose, model, usage, is_failure=is_failure)
            return repo.cost_of_month(connection, day[:7])

        spent = await self._store.write(work, is_bookkeeping=True)
        self._month, self._spent = day[:7], spent

    async def by_month(self, months: int) -> list[Spending]:
        """Return the spending of the last months by purpose and model, the latest month first."""
        return await self._store.read(lambda connection: repo.by_month(connection, months))

    def _day(self) -> str:
        return f"{to_datetime(self._clock.now_ms()):%Y-%m-%d}"
