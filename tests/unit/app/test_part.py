"""Parts of an open vault: begun in the order in which they are added, reported and closed in the opposite one."""

import asyncio
from collections.abc import Sequence

from app.background_tasks import BackgroundTasks
from app.changes import ChangeSet
from app.part import BackgroundTask, Part, Parts


class Noting(Part):
    """A part that notes what happens to it."""

    def __init__(self, name: str, noted: list[str]) -> None:
        self._name = name
        self._noted = noted

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return work that goes on until it is cancelled."""
        return (BackgroundTask(self._name, self._run),)

    @property
    def failures(self) -> Sequence[str]:
        """One failure, and an empty one."""
        return (f"{self._name} does not work.", "")

    def on_change(self, changes: ChangeSet) -> None:
        """Note the change."""
        self._noted.append(f"{self._name} hears of {','.join(changes.areas)}")

    async def close(self) -> None:
        """Note the closing."""
        self._noted.append(f"{self._name} closes")

    async def _run(self) -> None:
        self._noted.append(f"{self._name} begins")
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)  # work that is cancelled may need a moment
            self._noted.append(f"{self._name} ends")


def _added(*added: Part) -> Parts:
    parts = Parts()
    for part in added:
        assert parts.add(part) is part
    return parts


def test_work_begins_in_the_order_of_the_parts_and_ends_before_those_added_earlier_close() -> None:
    noted: list[str] = []

    async def work() -> None:
        tasks = BackgroundTasks()
        parts = _added(Noting("writer", noted), tasks, Noting("reader", noted))
        tasks.start(parts.tasks(), is_read_only=False)
        await asyncio.sleep(0)
        tasks.cancel()
        await asyncio.sleep(0)  # from here on the work finishes what it must, and closing waits for that
        await parts.close()

    asyncio.run(work())
    ended = set(noted[3:5])
    assert [*noted[:3], *noted[5:]] == ["writer begins", "reader begins", "reader closes", "writer closes"]
    assert ended == {"writer ends", "reader ends"}


def test_every_part_hears_of_a_change_and_the_failure_of_the_part_added_last_comes_first() -> None:
    noted: list[str] = []
    parts = _added(Noting("writer", noted), Part(), Noting("reader", noted))
    parts.on_change(ChangeSet(frozenset({"tags"})))
    assert noted == ["writer hears of tags", "reader hears of tags"]
    assert parts.failures == ("reader does not work.", "writer does not work.")
