"""A note that two machines wrote at once offers the other text."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from tests.helpers.engine import engine_of
from tests.integration.sync.machines import Machine, hasten, let_in


@pytest.fixture
def other(host: Host, tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path / "laptop", tmp_path / "shared")
    machine.share()
    hasten(host)
    host.submit(engine_of(host).sync.service.pause()).result()
    let_in(host, machine.host, str(tmp_path / "shared"), "desktop")
    yield machine
    machine.stop()


def settle(host: Host, other: Machine) -> None:
    for _ in range(2):
        host.submit(engine_of(host).sync.service.sync()).result()
        other.sync()


def rewrite(ask: Any, note: str, content: str) -> None:
    [found] = ask("memory.get", ids=[note]).memories
    ask("note.update", id=note, version=found.version, content=content)


def test_the_other_text_is_compared_and_taken(host: Host, other: Machine, open_notes: Any, qtbot: Any) -> None:
    note = other.ask("note.save", content="# Garden\n\nWater the beds on Monday.\n\nBuy seeds.", title="Garden").id
    settle(host, other)
    rewrite(host.ask, note, "# Garden\n\nWater the beds on Tuesday evening.\n\nBuy seeds.")
    rewrite(other.ask, note, "# Garden\n\nWater the beds on Friday.\n\nBuy seeds.")
    settle(host, other)
    [kept] = host.ask("note.kept_texts", id=note)
    pane = open_notes()
    pane.controller.open(note)
    bar = pane.document.kept
    qtbot.waitUntil(bar.isVisible)
    bar.compare_button.click()
    qtbot.waitUntil(pane.document.comparison.isVisible)
    bar.take_button.click()
    qtbot.waitUntil(lambda: not bar.isVisible())
    qtbot.waitUntil(lambda: pane.document.text() == kept.content)
    assert not pane.document.comparison.isVisible()


def test_a_dismissed_text_is_offered_no_more(host: Host, other: Machine, open_notes: Any, qtbot: Any) -> None:
    note = other.ask("note.save", content="begun").id
    settle(host, other)
    rewrite(host.ask, note, "of the host")
    rewrite(other.ask, note, "of the other")
    settle(host, other)
    [text] = [memory.content for memory in host.ask("memory.get", ids=[note]).memories]
    pane = open_notes()
    pane.controller.open(note)
    qtbot.waitUntil(pane.document.kept.isVisible)
    pane.document.kept.dismiss_button.click()
    qtbot.waitUntil(lambda: not pane.document.kept.isVisible())
    assert pane.document.text() == text
    settle(host, other)
    assert other.ask("note.kept_texts", id=note) == ()


def test_an_open_note_offers_a_text_as_soon_as_it_comes(
    host: Host, other: Machine, open_notes: Any, qtbot: Any
) -> None:
    note = other.ask("note.save", content="begun").id
    settle(host, other)
    pane = open_notes()
    pane.controller.open(note)
    bar = pane.document.kept
    for number, (first, second) in enumerate(((other.ask, host.ask), (host.ask, other.ask))):  # one leaves the host's
        rewrite(first, note, f"first {number}")
        rewrite(second, note, f"second {number}")
        settle(host, other)
        qtbot.waitUntil(bar.isVisible)
        other.ask("note.dismiss_texts", id=note)
        settle(host, other)
        qtbot.waitUntil(bar.isHidden)


def test_a_note_that_came_back_can_be_deleted_again(host: Host, other: Machine, open_notes: Any, qtbot: Any) -> None:
    note = other.ask("note.save", content="begun").id
    settle(host, other)
    other.ask("note.delete", id=note)
    rewrite(host.ask, note, "edited")
    settle(host, other)
    pane = open_notes()
    pane.controller.open(note)
    bar = pane.document.kept
    qtbot.waitUntil(bar.isVisible)
    assert bar.compare_button.isHidden()
    bar.take_button.click()
    qtbot.waitUntil(bar.isHidden)
    settle(host, other)
    assert other.contents() == []
