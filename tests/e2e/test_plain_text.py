"""Stored text is shown letter for letter: nothing in the window takes it for rich text and loads what it names."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6 import QtGui
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QWidget

from app.host import Host
from app.sessions.model import NewMessage
from ui import theme
from ui.actions import Actions
from ui.bridge import Bridge
from ui.notice import Notice
from ui.process.error_reporter import ErrorReporter
from ui.shell.navigation import Place
from ui.window import Window
from ui.window_state import WindowState

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
HOSTILE = '<img src="picture.png"> <b>bold</b> & co'
Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture
def window(
    bridge: Bridge, qapp: QApplication, run_async: Run, tmp_path: Path, qt_loop: asyncio.AbstractEventLoop
) -> Iterator[Window]:
    """Yield a window over the vault."""
    theme.current().install(qapp)
    window = Window(Actions(), WindowState(tmp_path / "state"), ErrorReporter())
    window.resize(1400, 900)
    window.show()
    window.attach(bridge)
    yield window
    window.shut_down()
    if window.panes is not None:
        run_async(window.panes.settle())
    qt_loop.run_until_complete(until(lambda: not bridge.is_busy))
    # Not left to qtbot: it closes windows before this, and what they still ask would find them gone.
    window.deleteLater()


async def until(happened: Callable[[], object]) -> None:
    while not happened():
        await asyncio.sleep(0.005)


def is_read_as_markup(text: str) -> bool:
    """Return whether Qt would paint the hostile text as the HTML it looks like."""
    return QtGui.Qt.mightBeRichText(text) and ("<img" in text or "<b>" in text)


def labels_read_as_markup(label: QLabel) -> bool:
    return label.textFormat() != Qt.TextFormat.PlainText and is_read_as_markup(label.text())


def item_tips(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[str]:
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        yield str(model.data(index, Qt.ItemDataRole.ToolTipRole) or "")
        yield from item_tips(model, index)


def tips(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.statusTip(), widget.whatsThis())
    if isinstance(widget, QAbstractItemView):
        yield from item_tips(widget.model(), QModelIndex())


def painted_as_markup(found: dict[str, set[str]]) -> list[str]:
    """Return what of the whole program would be painted as markup; note down in ``found`` what was looked at."""
    wrong = []
    for top in QApplication.topLevelWidgets():
        for widget in [top, *top.findChildren(QWidget)]:
            texts = list(tips(widget))
            found["tips"].update(texts)
            wrong += [f"tip of {type(widget).__name__}: {text}" for text in texts if is_read_as_markup(text)]
            if isinstance(widget, QLabel):
                found["labels"].add(widget.text())
                if labels_read_as_markup(widget):
                    wrong.append(f"{type(widget).__name__}: {widget.text()}")
        for action in top.findChildren(QAction):
            tip = action.toolTip()
            wrong += [f"action: {tip}"] if is_read_as_markup(tip) and not action.menu() else []
    return wrong


def fill(host: Host) -> tuple[str, str]:
    """Put hostile names everywhere an agent or an import can put them; return a note and a conversation."""
    turns = [NewMessage("user", f"{HOSTILE} roses"), NewMessage("assistant", f"{HOSTILE} bloom")]
    session = host.ask("session.append", messages=turns, title=HOSTILE, agent=HOSTILE).session_id
    note = host.ask("note.save", content=f"{HOSTILE} roses [[{HOSTILE}]]", title=HOSTILE, tags=[HOSTILE]).id
    host.ask("note.save", content=f"see [[{HOSTILE}]]", title=f"second {HOSTILE}")
    return note, session


def test_no_stored_text_is_painted_as_rich_text(host: Host, window: Window, run_async: Run) -> None:
    note, session = fill(host)
    assert window.panes is not None
    found: dict[str, set[str]] = {"tips": set(), "labels": set()}
    for place in (
        Place("notes", note), Place("sessions", session), Place("graph"), Place("schedule"),
        Place("search", extra=f"roses tag:{HOSTILE.split(maxsplit=1)[0]}"), Place("search", extra="roses"),
    ):  # fmt: skip
        window.go(place)
        bridge = window.bridge
        assert bridge is not None
        run_async(until(lambda bridge=bridge: not bridge.is_busy))  # type: ignore[misc]
        assert painted_as_markup(found) == [], place
    window.show_notice(Notice(f"Deleted ‘{HOSTILE}’"))
    window.banner.show_notice(HOSTILE)
    window.start_page.show_opening(HOSTILE)
    for action in ("go.palette", "file.import", "file.settings", "file.models", "help.pages", "help.shortcuts",
                   "help.about", "file.capture"):  # fmt: skip
        window.registry.run(action)
    assert painted_as_markup(found) == []
    # The walk has seen hostile text, so it could have found it.
    assert any("<img" in text for text in found["labels"])
    assert any("&lt;img" in text for text in found["tips"])
    window.start_page.finish()
    for top in QApplication.topLevelWidgets():
        if top is not window:
            top.hide()
