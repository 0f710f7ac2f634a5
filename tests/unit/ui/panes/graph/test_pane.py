"""The graph pane on a real vault: what it draws, its page, its actions with undo, and its keys."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QCompleter, QFileDialog, QPushButton, QScrollBar, QWidget
from pytestqt.qtbot import QtBot

from app.errors import KeepsakeError
from app.host import Host
from app.sessions.model import NewMessage
from tests.helpers.screen_reader import named, one_shown, words
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.graph.conftest import Open
from ui.actions import Actions
from ui.bridge import Bridge
from ui.panes.graph.graph_files import graphml
from ui.panes.graph.pane import GraphPane
from ui.shell.navigation import Place
from ui.theme import Scheme
from ui.typed_call import TypedCall
from ui.widgets.empty_state import EmptyState
from ui.widgets.selection_summary import SelectionSummary


def _names(pane: GraphPane) -> set[str]:
    scene = pane.canvas.scene
    return {node.name for number, node in enumerate(scene.nodes) if scene.shown_nodes[number]}


def _number(pane: GraphPane, name: str) -> int:
    return next(number for number, node in enumerate(pane.canvas.scene.nodes) if node.name == name)


def _id(host: Host, name: str) -> str:
    return next(row.id for row in host.ask("entity.list") if row.name == name)


def _is_settled(pane: GraphPane, bridge: Bridge) -> bool:
    """Return whether the layout has ended and each name's place is stored."""
    scene = pane.canvas.scene
    return bool(np.isfinite(scene.stored).all()) and not pane.loader.runner.is_running and not bridge.is_busy


def _page(pane: GraphPane) -> str:
    return "" if pane.page.entity is None else pane.page.entity.name


def pick_file(pane: GraphPane, path: str) -> None:
    """Save the graph in the file that the person names in the dialog."""
    pane.save_as("png")
    box = next(one for one in pane.findChildren(QFileDialog) if one.isVisible())
    box.fileSelected.emit(path)
    box.close()


def test_an_empty_vault_teaches_to_write_a_note(open_graph: Open) -> None:
    pane: Any = open_graph()
    assert "No people or things are known yet" in words(pane)
    button = named(pane, QPushButton, "Write a note")
    assert pane.regions() == [button]
    button.click()
    assert pane.emitted.places == [Place("notes")]


def test_it_begins_around_the_most_mentioned_person_with_a_page(known: Host, open_graph: Open, rest: Rest) -> None:
    pane = open_graph()
    rest(lambda: _page(pane) != "")
    assert _page(pane) in {"Ana Lopez", "Ben Kowalski", "Carla Weber"}
    assert pane.canvas.scene.nodes[pane.canvas.scene.centre].name == _page(pane)
    assert _page(pane) in pane.toolbar.around.text()
    assert "names shown" in words(pane)


def test_all_names_are_drawn_and_keep_their_places(known: Host, open_graph: Open, rest: Rest, bridge: Bridge) -> None:
    pane = open_graph()
    pane.toolbar.everyone.click()
    rest(lambda: "Elena Greco" in _names(pane) and _is_settled(pane, bridge))
    places = dict(zip(pane.canvas.scene.places, pane.canvas.scene.positions.tolist(), strict=True))
    assert len({tuple(place) for place in places.values()}) == len(places)
    stored = {node.id: [node.x, node.y] for node in known.ask("entity.graph", limit=300).nodes}
    assert {place: stored[place] for place in places} == places
    other = open_graph(pane.save_state())
    rest(lambda: "Elena Greco" in _names(other))
    again = dict(zip(other.canvas.scene.places, other.canvas.scene.positions.tolist(), strict=True))
    assert again == places


def test_depth_and_types_choose_what_is_drawn(known: Host, open_graph: Open, rest: Rest) -> None:
    pane = open_graph()
    pane.draw_around(_id(known, "Ana Lopez"))
    rest(lambda: _page(pane) == "Ana Lopez" and "Berlin" in _names(pane))
    assert "David Rossi" not in _names(pane)
    pane.toolbar.depth_box.setCurrentIndex(1)
    rest(lambda: "David Rossi" in _names(pane))
    pane.legend.toggled.emit("location")
    rest(lambda: "Berlin" not in _names(pane) and "David Rossi" in _names(pane))
    assert not next(entry for entry in pane.legend.entries if entry.key == "location").is_shown
    pane.legend.toggled.emit("location")
    rest(lambda: "Berlin" in _names(pane))


