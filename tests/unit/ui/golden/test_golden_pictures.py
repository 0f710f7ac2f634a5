"""Parts of the window, and a pane, look as their pictures show.

``UPDATE_PICTURES=1 python -m pytest tests/unit/ui/golden`` draws the pictures anew; look at them afterwards.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtGui import QFont, QFontDatabase, QImage
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from tests.unit.ui.conftest import Rest
from tests.unit.ui.golden.picture_comparison import difference
from ui import theme
from ui.actions import Actions
from ui.models.cards import Badge, Card
from ui.models.id_list_model import IdListModel
from ui.panes.agents.pane import AgentsPane
from ui.theme import Scheme
from ui.widgets.button import icon_button, text_button
from ui.widgets.empty_state import EmptyState
from ui.widgets.lists.list_view import CardList
from ui.widgets.notices.banner import Banner

if TYPE_CHECKING:
    from app.host import Host
    from ui.bridge import Bridge

PICTURES = Path(__file__).parent / "pictures"
UPDATE = "UPDATE_PICTURES"
FAMILY, POINTS = "DejaVu Sans", 10.0
LOOKS = {"light": (Scheme.LIGHT, False), "dark": (Scheme.DARK, False), "contrast": (Scheme.LIGHT, True)}


@dataclass
class _Row:
    id: str


@pytest.fixture
def plain_look(look: theme.Theme, qapp: QApplication) -> Iterator[theme.Theme]:
    """The theme with a font that most machines have, in a size of its own."""
    if FAMILY not in QFontDatabase.families():
        pytest.skip(f"this machine has no {FAMILY}, in which the pictures are drawn")
    if qapp.devicePixelRatio() != 1 or qapp.primaryScreen().logicalDotsPerInch() != 96:
        pytest.skip("this screen draws letters larger than the pictures have them")
    before, points = qapp.font(), look._base_points
    font = QFont(FAMILY)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    font.setPointSizeF(POINTS)
    qapp.setFont(font)
    look._base_points = POINTS
    yield look
    look._base_points = points
    look.set_contrast(False)
    qapp.setFont(before)


def _buttons() -> QWidget:
    box = QWidget()
    box.setObjectName("sheet")
    column = QVBoxLayout(box)
    first, second = QHBoxLayout(), QHBoxLayout()
    disabled = text_button("Not now")
    disabled.setEnabled(False)
    for button in (
        text_button("Save", "primary", icon_name="check"),
        text_button("Search", icon_name="search"),
        text_button("Cancel"),
        text_button("Show all", "quiet"),
        text_button("Delete", "danger", icon_name="trash-2"),
        disabled,
        icon_button("plus", "Add"),
    ):
        first.addWidget(button)
    first.addStretch(1)
    field, choice, ticked, free = QLineEdit("Climbing roses"), QComboBox(), QCheckBox("Private"), QCheckBox("Shared")
    choice.addItems(["Every day"])
    ticked.setChecked(True)
    for widget in (field, choice, ticked, free):
        second.addWidget(widget)
    column.addLayout(first)
    column.addLayout(second)
    box.resize(720, 110)
    return box


def _empty_state() -> QWidget:
    state = EmptyState("inbox", "Nothing waits for you", "What agents want to write appears here.", "Open agents")
    state.resize(480, 320)
    return state


def _banner() -> QWidget:
    banner = Banner()
    banner.show_notice("The vault could not be opened: the disk is full.", "report")
    banner.resize(720, banner.sizeHint().height())
    return banner


def _cards() -> QWidget:
    rows = {
        "1": Card("Planting list", "What goes where in March", "28 Oct", (Badge("Atlas", "accent"),), "message-square"),
        "2": Card("Board meeting", "Moved to the nineteenth", "19 Oct", (Badge("Paused", "warn", "pause"),), "inbox"),
        "3": Card("Old survey", "Archived", "1 Sep", (Badge("Fact"),), "lightbulb", faded=True),
    }

    async def fetch(ids: list[str]) -> list[_Row]:
        return [_Row(identity) for identity in ids]

    def start(work: Any) -> object:
        return asyncio.get_event_loop().create_task(work)

    view = CardList("Things")
    model = IdListModel(fetch, start, lambda row: rows[row.id], view)
    view.set_source(model)
    model.set_ids(rows)
    model.put([_Row(row) for row in rows])
    view.choose("2")
    view.resize(360, 200)
    return view


PARTS: dict[str, Callable[[], QWidget]] = {
    "buttons": _buttons,
    "empty-state": _empty_state,
    "banner": _banner,
    "cards": _cards,
}


@pytest.mark.parametrize("look_name", LOOKS)
@pytest.mark.parametrize("name", PARTS)
def test_a_part_looks_as_its_picture(
    name: str, look_name: str, plain_look: theme.Theme, qtbot: Any, qt_loop: asyncio.AbstractEventLoop
) -> None:
    _set(plain_look, look_name)
    holder = QWidget()
    holder.setObjectName("sheet")
    qtbot.addWidget(holder)
    column = QVBoxLayout(holder)
    part = PARTS[name]()
    column.addWidget(part)
    holder.resize(part.size())
    holder.show()
    holder.setFocus()
    qt_loop.run_until_complete(asyncio.sleep(0))
    _compare(holder, f"{name}-{look_name}")


@pytest.mark.parametrize("look_name", LOOKS)
def test_a_pane_looks_as_its_picture(
    look_name: str, host: "Host", bridge: "Bridge", plain_look: theme.Theme, qtbot: Any, rest: Rest
) -> None:
    _set(plain_look, look_name)
    for name, trust in (("claude-code", "full"), ("cursor", "inner"), ("scout", "familiar")):
        host.ask("agent.add", name=name, trust=trust, review=name == "claude-code")
    host.ask("agent.trust", name="cursor", paused=True)
    registry = Actions()
    pane = AgentsPane(bridge, registry)
    qtbot.addWidget(pane)
    pane.resize(900, 640)
    pane.show()
    pane.shown()
    rest(lambda: len(pane.listing.model.ids) == 3 and not bridge.is_busy)
    pane.open_place(pane.current_place())
    rest(lambda: pane.page.isVisible() and not bridge.is_busy)
    pane.setFocus()
    _compare(pane, f"agents-pane-{look_name}")
    registry.deleteLater()


def _set(look: theme.Theme, name: str) -> None:
    scheme, contrast = LOOKS[name]
    look.set_contrast(contrast)
    look.set_scheme(scheme)


def _compare(widget: QWidget, name: str) -> None:
    path = PICTURES / f"{name}.png"
    drawn = widget.grab().toImage()
    if os.environ.get(UPDATE):
        drawn.convertToFormat(QImage.Format.Format_RGB888).save(str(path))
        return
    assert path.exists(), f"there is no picture {path.name}; {UPDATE}=1 draws it"
    found = difference(QImage(str(path)), drawn)
    assert found.is_small, f"{path.name} differs: {found}; {UPDATE}=1 draws it anew where that is meant"
