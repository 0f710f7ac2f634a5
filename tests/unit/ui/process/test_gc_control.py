"""Garbage collection while the window runs."""

import gc

import pytest
from pytestqt.qtbot import QtBot

from ui.process import gc_control
from ui.process.gc_control import GarbageCollector


class _Ring:
    def __init__(self) -> None:
        self.me = self


def test_collection_is_taken_over_and_given_back(qtbot: QtBot) -> None:
    keeper = GarbageCollector()
    keeper.start()
    try:
        assert not gc.isenabled()
    finally:
        keeper.stop()
    assert gc.isenabled()
    keeper.deleteLater()


def test_rings_are_collected_by_the_timer(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_control, "EVERY_MS", 1)
    keeper = GarbageCollector()
    keeper.start()
    try:
        rings = [_Ring() for _ in range(5_000)]
        del rings
        qtbot.waitUntil(lambda: gc.get_count()[0] < 1_000)
    finally:
        keeper.stop()
        keeper.deleteLater()