def test_a_click_shows_the_page_and_a_double_click_draws_around(known: Host, open_graph: Open, rest: Rest) -> None:
    pane: Any = open_graph()
    pane.draw_all()
    rest(lambda: "Elena Greco" in _names(pane))
    number = _number(pane, "Elena Greco")
    x, y = pane.canvas.viewport.to_screen(pane.canvas.scene.positions[number])
    spot = QPoint(round(x), round(y))
    QTest.mouseClick(pane.canvas, Qt.MouseButton.LeftButton, pos=spot)
    rest(lambda: _page(pane) == "Elena Greco")
    QTest.mouseDClick(pane.canvas, Qt.MouseButton.LeftButton, pos=spot)
    assert pane.emitted.places[-1].id == _id(known, "Elena Greco")
    pane.open_place(pane.emitted.places[-1])
    rest(lambda: "Ana Lopez" not in _names(pane) and pane.canvas.scene.centre >= 0)
    assert pane.current_place() == Place("graph", _id(known, "Elena Greco"))


def test_a_dragged_name_is_pinned_where_it_was_dropped(
    known: Host, open_graph: Open, rest: Rest, bridge: Bridge
) -> None:
    pane = open_graph()
    pane.draw_all()
    rest(lambda: "Elena Greco" in _names(pane) and _is_settled(pane, bridge))
    number = _number(pane, "Elena Greco")
    x, y = pane.canvas.viewport.to_screen(pane.canvas.scene.positions[number])
    start = QPointF(float(x), float(y)).toPoint()
    QTest.mousePress(pane.canvas, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(pane.canvas, start + QPoint(40, 30))
    QTest.mouseMove(pane.canvas, start + QPoint(80, 60))
    QTest.mouseRelease(pane.canvas, Qt.MouseButton.LeftButton, pos=start + QPoint(80, 60))

    def node() -> Any:
        return next(node for node in known.ask("entity.graph", limit=300).nodes if node.name == "Elena Greco")

    rest(lambda: node().pinned)
    assert [node().x, node().y] == pane.canvas.scene.positions[number].tolist()
    pane.loader.arrange()
    rest(lambda: _is_settled(pane, bridge))
    assert [node().x, node().y] == pane.canvas.scene.positions[number].tolist()
    pane.canvas.set_current(number)
    rest(lambda: _page(pane) == "Elena Greco")
    assert pane.registry.run("graph.pin")
    rest(lambda: not node().pinned)


def test_a_name_dropped_while_the_layout_runs_stays_there(
    known: Host, open_graph: Open, rest: Rest, bridge: Bridge
) -> None:
    pane = open_graph()
    pane.draw_all()
    rest(lambda: "Elena Greco" in _names(pane) and _is_settled(pane, bridge))
    scene, number = pane.canvas.scene, _number(pane, "Elena Greco")
    scene.positions[number] = (300.0, 200.0)
    pane.canvas.dropped.emit([number])
    # What a layout that began before tells afterwards.
    pane.loader.runner.moved.emit(scene, np.zeros_like(scene.positions))
    pane.loader.runner.settled.emit(scene, np.zeros_like(scene.positions))
    rest(lambda: not bridge.is_busy)
    node = next(node for node in known.ask("entity.graph", limit=300).nodes if node.name == "Elena Greco")
    assert (node.pinned, node.x, node.y) == (True, 300.0, 200.0)
    assert pane.canvas.scene.positions[number].tolist() == [300.0, 200.0]


def test_the_lasso_selects_and_merges_with_undo(known: Host, open_graph: Open, rest: Rest) -> None:
    pane: Any = open_graph()
    pane.draw_all()
    rest(lambda: "Elena Greco" in _names(pane))
    pane.toolbar.lasso.setChecked(True)
    scene, canvas = pane.canvas.scene, pane.canvas
    chosen = [_number(pane, "Elena Greco"), _number(pane, "David Rossi")]
    canvas.select(set(chosen))
    assert one_shown(pane, SelectionSummary).heading
    names = {scene.nodes[one].name for one in chosen}
    one_shown(pane, SelectionSummary).button("merge").click()
    rest(lambda: len(names & _names(pane)) == 1)
    notice = pane.emitted.notices[-1]
    assert notice.history_ids
    known.ask("memory.undo", history_ids=list(notice.history_ids))
    rest(lambda: names <= _names(pane))


def test_an_outline_takes_the_names_within(known: Host, open_graph: Open, rest: Rest) -> None:
    pane = open_graph()
    pane.draw_all()
    rest(lambda: "Elena Greco" in _names(pane))
    pane.toolbar.lasso.setChecked(True)
    corners = [
        QPoint(2, 2),
        QPoint(pane.canvas.width() - 2, 2),
        QPoint(pane.canvas.width() - 2, pane.canvas.height() - 2),
    ]
    corners.append(QPoint(2, pane.canvas.height() - 2))
    QTest.mousePress(pane.canvas, Qt.MouseButton.LeftButton, pos=corners[0])
    for corner in corners[1:]:
        QTest.mouseMove(pane.canvas, corner)
    QTest.mouseRelease(pane.canvas, Qt.MouseButton.LeftButton, pos=corners[-1])
    assert pane.canvas.highlight.selected == set(range(len(pane.canvas.scene)))


def test_rename_relate_and_split_can_be_undone(known: Host, open_graph: Open, rest: Rest) -> None:
    pane: Any = open_graph()
    pane.draw_around(_id(known, "Elena Greco"))
    rest(lambda: _page(pane) == "Elena Greco")
    pane.page.ask_for_name()
    pane.page.form.name.setText("Elena Fontana")
    pane.page.form.done.click()
    rest(lambda: _page(pane) == "Elena Fontana" and pane.page.form is None)
    assert pane.emitted.notices[-1].history_ids
    pane.page.ask_for_relation()
    pane.page.form.predicate.setText("works with")
    pane.page.form.field.pick(next(row for row in known.ask("entity.list") if row.name == "Ana Lopez"))
    pane.page.form.submit()
    rest(lambda: "Ana Lopez" in _names(pane))
    assert any(pane.canvas.scene.stated)
    pane.page.ask_for_names()
    pane.page.form.boxes[0].setChecked(True)
    pane.page.form.submit()
    rest(lambda: {row.name for row in known.ask("entity.list")} >= {"Elena Greco"})
    for notice in reversed(pane.emitted.notices):
        known.ask("memory.undo", history_ids=list(notice.history_ids))
    rest(lambda: _page(pane) == "Elena Greco")
    assert known.ask("entity.info", id=_id(known, "Elena Greco")).relations == ()


def test_what_goes_wrong_is_told(known: Host, open_graph: Open, rest: Rest) -> None:
    pane: Any = open_graph()
    pane.draw_around(_id(known, "Elena Greco"))
    rest(lambda: _page(pane) == "Elena Greco")
    pane.page.ask_for_name()
    pane.page.form.name.setText("Ana Lopez")
    pane.page.form.submit()
    rest(lambda: bool(pane.emitted.notices))
    assert pane.emitted.notices[-1].kind == "error"
    assert "Merge the two instead" in pane.emitted.notices[-1].text
    assert pane.page.form is not None, "what was typed stays"


class BrokenBridge(Bridge):
    """A bridge whose graph can fail, as one does that takes too long."""

    fault: KeepsakeError | None = None

    async def reply(self, call: TypedCall[Any]) -> Any:
        if self.fault is not None and call.operation == "entity.graph":
            raise self.fault
        return await super().reply(call)


def test_a_graph_that_failed_says_so_and_offers_to_try_again(
    known: Host, qtbot: QtBot, look: object, rest: Rest
) -> None:
    bridge = BrokenBridge(known)
    bridge.fault = KeepsakeError("That took too long and was stopped.")
    pane: Any = GraphPane(bridge, Actions())
    qtbot.addWidget(pane)
    notices: list[Any] = []
    pane.notice.connect(notices.append)
    pane.show()
    pane.shown()
    rest(lambda: pane.findChild(EmptyState).is_failed and not bridge.is_busy)
    said = words(pane)
    assert "That took too long and was stopped." in said
    assert "known yet" not in said
    bridge.fault = None
    pane.findChild(EmptyState).button.click()
    rest(lambda: "Ana Lopez" in _names(pane) and not bridge.is_busy)
    assert pane.canvas.isVisible()
    bridge.fault = KeepsakeError("That took too long and was stopped.")
    pane.load()
    rest(lambda: bool(notices))
    assert pane.canvas.isVisible(), "what was drawn stays"
    pane.loader.stop()
    pane.canvas.finish()
    rest(lambda: not bridge.is_busy)


def test_what_is_not_read_yet_is_told(host: Host, open_graph: Open, rest: Rest) -> None:
    pane: Any = open_graph()
    rest(pane.findChild(EmptyState).isVisible)
    pane.loader.unread_counted.emit(1_200)
    assert "1,200 texts are still to be read for names." in words(pane)


def test_the_first_graph_is_drawn_around_the_person_with_the_most_company(
    known: Host, open_graph: Open, rest: Rest
) -> None:
    texts = [NewMessage("user", "Elena Greco was here.") for _ in range(9)]
    known.ask("session.append", messages=texts, session="ses-alone", title="Alone")
    rest(lambda: known.ask("entity.list", limit=1)[0].name == "Elena Greco")
    rest(lambda: not known.ask("vault.status").pending_names)
    pane = open_graph()
    rest(lambda: pane.loader.centre_name in {"Ana Lopez", "Ben Kowalski", "Carla Weber"})


def test_the_field_finds_names_here_and_elsewhere(known: Host, open_graph: Open, rest: Rest) -> None:
    pane = open_graph()
    pane.draw_around(_id(known, "Elena Greco"))
    rest(lambda: _page(pane) == "Elena Greco")
    field = pane.toolbar.field
    field.setFocus()
    QTest.keyClicks(field, "elena")
    rest(lambda: pane.canvas.highlight.matching is not None and bool(pane.canvas.highlight.matching.any()))
    rest(lambda: field.findChild(QCompleter).popup().isVisible())
    field.clear()
    QTest.keyClicks(field, "lopez")  # while the popup still offers what fits the text before
    QTest.keyClick(field, Qt.Key.Key_Return)
    rest(lambda: _page(pane) == "Ana Lopez")
    assert "Berlin" in _names(pane)


def test_only_names_that_match_are_drawn_on_request(known: Host, open_graph: Open, rest: Rest) -> None:
    pane = open_graph()
    pane.draw_all()
    rest(lambda: "Elena Greco" in _names(pane))
    pane.toolbar.only.setChecked(True)
    pane.toolbar.field.setText("greco")
    pane.toolbar.field.typed.emit("greco")
    rest(lambda: _names(pane) == {"Elena Greco"})
    pane.toolbar.only.setChecked(False)
    rest(lambda: "Ana Lopez" in _names(pane))


def test_the_keyboard_walks_along_links_and_opens_the_page(
    known: Host, open_graph: Open, rest: Rest, qtbot: QtBot
) -> None:
    pane = open_graph()
    pane.draw_around(_id(known, "Ben Kowalski"))
    rest(lambda: _page(pane) == "Ben Kowalski")
    pane.activateWindow()
    canvas = pane.canvas
    canvas.setFocus()
    neighbours = {
        canvas.scene.nodes[int(neighbour)].name for neighbour in canvas.scene.neighbours(canvas.highlight.current)
    }
    seen = set()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down):
        canvas.set_current(canvas.scene.centre)
        qtbot.keyClick(canvas, key)
        seen.add(canvas.scene.nodes[canvas.highlight.current].name)
    assert len(seen & neighbours) >= 2
    zoom = canvas.viewport.zoom
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.viewport.zoom > zoom
    qtbot.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.viewport.zoom == pytest.approx(zoom)
    qtbot.keyClick(canvas, Qt.Key.Key_Return)
    rest(pane.page.actions_of[0].hasFocus)
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Slash)
    assert pane.toolbar.field.hasFocus()
    qtbot.keyClick(pane.toolbar.field, Qt.Key.Key_Escape)
    assert canvas.hasFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Escape)
    assert canvas.highlight.current == -1


