"""Sessions, notes and search over a real vault."""

import asyncio
import gc
from collections.abc import Callable, Coroutine, Iterator
from importlib import import_module
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.api.caller import Caller
from app.host import Host
from app.sessions.model import NewMessage
from ui import operations, theme
from ui.actions import Actions
from ui.bridge import Bridge
from ui.notice import Notice
from ui.panes.pane import Place

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
Open = Callable[[str], Any]
Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture
def open_pane(bridge: Bridge, qapp: QApplication, qtbot: QtBot) -> Iterator[Open]:
    """Build a pane as the window does; notices it told are in ``.notices``, places in ``.places``."""
    theme.current().install(qapp)
    registry = Actions()

    def build(name: str) -> Any:
        kind = getattr(import_module(f"ui.panes.{name}.pane"), f"{name.capitalize()}Pane")
        pane = kind(bridge, registry)
        pane.notices, pane.places = list[Notice](), list[Place]()
        pane.notice.connect(pane.notices.append)
        pane.navigate.connect(pane.places.append)
        bridge.changed.connect(pane.refresh)
        registry.register(*pane.commands())
        registry.set_pane(name)
        qtbot.addWidget(pane)
        pane.resize(1300, 800)
        pane.show()
        pane.shown()
        return pane

    yield build
    registry.deleteLater()


