"""Accounts of the language model in a real vault."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.clock import Clock
from app.core.paths import migrations
from app.llm.model import Usage
from app.spending.service import SpendingService
from app.store.store import Store

_DAY_MS = 86_400_000
_END_OF_MARCH = 1_774_915_200_000  # 2026-03-31T00:00:00Z


class SetClock(Clock):
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.at_ms = _END_OF_MARCH

    def now_ms(self) -> int:
        return self.at_ms


@pytest.fixture
def store(vault: Path) -> Iterator[Store]:
    opened = Store.open(vault, migrations())
    yield opened
    opened.close()


def test_requests_are_summed_by_month_purpose_and_model(store: Store) -> None:
    clock = SetClock()
    accounts = SpendingService(store, clock)

    async def work() -> None:
        await accounts.record("reconcile", "large", Usage(100, 10, 0.5), is_failure=False)
        await accounts.record("reconcile", "large", Usage(50, 0, 0.25), is_failure=True)
        await accounts.record("test", "small", Usage(1, 1, 0.0), is_failure=False)
        assert accounts.spent_this_month == 0.75
        clock.at_ms += _DAY_MS
        assert accounts.spent_this_month == 0.0
        await accounts.record("reconcile", "large", Usage(1, 1, 0.125), is_failure=False)
        assert accounts.spent_this_month == 0.125
        found = await accounts.by_month(12)
        sums = [(one.month, one.purpose, one.requests, one.failures, one.input_tokens, one.cost) for one in found]
        assert sums == [
            ("2026-04", "reconcile", 1, 0, 1, 0.125),
            ("2026-03", "reconcile", 2, 1, 150, 0.75),
            ("2026-03", "test", 1, 0, 1, 0.0),
        ]
        assert [one.month for one in await accounts.by_month(1)] == ["2026-04"]

    asyncio.run(work())


def test_what_was_spent_is_known_again_after_a_restart(store: Store) -> None:
    clock = SetClock()

    async def work() -> None:
        await SpendingService(store, clock).record("test", "m", Usage(1, 1, 2.0), is_failure=False)
        again = SpendingService(store, clock)
        await again.load()
        assert again.spent_this_month == 2.0

    asyncio.run(work())


def test_requests_at_once_are_all_entered(store: Store) -> None:
    accounts = SpendingService(store, SetClock())

    async def work() -> None:
        await asyncio.gather(*(accounts.record("t", "m", Usage(1, 1, 0.5), is_failure=False) for _ in range(40)))
        assert accounts.spent_this_month == 20.0
        assert (await accounts.by_month(1))[0].requests == 40

    asyncio.run(work())