def test_the_list_and_the_picture_follow_each_other(known: Host, open_graph: Open, rest: Rest) -> None:
    pane = open_graph()
    pane.draw_all()
    rest(lambda: "Elena Greco" in _names(pane))
    pane.toolbar.list.click()
    assert pane.table.isVisible()
    assert pane.table.names.rowCount() == len(_names(pane))
    pane.canvas.set_current(_number(pane, "Elena Greco"))
    assert pane.table.currentIndex().data() == "Elena Greco"
    pane.table.selectRow(0)
    rest(lambda: _page(pane) == pane.table.currentIndex().data())
    pane.table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    shown = [pane.table.names.index(row, 0).data() for row in range(pane.table.names.rowCount())]
    assert shown == sorted(shown, key=str.casefold)


def test_the_slider_goes_back_in_time(host: Host, open_graph: Open, rest: Rest) -> None:
    from datetime import UTC, datetime

    from app.sessions.model import NewMessage

    old, new = datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2026, 6, 1, 12, tzinfo=UTC)
    turns = [
        NewMessage("user", "Ana Lopez met Ben Kowalski.", created_at=old),
        NewMessage("user", "Ana Lopez met Carla Weber.", created_at=new),
    ]
    host.ask("session.append", messages=turns, session="ses-talk")
    rest(lambda: len(host.ask("entity.list")) == 3)
    pane = open_graph()
    pane.draw_around(_id(host, "Ana Lopez"))
    rest(lambda: {"Ben Kowalski", "Carla Weber"} <= _names(pane))
    pane.slider.slider.setValue(10)
    assert _names(pane) == {"Ana Lopez", "Ben Kowalski"}
    rest(lambda: pane.loader.until is not None and pane.canvas.scene.nodes[0].weight == 1.0)
    assert _names(pane) == {"Ana Lopez", "Ben Kowalski"}
    pane.slider.slider.setValue(pane.slider.slider.maximum())
    rest(lambda: "Carla Weber" in _names(pane))


