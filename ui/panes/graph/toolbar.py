"""Toolbar of the graph: search, scope, size, colours and buttons."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QMenu,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from ui import theme
from ui.models.dates import format_number
from ui.panes.graph.canvas.graph_painter import shortened
from ui.panes.graph.entity.entity_field import EntityField
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import ToolButton, icon_button
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.plain_text import caption, tooltip

if TYPE_CHECKING:
    from ui.bridge import Bridge

DEPTHS = (1, 2, 3)
SIZES = (100, 300, 1_000, 5_000, 20_000)
FORMATS = ("png", "svg", "graphml")


class GraphToolbar(QWidget):
    """Choices of the part of the graph and of its colours."""

    scope_changed = Signal(bool)
    """True for the graph of all names, False for the one around a name."""
    size_changed = Signal()
    grouping_changed = Signal(bool)
    """True to colour by groups."""
    filtering_changed = Signal()
    lasso_toggled = Signal(bool)
    list_toggled = Signal(bool)
    fit_requested = Signal()
    export_requested = Signal(str)

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = EntityField(bridge, self.tr("Find a name in the graph"), self.tr("Find a name…"), self)
        self.field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.only = icon_button("funnel", self.tr("Show only names that match"), checkable=True, parent=self)
        self.only.toggled.connect(self.filtering_changed)
        self._scopes = QButtonGroup(self)
        self.around, self.everyone = self._scope(self.tr("Around a name")), self._scope(self.tr("All names"))
        self.around.setChecked(True)
        self._scopes.buttonClicked.connect(self._on_scopes_clicked)
        self.depth_box = self._box(self.tr("How far from the middle"))
        for depth in DEPTHS:
            words = self.tr("1 step") if depth == 1 else self.tr("{count} steps").format(count=depth)
            self.depth_box.addItem(words, depth)
        self.size_box = self._box(self.tr("How many names at most"))
        for size in SIZES:
            self.size_box.addItem(self.tr("{count} names").format(count=format_number(size)), size)
        self.size_box.setCurrentIndex(1)
        self.grouping_box = self._box(self.tr("What colours mean"))
        self.grouping_box.addItem(self.tr("Colour by type"), False)
        self.grouping_box.addItem(self.tr("Colour by group"), True)
        self.depth_box.currentIndexChanged.connect(self.size_changed)
        self.size_box.currentIndexChanged.connect(self.size_changed)
        self.grouping_box.currentIndexChanged.connect(self._on_grouping_changed)
        self.lasso = icon_button("lasso", self.tr("Draw around names to select them"), checkable=True, parent=self)
        self.lasso.toggled.connect(self.lasso_toggled)
        self.fit = icon_button("maximize", self.tr("Bring everything into sight (0)"), parent=self)
        self.fit.clicked.connect(self.fit_requested)
        self.list = icon_button("list", self.tr("Show the names as a list, too"), checkable=True, parent=self)
        self.list.toggled.connect(self.list_toggled)
        self.export = self._export_button()
        self._lay_out()
        self.show_scope(everyone=False)

    @property
    def tab_chain(self) -> list[QWidget]:
        """The widgets that Tab goes through, in order."""
        return [
            self.field, self.only, self.around, self.everyone, self.depth_box, self.size_box, self.grouping_box,
            self.lasso, self.fit, self.list, self.export,
        ]  # fmt: skip

    def set_centre(self, name: str) -> None:
        """Say around which name the graph is drawn."""
        words = self.tr("Around {name}").format(name=shortened(name)) if name else self.tr("Around a name")
        self.around.setText(caption(words))
        self.around.setToolTip(tooltip(self.tr("Around {name}").format(name=name)) if name else "")

    def show_scope(self, *, everyone: bool) -> None:
        """Show which graph is drawn, with its size."""
        (self.everyone if everyone else self.around).setChecked(True)
        self.depth_box.setVisible(not everyone)
        self.size_box.setVisible(everyone)

    def _scope(self, words: str) -> ToolButton:
        button = ToolButton(self)
        button.setProperty("flat", True)
        button.setText(caption(words))
        button.setAccessibleName(words)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._scopes.addButton(button)
        return button

    def _box(self, name: str) -> QComboBox:
        box = QComboBox(self)
        box.setAccessibleName(name)
        box.setToolTip(tooltip(name))
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        return box

    def _export_button(self) -> QToolButton:
        button = icon_button("share-2", self.tr("Save the graph as a file"), parent=self)
        menu = QMenu(button)
        for name, words in (
            ("png", self.tr("Picture (PNG)…")),
            ("svg", self.tr("Drawing (SVG)…")),
            ("graphml", self.tr("Data (GraphML)…")),
        ):
            menu.addAction(caption(words), partial(self.export_requested.emit, name))
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

    def _lay_out(self) -> None:
        left = QWidget(self)
        hbox((self.field, 1), self.only, parent=left, margins=0, spacing=2)
        left.setMinimumWidth(theme.current().scaled(230))
        scope = QWidget(self)
        hbox(self.around, self.everyone, parent=scope, margins=0, spacing=2)
        buttons = QWidget(self)
        hbox(self.lasso, self.fit, self.list, self.export, parent=buttons, margins=0, spacing=2)
        flow = FlowLayout(spacing=Space.S)
        vbox(flow, parent=self, margins=(Space.M, Space.S, Space.M, Space.S))
        for widget in (left, scope, self.depth_box, self.size_box, self.grouping_box, buttons):
            flow.addWidget(widget)

    def _on_scopes_clicked(self) -> None:
        everyone = self.everyone.isChecked()
        self.show_scope(everyone=everyone)
        self.scope_changed.emit(everyone)

    def _on_grouping_changed(self) -> None:
        self.grouping_changed.emit(bool(self.grouping_box.currentData()))