@pytest.fixture(autouse=True)
def _finished(bridge: Bridge, qt_loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    gc.collect()  # loops of earlier tests have timers, which must not end on the engine's thread
    yield
    # What the host still answers must arrive before it stops.
    qt_loop.run_until_complete(until(lambda: not bridge.is_busy))
    qt_loop.run_until_complete(bridge.close())


async def until(happened: Callable[[], object]) -> None:
    while not happened():
        await asyncio.sleep(0.005)


def turns(count: int) -> list[NewMessage]:
    return [
        NewMessage("user" if n % 2 == 0 else "assistant", f"Turn {n} about {'frost' if n % 50 == 7 else 'roses'}")
        for n in range(count)
    ]


def test_a_long_conversation_is_read_found_renamed_and_forgotten(
    host: Host, bridge: Bridge, open_pane: Open, run_async: Run
) -> None:
    session = host.ask("session.append", messages=turns(1000), title="Garden", agent="claude").session_id
    pane = open_pane("sessions")
    run_async(until(lambda: pane.pager.find(999) >= 0))
    pane.open_place(Place("sessions", session, "500"))
    run_async(until(lambda: pane.transcript.current is not None and pane.transcript.current.seq == 500))
    pane.find_bar.open_bar("FROST")
    run_async(until(lambda: "of 20" in pane.find_bar._count.text()))
    pane.header.renamed.emit("Roses")
    run_async(until(lambda: pane.header.title.text() == "Roses"))
    pane.listing.list.delete_requested.emit([session])
    # The list hears of the change before the answer comes that is told.
    run_async(
        until(lambda: not pane.listing.model.ids and "Deleted ‘Roses’" in [notice.text for notice in pane.notices])
    )
    undo = pane.notices[-1].history_ids
    assert undo
    run_async(bridge.call(operations.memory.undo(history_ids=list(undo))))
    run_async(until(lambda: list(pane.listing.model.ids) == [session]))


def test_a_conversation_forgotten_while_it_is_read_closes_without_a_failure(
    host: Host, bridge: Bridge, open_pane: Open, run_async: Run
) -> None:
    session = host.ask("session.append", messages=turns(2), title="Brief").session_id
    pane = open_pane("sessions")
    run_async(until(lambda: len(pane.pager.messages) == 2))
    pane.bridge.changed.disconnect()  # so that only the reading finds out
    host.ask("session.forget", session=session)
    pane.pager.open(session, None)
    run_async(until(lambda: pane._session is None))
    assert pane.notices == []


def test_an_agent_s_turn_appears_by_itself(host: Host, bridge: Bridge, open_pane: Open, run_async: Run) -> None:
    session = host.ask("session.append", messages=turns(2), title="Live").session_id
    pane = open_pane("sessions")
    run_async(until(lambda: len(pane.pager.messages) == 2))
    host.call("session.append", {"messages": turns(1), "session": session})
    run_async(until(lambda: len(pane.pager.messages) == 3))


def test_a_note_is_written_linked_tagged_and_kept_exactly(
    host: Host, bridge: Bridge, open_pane: Open, run_async: Run, qtbot: QtBot
) -> None:
    host.ask("note.save", content="Dark and wet", title="Soil")
    pane = open_pane("notes")
    run_async(until(lambda: pane.controller.memory is not None))
    pane.registry.run("notes.new")
    qtbot.keyClicks(pane.document.title, "Roses")
    text = "See [[Soil]]  \n\n\u00a0#garden/roses\n- [ ] buy\n"
    pane.document.editor.setPlainText(text)
    run_async(until(lambda: len(pane.listing.model.ids) == 2))
    run_async(pane.settle())
    stored = host.ask("note.get", id=pane.controller.id)
    assert (stored.title, stored.content) == ("Roses", text)
    assert "garden/roses" in stored.tags
    run_async(until(lambda: "garden/roses" in pane.document.tags.tags))
    run_async(until(lambda: any(b.text() == "Soil" for b in pane.inspector.findChildren(QPushButton))))
    back = host.ask("note.links", id=host.ask("note.resolve", title="Soil")).backlinks
    assert [link.title for link in back] == ["Roses"]


def test_two_writers_of_one_note_lose_nothing(
    host: Host, bridge: Bridge, open_pane: Open, run_async: Run, qtbot: QtBot
) -> None:
    note = host.ask("note.save", content="first", title="Plan")
    pane = open_pane("notes")
    run_async(until(lambda: pane.controller.memory is not None))
    qtbot.keyClicks(pane.document.editor, "mine ")
    change = {"id": note.id, "version": note.version, "content": "agent"}
    host.call("note.update", change, Caller("claude", "full")).result()
    run_async(until(lambda: pane.document.comparison.isVisible()))  # noqa: PLW0108  (asked anew each time)
    pane.document.comparison.findChild(QPushButton, "mine").click()
    run_async(until(lambda: host.ask("note.get", id=note.id).content == "mine first"))
    versions = [entry.after["content"] for entry in host.ask("memory.history", target=note.id) if entry.after]
    assert "agent" in versions


def test_deleting_and_bringing_back(host: Host, bridge: Bridge, open_pane: Open, run_async: Run) -> None:
    ids = [host.ask("note.save", content=f"note {n}", title=f"N{n}").id for n in range(3)]
    pane = open_pane("notes")
    run_async(until(lambda: len(pane.listing.model.ids) == 3))
    pane.listing.list.delete_requested.emit(ids[:2])
    run_async(until(lambda: list(pane.listing.model.ids) == [ids[2]]))
    run_async(until(lambda: bool(pane.notices)))
    run_async(bridge.call(operations.memory.undo(history_ids=list(pane.notices[-1].history_ids))))
    run_async(until(lambda: len(pane.listing.model.ids) == 3))


def test_what_an_undo_brings_back_is_selected_in_sight_and_open(
    host: Host, bridge: Bridge, open_pane: Open, run_async: Run
) -> None:
    ids = [host.ask("note.save", content=f"note {n}", title=f"N{n:02}").id for n in range(60)]
    pane = open_pane("notes")
    rows = pane.listing.list
    run_async(until(lambda: len(pane.listing.model.ids) == 60 and pane.controller.id == ids[-1]))
    rows.delete_requested.emit([ids[0]])
    run_async(until(lambda: len(pane.listing.model.ids) == 59 and bool(pane.notices)))
    rows.choose(ids[-1])
    run_async(bridge.call(operations.memory.undo(history_ids=list(pane.notices[-1].history_ids))))
    run_async(until(lambda: rows.current_id() == ids[0] and pane.controller.id == ids[0]))
    assert rows.selected_ids() == [ids[0]]
    assert rows.viewport().rect().contains(rows.visualRect(rows.currentIndex()))


def test_a_conversation_that_an_undo_brings_back_is_selected_and_open(
    host: Host, bridge: Bridge, open_pane: Open, run_async: Run
) -> None:
    ids = [host.ask("session.append", messages=turns(1), title=f"S{n}").session_id for n in range(3)]
    pane = open_pane("sessions")
    rows = pane.listing.list
    run_async(until(lambda: len(pane.listing.model.ids) == 3 and pane._open_id() == ids[-1]))
    rows.delete_requested.emit([ids[0]])
    run_async(until(lambda: len(pane.listing.model.ids) == 2 and bool(pane.notices)))
    assert rows.current_id() != ids[0]
    run_async(bridge.call(operations.memory.undo(history_ids=list(pane.notices[-1].history_ids))))
    run_async(until(lambda: rows.current_id() == ids[0] and pane._open_id() == ids[0]))


def test_an_undone_edit_leaves_the_selection_where_it_is(
    host: Host, bridge: Bridge, open_pane: Open, run_async: Run
) -> None:
    ids = [host.ask("note.save", content=f"note {n}", title=f"N{n}").id for n in range(3)]
    done = host.ask("note.pin", id=ids[0])
    pane = open_pane("notes")
    run_async(until(lambda: len(pane.listing.model.ids) == 3))
    pane.open_place(Place("notes", ids[1]))
    run_async(until(lambda: pane.controller.id == ids[1]))
    assert done.pinned
    entry = host.ask("memory.history", target=ids[0], limit=1)[0]
    loads: list[bool] = []
    pane.listing.loaded.connect(lambda: loads.append(True))
    run_async(bridge.call(operations.memory.undo(history_ids=[entry.id])))
    run_async(until(lambda: bool(loads) and not bridge.is_busy))
    assert pane.listing.list.current_id() == ids[1]


def test_search_finds_explains_narrows_and_opens(host: Host, bridge: Bridge, open_pane: Open, run_async: Run) -> None:
    session = host.ask("session.append", messages=turns(100), title="Garden", agent="claude").session_id
    note = host.ask("note.save", content="Cover roses before the frost", title="Frost", tags=["garden"])
    pane = open_pane("search")
    pane.box.setText("frost tag:garden nonsense:x")
    pane.box.search_now()
    run_async(until(lambda: "found by" in pane._summary.text()))
    hits = [row.id for row in pane.results.source.rows]
    assert hits == [note.id]
    run_async(until(lambda: "tag: garden" in pane.explanation.accessibleDescription()))
    pane.facets.toggled.emit("tag", "garden", False)
    run_async(until(lambda: any(f"{session}#" in str(getattr(r, "id", "")) for r in pane.results.source.rows)))
    run_async(until(lambda: bool(pane.why.preview.page.toPlainText())))
    hit = next(row for row in pane.results.source.rows if getattr(row, "target", "") == "message")
    assert "frost" in hit.snippet
    pane.results.opened.emit(hit)
    assert pane.places[-1] == Place("sessions", session, str(hit.seq))


def test_a_result_that_is_deleted_goes_and_comes_back(
    host: Host, bridge: Bridge, open_pane: Open, run_async: Run
) -> None:
    notes = [host.ask("note.save", content=f"frost {n}", title=f"N{n}").id for n in range(3)]
    pane = open_pane("search")
    pane.box.setText("frost")
    pane.box.search_now()
    run_async(until(lambda: "found by" in pane._summary.text()))
    rows = [row.id for row in pane.results.source.rows]
    assert sorted(rows) == sorted(notes)
    pane.results.setCurrentIndex(pane.results.source.index(1))
    pane.menu._start_deleting(rows[1])
    run_async(until(lambda: [row.id for row in pane.results.source.rows] == [rows[0], rows[2]]))
    assert pane.results.current_hit().id == rows[2]
    run_async(until(lambda: bool(pane.notices)))
    run_async(bridge.call(operations.memory.undo(history_ids=list(pane.notices[-1].history_ids))))
    run_async(until(lambda: sorted(row.id for row in pane.results.source.rows) == sorted(notes)))
    assert pane.results.current_hit().id == rows[2]


def test_the_window_never_stalls_while_a_long_conversation_is_read(
    host: Host, bridge: Bridge, open_pane: Open, run_async: Run
) -> None:
    """A timer of the event loop fires between any two pages of a ten-thousand-turn conversation."""
    for _ in range(10):
        host.ask("session.append", messages=turns(1000), session="ses-long", title="Long")
    pane = open_pane("sessions")
    run_async(until(lambda: pane.pager.at_end and len(pane.pager.messages) > 0))
    beats: list[int] = []
    timer = QTimer(pane, interval=10)
    timer.timeout.connect(lambda: beats.append(len(pane.pager.messages)))
    timer.start()
    bar = pane.transcript.verticalScrollBar()

    async def read() -> None:
        for _ in range(60):
            bar.setValue(bar.value() - 600)
            await asyncio.sleep(0.01)

    run_async(read())
    timer.stop()
    assert len(beats) >= 30
    assert len(pane.pager.messages) > 100