def test_new_names_appear_where_one_looks(known: Host, open_graph: Open, rest: Rest, bridge: Bridge) -> None:
    pane = open_graph()
    pane.draw_all()
    rest(lambda: "Elena Greco" in _names(pane) and _is_settled(pane, bridge))
    before = dict(zip(pane.canvas.scene.places, pane.canvas.scene.positions.tolist(), strict=True))
    known.ask("note.save", title="Visit", content="Elena Greco met Frank Huber.")
    rest(lambda: "Frank Huber" in _names(pane))
    after = dict(zip(pane.canvas.scene.places, pane.canvas.scene.positions.tolist(), strict=True))
    assert {one: after[one] for one in before} == before


@pytest.mark.parametrize("form", ["png", "svg", "graphml"])
def test_the_graph_is_saved(form: str, known: Host, open_graph: Open, rest: Rest, tmp_path: Path) -> None:
    pane: Any = open_graph()
    rest(lambda: _page(pane) != "")
    path = tmp_path / f"graph.{form}"
    pick_file(pane, str(path))
    rest(lambda: bool(pane.emitted.notices))
    assert pane.emitted.notices[-1].text == f"Saved graph.{form}"
    assert path.stat().st_size > 1000


def test_a_file_that_cannot_be_written_is_told(known: Host, open_graph: Open, rest: Rest, tmp_path: Path) -> None:
    pane: Any = open_graph()
    for name in ("none/graph.png", "none/graph.graphml", "none/graph.svg", "graph.doc"):
        pane.emitted.notices.clear()
        pick_file(pane, str(tmp_path / name))
        rest(lambda: bool(pane.emitted.notices))
        assert pane.emitted.notices[-1].kind == "error"


