"""Names in the transcript: links to pages by mouse, keyboard and menu, and nothing moves."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.sessions.conftest import OpenPane
from ui.bridge import Bridge
from ui.panes.pane import Place


def _named(opened: OpenPane) -> bool:
    transcript = opened.pane.transcript
    return any(transcript.links(block.message) for block in transcript._blocks)


def _entity(host: Host) -> str:
    (entity,) = [row.id for row in host.ask("entity.list") if row.name == "Anna Keller"]
    return str(entity)


def test_names_are_links_by_keyboard_and_menu(
    opened: OpenPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    transcript = opened.pane.transcript
    heights = [block.height for block in transcript._blocks]
    rest(lambda: _named(opened) and not bridge.is_busy)
    assert [block.height for block in transcript._blocks] == heights, "nothing moves"
    transcript.setFocus()
    transcript.show_seq(58)
    current = transcript.current
    assert current is not None
    words = [link.words for link in transcript.links(current)]
    assert words[0] == "Anna Keller"
    qtbot.keyClick(transcript, Qt.Key.Key_Right)
    qtbot.keyClick(transcript, Qt.Key.Key_Return)
    assert opened.places[-1] == Place("graph", _entity(host))
    opened.places.clear()
    transcript.menu_requested.emit(current, QPoint(5, 5))
    menu = next(one for one in opened.pane.findChildren(QMenu) if one.isVisible())
    action = next(action for action in menu.actions() if action.text() == "Open the page of ‘Anna Keller’")
    action.trigger()
    menu.close()
    assert opened.places[-1] == Place("graph", _entity(host))


def test_a_click_on_a_name_opens_its_page(
    opened: OpenPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    transcript = opened.pane.transcript
    rest(lambda: _named(opened) and not bridge.is_busy)
    view = transcript.viewport()
    entity, spot = _entity(host), None
    for y in range(0, view.height(), 4):
        for x in range(0, view.width(), 8):
            if transcript._link_at(QPoint(x, y)).endswith(entity):
                spot = spot or QPoint(x, y)
    assert spot is not None
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=spot)
    assert opened.places[-1] == Place("graph", entity)


def test_names_recognised_later_are_linked(
    opened: OpenPane, host: Host, bridge: Bridge, rest: Rest, qtbot: QtBot
) -> None:
    message = {"role": "user", "content": "Petra Lindqvist from Gothenburg called."}
    seq = host.ask("session.append", session="ses-1", messages=[message]).seqs[0]
    transcript = opened.pane.transcript
    rest(lambda: any(block.message.seq == seq for block in transcript._blocks))
    host.ask("vault.settle", names=True)
    names = opened.pane.transcript._names
    names._on_renew_timeout()
    rest(lambda: bool(names.names(f"ses-1#{seq}")) and not bridge.is_busy)
    block = next(block for block in transcript._blocks if block.message.seq == seq)
    assert "Petra Lindqvist" in [link.words for link in transcript.links(block.message)]
