"""A list of ids whose rows come by pages."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from app.errors import KeepsakeError
from ui.models.card_list_model import Role
from ui.models.cards import Badge, Card
from ui.models.id_list_model import PAGE, IdListModel


@dataclass
class Row:
    id: str
    title: str


class Source:
    """Rows on request, with a gate to hold answers back."""

    def __init__(self) -> None:
        self.requested: list[list[str]] = []
        self.gate: asyncio.Event | None = None
        self.prefix = "title"
        self.gone: set[str] = set()
        self.fault: KeepsakeError | None = None
        self.tasks: list[asyncio.Task[Any]] = []

    async def fetch(self, ids: list[str]) -> list[Row]:
        self.requested.append(ids)
        prefix = self.prefix
        if self.gate:
            await self.gate.wait()
        if self.fault:
            raise self.fault
        return [Row(identity, f"{prefix} {identity}") for identity in reversed(ids) if identity not in self.gone]

    def start(self, work: Any) -> object:
        self.tasks.append(asyncio.get_event_loop().create_task(work))
        return self.tasks[-1]

    async def settle(self) -> None:
        for _ in range(5):
            await asyncio.sleep(0)
            await asyncio.sleep(0.001)
            await asyncio.gather(*self.tasks)


@pytest.fixture
def source() -> Source:
    return Source()


@pytest.fixture
def model(qt_loop: object, source: Source) -> Any:
    model = IdListModel(source.fetch, source.start, lambda row: Card(row.title))
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    yield model
    tester.deleteLater()
    model.deleteLater()


def look(model: IdListModel, row: int) -> Card | None:
    card: Card | None = model.index(row).data(Role.CARD)
    return card


def test_rows_looked_at_together_are_asked_for_once(run_async: Any, model: IdListModel, source: Source) -> None:
    model.set_ids(f"m{n}" for n in range(1000))
    assert look(model, 3) is None
    assert look(model, 7) is None
    assert not source.requested
    run_async(source.settle())
    assert source.requested == [[f"m{n}" for n in range(PAGE)]]
    assert look(model, 3) == Card("title m3")
    run_async(source.settle())
    assert len(source.requested) == 1


def test_only_the_page_that_came_is_announced(run_async: Any, model: IdListModel, source: Source) -> None:
    model.set_ids(f"m{n}" for n in range(1000))
    changed: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda first, last, roles: changed.append((first.row(), last.row())))
    look(model, 250)
    run_async(source.settle())
    assert changed == [(200, 299)]


def test_an_answer_for_an_older_list_is_dropped(run_async: Any, model: IdListModel, source: Source) -> None:
    async def story() -> None:
        source.gate = asyncio.Event()
        model.set_ids(["a", "b"])
        look(model, 0)
        await asyncio.sleep(0.01)
        model.set_ids(["c"])
        source.gate.set()
        await source.settle()
        assert model.card_of("a") is None

    run_async(story())


def test_known_rows_stay_visible_over_a_new_list_until_fresh_ones_come(
    run_async: Any, model: IdListModel, source: Source
) -> None:
    model.set_ids(["a", "b"])
    look(model, 0)
    run_async(source.settle())
    source.prefix = "fresh"
    model.set_ids(["b", "a"])
    assert look(model, 1) == Card("title a")
    run_async(source.settle())
    assert look(model, 1) == Card("fresh a")


def test_a_change_while_its_page_is_under_way_is_fetched_again(
    run_async: Any, model: IdListModel, source: Source
) -> None:
    async def story() -> None:
        model.set_ids(["a"])
        look(model, 0)
        await source.settle()
        source.gate = asyncio.Event()
        model.invalidate(["a"])
        look(model, 0)
        await asyncio.sleep(0.01)
        source.prefix = "second"
        model.invalidate(["a"])
        source.gate.set()
        await source.settle()
        look(model, 0)
        await source.settle()
        assert look(model, 0) == Card("second a")

    run_async(story())


def test_rows_that_are_gone_are_not_asked_for_again(run_async: Any, model: IdListModel, source: Source) -> None:
    source.gone = {"a"}
    model.set_ids(["a", "b"])
    look(model, 0)
    run_async(source.settle())
    assert look(model, 0) is None
    run_async(source.settle())
    assert len(source.requested) == 1


def test_a_failed_page_is_told_once_and_asked_for_again_on_retry(
    run_async: Any, model: IdListModel, source: Source
) -> None:
    reported: list[KeepsakeError] = []
    model.failed.connect(reported.append)
    source.fault = KeepsakeError("The disk is gone.")
    model.set_ids(["a"])
    look(model, 0)
    run_async(source.settle())
    look(model, 0)
    run_async(source.settle())
    assert len(reported) == 1
    source.fault = None
    model.retry()
    look(model, 0)
    run_async(source.settle())
    assert look(model, 0) == Card("title a")


def test_a_hundred_thousand_ids_ask_for_one_page(run_async: Any, model: IdListModel, source: Source) -> None:
    model.set_ids(f"m{n}" for n in range(100_000))
    assert model.rowCount() == 100_000
    assert model.row_of("m99999") == 99_999
    assert model.row_of("nobody") == -1
    look(model, 50_000)
    run_async(source.settle())
    assert sum(map(len, source.requested)) == PAGE


def test_answers_after_the_model_is_gone_do_no_harm(run_async: Any, qt_loop: object, source: Source) -> None:
    async def story() -> None:
        model = IdListModel(source.fetch, source.start, lambda row: Card(row.title))
        source.gate = asyncio.Event()
        model.set_ids(["a"])
        look(model, 0)
        await asyncio.sleep(0.01)
        import shiboken6

        shiboken6.delete(model)
        source.gate.set()
        await source.settle()

    run_async(story())


def test_speech_has_every_part_of_a_row(run_async: Any, model: IdListModel, source: Source) -> None:
    card = Card("Roses", "plant in May", "Monday", (Badge("garden"),))
    assert card.speech == "Roses, plant in May, garden, Monday"
    model.set_ids(["a"])
    look(model, 0)
    run_async(source.settle())
    assert model.index(0).data(Qt.ItemDataRole.AccessibleTextRole) == "title a"