def test_everything_that_takes_the_keyboard_has_a_name(known: Host, open_graph: Open, rest: Rest) -> None:
    pane = open_graph()
    pane.toolbar.list.click()
    rest(lambda: _page(pane) != "")
    pane.page.ask_for_relation()
    lost = []
    for widget in pane.findChildren(QWidget):
        parent = widget.parentWidget()
        is_viewport = isinstance(parent, QAbstractScrollArea) and widget is parent.viewport()
        if widget.focusPolicy() == Qt.FocusPolicy.NoFocus or not widget.isVisibleTo(pane) or is_viewport:
            continue
        interface = QAccessible.queryAccessibleInterface(widget)
        if not isinstance(widget, QScrollBar) and interface and not interface.text(QAccessible.Text.Name):
            lost.append(f"{type(widget).__name__} in {type(parent).__name__}")
    assert lost == []
    assert "names" in pane.canvas.accessibleDescription()


def test_it_paints_in_every_look(known: Host, open_graph: Open, rest: Rest, look: Any) -> None:
    pane = open_graph()
    rest(lambda: _page(pane) != "")
    pane.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    for scheme in Scheme:
        look.set_scheme(scheme)
        look.set_contrast(scheme is Scheme.DARK)
        pane.canvas.set_by_group(scheme is Scheme.DARK)
        pane.canvas._hover(0, QPoint())
        assert not pane.grab().isNull()
    look.set_contrast(False)
    look.set_scale(1.5)
    pane.resize(760, 480)
    assert not pane.grab().isNull()


