"""Legend of the graph: what colours and shapes mean, and which types are shown."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from app.entities.model import EntityType
from ui import theme
from ui.models.dates import format_number
from ui.panes.graph.canvas.graph_colours import GROUPS
from ui.panes.graph.canvas.node_shapes import draw_shape
from ui.panes.graph.canvas.scene import GraphScene
from ui.panes.graph.entity_types import DRAWN, LINK, SERIES, SHAPES, type_plural
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.button import ToolButton
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.plain_text import caption, tooltip

_SIDE = 16
_DOTS = "dots"


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One line of the legend.

    Args:
        key: A type, ``link`` for note links, or a group's number.
        words: What it means.
        shape: Outline of its nodes, ``dots`` for a line.
        series: Number of its colour.
        is_shown: Whether such nodes are shown.
    """

    key: str
    words: str
    shape: str
    series: int
    is_shown: bool = True


class Legend(QFrame):
    """Types or groups with their colours, and note links.

    A click on a type or on note links shows or hides them.
    """

    toggled = Signal(str)
    """Show or hide a type."""
    picked = Signal(int)
    """Select a group, by its number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("legend")
        self.setAccessibleName(self.tr("Legend"))
        self._flow = FlowLayout(spacing=2)
        vbox(self._flow, parent=self, margins=(Space.M, 0, Space.M, 0))
        self._entries: tuple[LegendEntry, ...] = ()
        self._is_by_group = False
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        theme.current().changed.connect(self._dress)

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        """The lines it shows."""
        return self._entries

    @property
    def buttons(self) -> list[ToolButton]:
        """The buttons, in order."""
        return [button for button in self.findChildren(ToolButton) if not button.isHidden()]

    def show_types(self, counts: dict[EntityType, int], hidden: Sequence[str], linked: int = 0) -> None:
        """Show the types of the graph, and whether there are note links.

        Args:
            counts: How many nodes of each are shown.
            hidden: Types that are filtered out, note links among them.
            linked: How many note links are shown.
        """
        entries = []
        for kind in DRAWN:
            count = counts.get(kind, 0)
            if count or kind in hidden:
                words = type_plural(kind) if kind in hidden else f"{type_plural(kind)} {format_number(count)}"
                entries.append(LegendEntry(kind, words, SHAPES[kind], SERIES[kind], kind not in hidden))
        if linked or LINK in hidden:
            words = self.tr("Note links")
            shown = words if LINK in hidden else f"{words} {format_number(linked)}"
            entries.append(LegendEntry(LINK, shown, _DOTS, 0, LINK not in hidden))
        self._set(entries, is_by_group=False)

    def show_groups(self, scene: GraphScene) -> None:
        """Show the largest communities, each named after the most mentioned one in it."""
        entries = []
        for group in range(GROUPS):
            members = np.flatnonzero((scene.groups == group) & scene.shown_nodes)
            if len(members) > 1:
                leader = int(members[np.argmax(scene.weights[members])])
                words = self.tr("Around {name} {count}").format(
                    name=scene.nodes[leader].name, count=format_number(len(members))
                )
                entries.append(LegendEntry(str(group), words, "circle", group))
        self._set(entries, is_by_group=True)

    def _set(self, entries: list[LegendEntry], *, is_by_group: bool) -> None:
        if tuple(entries) == self._entries and is_by_group == self._is_by_group:
            return
        had_focus = next((str(button.property("key")) for button in self.buttons if button.hasFocus()), "")
        self._entries, self._is_by_group = tuple(entries), is_by_group
        while (item := self._flow.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for entry in entries:
            button = self._button(entry)
            self._flow.addWidget(button)
            button.show()
            if entry.key == had_focus:
                button.setFocus(Qt.FocusReason.OtherFocusReason)
        self._dress()

    def _button(self, entry: LegendEntry) -> ToolButton:
        button = ToolButton(self)
        button.setProperty("flat", True)
        button.setProperty("key", entry.key)
        button.setProperty("type", "small")
        button.setProperty("off", not entry.is_shown)
        button.setText(caption(entry.words))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIconSize(QSize(_SIDE, _SIDE))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if self._is_by_group:
            button.setAccessibleName(self.tr("Select the group: {words}").format(words=entry.words))
        elif entry.is_shown:
            button.setAccessibleName(self.tr("Hide {words}").format(words=entry.words))
        else:
            button.setAccessibleName(self.tr("Show {words}").format(words=entry.words))
        button.setToolTip(tooltip(button.accessibleName()))
        button.clicked.connect(self._on_button_clicked)
        return button

    def _on_button_clicked(self) -> None:
        key = str(self.sender().property("key"))
        if self._is_by_group:
            self.picked.emit(int(key))
        else:
            self.toggled.emit(key)

    def _dress(self) -> None:
        by_key = {entry.key: entry for entry in self._entries}
        for button in self.buttons:
            entry = by_key.get(str(button.property("key")))
            if entry is not None:
                button.setIcon(_sign(entry, self.devicePixelRatioF()))
        self.updateGeometry()


def _sign(entry: LegendEntry, ratio: float) -> QIcon:
    tokens = theme.current().tokens
    image = QPixmap(round(_SIDE * ratio), round(_SIDE * ratio))
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if entry.shape == _DOTS:
        painter.setPen(QPen(QColor(tokens.accent if entry.is_shown else tokens.edge), 2, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(1, _SIDE / 2), QPointF(_SIDE - 1, _SIDE / 2))
        painter.end()
        return QIcon(image)
    colour = tokens.series[entry.series % len(tokens.series)] if entry.is_shown else tokens.edge
    shape = entry.shape if entry.is_shown else "ring"
    draw_shape(painter, shape, QPointF(_SIDE / 2, _SIDE / 2), 5.5, QColor(colour), QColor(tokens.surface))
    painter.end()
    return QIcon(image)