def test_states_of_other_versions_are_ignored(known: Host, open_graph: Open) -> None:
    for state in (b"nonsense", b"[]", b'{"split": "zz", "centre": 3, "depth": "?", "size": 7, "hidden": 5}'):
        pane = open_graph(state)
        assert pane.save_state()


def test_buttons_of_the_page_lead_on(known: Host, open_graph: Open, rest: Rest) -> None:
    pane: Any = open_graph()
    pane.draw_around(_id(known, "Elena Greco"))
    rest(lambda: _page(pane) == "Elena Greco")
    search = next(one for one in pane.page.findChildren(QPushButton) if one.text() == "Search")
    search.click()
    assert pane.emitted.places[-1] == Place("search", extra='entity:"Elena Greco"')
    pane.page._on_conversation_triggered("ses-talk")
    assert pane.emitted.places[-1] == Place("sessions", "ses-talk")
    ids = [action.id for action in pane.commands()]
    assert len(ids) == len(set(ids))
    assert all(identity.startswith("graph.") for identity in ids)


def test_names_whose_notes_link_are_joined_by_a_line_of_its_own(known: Host, open_graph: Open, rest: Rest) -> None:
    known.ask("note.save", title="Ana Lopez", content="Plays with [[Elena Greco]].")
    known.ask("note.save", title="Elena Greco", content="Plays the cello.")
    known.ask("vault.settle", names=True)
    pane = open_graph()
    pane.draw_around(_id(known, "Ana Lopez"))
    rest(lambda: "Elena Greco" in _names(pane) and pane.loader.centre_name == "Ana Lopez")
    scene = pane.canvas.scene
    ends = {
        scene.nodes[end].name
        for one in np.flatnonzero(scene.linked)
        for end in (int(scene.links.sources[one]), int(scene.links.targets[one]))
    }
    assert ends == {"Ana Lopez", "Elena Greco"}
    assert scene.drawn[scene.linked].all()
    assert '<data key="kind">link</data>' in graphml(scene)
    assert pane.legend.entries[-1].words == "Note links 1"
    pane.legend.toggled.emit("link")
    rest(lambda: not pane.canvas.scene.linked.any())
    assert not pane.legend.entries[-1].is_shown
    assert open_graph(pane.save_state()).loader.hidden == ("date", "link")


def test_addresses_are_no_names_to_draw(known: Host, open_graph: Open, rest: Rest) -> None:
    known.ask("entity.rename", id=_id(known, "Vienna"), name="vienna.example", type="url")
    pane = open_graph(b'{"everyone": true, "hidden": ["date", "email", "url"]}')
    rest(lambda: "Ana Lopez" in _names(pane))
    assert "vienna.example" not in _names(pane)
    assert {entry.key for entry in pane.legend.entries} == {"person", "location", "date"}
