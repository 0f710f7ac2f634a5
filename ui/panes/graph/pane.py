"""Graph pane: names and what joins them, drawn, listed and explained."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import QT_TRANSLATE_NOOP, QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QStackedWidget, QWidget

from app.entities.model import TYPES
from ui import theme
from ui.actions import Action, Slot
from ui.engine_texts import error_text
from ui.models.dates import counted, format_number
from ui.panes.graph.canvas.canvas import GraphCanvas
from ui.panes.graph.canvas.scene import GraphScene
from ui.panes.graph.entity.entity_actions import EntityActions
from ui.panes.graph.entity.entity_page import EntityPage
from ui.panes.graph.graph_loader import GraphLoader
from ui.panes.graph.graph_writer import GraphWriter
from ui.panes.graph.legend import Legend
from ui.panes.graph.name_table import NameTable
from ui.panes.graph.time_slider import TimeSlider
from ui.panes.graph.toolbar import GraphToolbar
from ui.panes.pane import Place
from ui.panes.pane_commands import pane_actions
from ui.panes.pane_state import bytes_of, pack, unpack
from ui.panes.reading_pane import ReadingPane, set_tab_chain
from ui.panes.search.query_text import term_of
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.context_menu import Entry, open_menu
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.empty_state import EmptyState
from ui.widgets.selection_summary import SHOWN, BulkAction, SelectionSummary
from ui.widgets.splitter import PaneSplitter, hairline

if TYPE_CHECKING:
    from app.changes import ChangeSet
    from app.entities.model import EntityRow
    from app.errors import KeepsakeError
    from ui.actions import Actions
    from ui.bridge import Bridge

RELOAD_MS = 1_500
"""Names that come in are drawn together, not one by one."""


class GraphPane(ReadingPane):
    """The graph of names, with a list and a page beside it."""

    name: ClassVar[str] = "graph"
    title: ClassVar[str] = str(QT_TRANSLATE_NOOP("Panes", "Graph"))
    icon: ClassVar[str] = "waypoints"
    has_inspector: ClassVar[bool] = True

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self.toolbar = GraphToolbar(bridge, self)
        self.canvas = GraphCanvas(self)
        self.table = NameTable(self)
        self.page = EntityPage(bridge, self)
        self.legend = Legend(self)
        self.slider = TimeSlider(self)
        self.loader = GraphLoader(bridge, self)
        self.writer = GraphWriter(self, self.canvas)
        self.changes = EntityActions(self, self.page)
        self._capacity = ElidedLabel(parent=self)
        self._summary = SelectionSummary(
            (
                BulkAction("merge", self.tr("Merge all"), "merge"),
                BulkAction("pin", self.tr("Pin"), "pin"),
                BulkAction("unpin", self.tr("Unpin"), "pin-off"),
            ),
            self,
        )
        self._is_dirty = True
        self._opened = ""
        self._unread = 0
        self._arrange()
        self._connect()
        set_tab_chain(*self.toolbar.tab_chain, self.table, self.canvas)

    # --- what the frame calls ---

    def shown(self) -> None:
        """Load what is new, or the graph for the first time."""
        if self._is_dirty:
            self.load()

    def open_place(self, place: Place) -> None:
        """Draw the graph around an entity and show its page."""
        if place.id:
            self.draw_around(place.id)

    def current_place(self) -> Place:
        """Return the name whose page is open."""
        entity = self.page.entity
        return Place(self.name) if entity is None else Place(self.name, entity.id, title=entity.name)

    def commands(self) -> list[Action]:
        """Return what can be done here."""
        canvas, page = self.canvas, self.page
        chosen: dict[str, Slot] = {
            "graph.around": self._draw_around_current,
            "graph.pin": self._toggle_pin,
            "graph.rename": page.ask_for_name,
            "graph.merge": page.ask_for_target,
            "graph.split": page.ask_for_names,
            "graph.relate": page.ask_for_relation,
        }
        always: dict[str, Slot] = {
            "graph.find": self._focus_field,
            "graph.fit": canvas.fit,
            "graph.closer": partial(canvas.zoom, 1),
            "graph.farther": partial(canvas.zoom, -1),
            "graph.list": self.toolbar.list.toggle,
            "graph.lasso": self.toolbar.lasso.toggle,
            "graph.all": self.draw_all,
            "graph.arrange": self.loader.arrange,
            **{f"graph.{form}": partial(self.save_as, form) for form in ("png", "svg", "graphml")},
        }
        return pane_actions(self.name, {**chosen, **always}, dict.fromkeys(chosen, self._has_current))

    def focus_first(self) -> None:
        """Put the keyboard on the graph, or on the one button while there is none."""
        empty = self._whole.currentWidget() is self._empty
        (self._empty.button if empty else self.canvas).setFocus(Qt.FocusReason.OtherFocusReason)

    def regions(self) -> list[QWidget]:
        """Return search, list, graph and page."""
        if self._whole.currentWidget() is self._empty:
            return [self._empty.button if self._empty.button.isVisible() else self]
        parts: list[QWidget] = [self.toolbar.field, self.canvas]
        if self.table.isVisible():
            parts.insert(1, self.table)
        if self._side.isVisible() and self.page.entity is not None:
            parts.append(self.page.actions_of[0])
        return parts

    def refresh(self, changes: "ChangeSet") -> None:
        """Draw names that were recognised, merged or renamed."""
        if not changes.areas & {"entities"}:
            return
        self._is_dirty = True
        if self.isVisible():
            self.work.after(RELOAD_MS, self.load) if changes.actor != "person" else self.load()

    def toggle_inspector(self) -> None:
        """Show or hide the page."""
        self._side.setVisible(not self._side.isVisible())

    async def settle(self) -> None:
        """Give up the layout and the picture that are under way."""
        self.loader.stop()
        self.canvas.finish()

    def save_state(self) -> bytes:
        """Return what is drawn, and sizes."""
        return pack(
            {
                "split": self._split.state(),
                "page": not self._side.isHidden(),
                "list": self.toolbar.list.isChecked(),
                **self.loader.state,
            }
        )

    def restore_state(self, state: bytes) -> None:
        """Apply what ``save_state`` returned."""
        values = unpack(state)
        self._split.restore(bytes_of(values, "split"))
        self._side.setVisible(values.get("page") is not False)
        self.toolbar.list.setChecked(values.get("list") is True)
        self.loader.restore(values)
        self._show_choices()

    # --- building ---

    def _arrange(self) -> None:
        theme.set_type(self._capacity, "small muted")
        middle = QWidget(self)
        column = vbox(parent=middle, margins=0, spacing=0)
        foot = hbox((self._capacity, 1), (self.slider, 2), margins=(Space.L, 2, Space.M, Space.S))
        column.addWidget(self.canvas, 1)
        column.addWidget(self.legend)
        column.addLayout(foot)
        middle.setObjectName("sheet")
        self._side = QStackedWidget(self)
        self._side.addWidget(self.page)
        self._side.addWidget(self._summary)
        self._split = PaneSplitter(parent=self)
        self._split.add(self.table, theme.current().scaled(380), least=240)
        self._split.add(middle, 800, least=320, stretch=1)
        self._split.add(self._side, 340, least=260)
        self.table.hide()
        graph = QWidget(self)
        vbox(self.toolbar, hairline(graph), (self._split, 1), parent=graph, margins=0, spacing=0)
        self._empty = EmptyState(
            "waypoints",
            self.tr("No people or things are known yet"),
            self.tr(
                "Keepsake recognises names in your conversations and notes as they come in, "
                "and draws who and what belongs together. Write about somebody, and they appear here."
            ),
            self.tr("Write a note"),
            hint=self.tr("Imported conversations are read for names, too."),
            parent=self,
        )
        self._whole = QStackedWidget(self)
        self._empty.show_loading()
        for widget in (self._empty, graph):
            self._whole.addWidget(widget)
        self._graph = graph
        vbox(self._whole, parent=self, margins=0)

    def _connect(self) -> None:
        bar, canvas = self.toolbar, self.canvas
        self._empty.triggered.connect(self._on_empty_triggered)
        self._empty.retried.connect(self.load)
        self.loader.drawn.connect(self._on_loader_drawn)
        self.loader.moved.connect(self._on_loader_moved)
        self.loader.failed.connect(self._on_loader_failed)
        self.loader.unread_counted.connect(self._on_loader_unread_counted)
        self.loader.emptied.connect(self._on_loader_emptied)
        bar.scope_changed.connect(self._on_toolbar_scope_changed)
        bar.size_changed.connect(self._on_toolbar_size_changed)
        bar.grouping_changed.connect(self._on_toolbar_grouping_changed)
        bar.filtering_changed.connect(self._on_toolbar_filtering_changed)
        bar.lasso_toggled.connect(canvas.set_lasso)
        bar.list_toggled.connect(self._on_toolbar_list_toggled)
        bar.fit_requested.connect(canvas.fit)
        bar.export_requested.connect(self.save_as)
        bar.field.picked.connect(self._on_field_picked)
        bar.field.typed.connect(self._on_field_typed)
        bar.field.left.connect(canvas.setFocus)
        canvas.current_changed.connect(self._on_canvas_current_changed)
        canvas.selection_changed.connect(self._on_canvas_selection_changed)
        canvas.opened.connect(self._on_node_opened)
        canvas.recentred.connect(self._on_canvas_recentred)
        canvas.dropped.connect(self._on_canvas_dropped)
        canvas.menu_requested.connect(self._on_canvas_menu_requested)
        canvas.search_requested.connect(self._focus_field)
        self.table.chosen.connect(self._on_table_chosen)
        self.table.opened.connect(self._on_node_opened)
        self.legend.toggled.connect(self._on_legend_toggled)
        self.legend.picked.connect(self._on_legend_picked)
        self.slider.moved.connect(self._on_slider_moved)
        self.slider.settled.connect(self._on_slider_settled)
        self.page.place_opened.connect(self.navigate)
        self.page.entity_opened.connect(self.show_entity)
        self.page.recentre_requested.connect(self.draw_around)
        self.page.failed.connect(self.show_error)
        self.changes.done.connect(self._on_changes_done)
        self._summary.picked.connect(self._on_summary_picked)
        self._summary.cleared.connect(partial(canvas.set_current, -1))

    # --- what is drawn ---

    def load(self) -> None:
        """Ask for the graph; what is shown stays until the answer is there."""
        self._is_dirty = False
        self.work.cancel(self.load)
        if self._empty.is_failed:
            self._empty.show_loading()
        self.loader.load()

    def draw_around(self, identity: str) -> None:
        """Draw the graph around an entity and show its page."""
        self._opened = identity
        self.loader.choose_centre(identity)
        self._show_choices()
        self.load()

    def draw_all(self) -> None:
        """Draw the graph of all names."""
        self.loader.choose_everyone()
        self._show_choices()
        self.load()

    def show_entity(self, identity: str) -> None:
        """Show an entity in the graph, drawn around it when it is not there."""
        number = self.canvas.scene.places.get(identity, -1)
        if number >= 0 and self.canvas.scene.shown_nodes[number]:
            self.canvas.set_current(number, reveal=True)
        else:
            self.draw_around(identity)

    def _show_choices(self) -> None:
        """Let the toolbar say what is drawn."""
        bar, loader = self.toolbar, self.loader
        bar.show_scope(everyone=loader.is_everyone)
        for box, value in (
            (bar.depth_box, loader.depth),
            (bar.size_box, loader.size),
            (bar.grouping_box, loader.by_group),
        ):
            box.blockSignals(True)
            box.setCurrentIndex(max(0, box.findData(value)))
            box.blockSignals(False)
        self.canvas.set_by_group(loader.by_group)

    def _on_loader_emptied(self) -> None:
        self._empty.show_nothing()
        self._whole.setCurrentWidget(self._empty)

    def _on_loader_failed(self, error: "KeepsakeError") -> None:
        """Say what went wrong in the place of the graph; one that is drawn stays."""
        self._is_dirty = True
        if self.loader.has_graph:
            self.show_error(error)
        else:
            self._empty.show_failed(error_text(error))
            self._whole.setCurrentWidget(self._empty)

    def _on_loader_unread_counted(self, texts: int) -> None:
        """Say that names of some texts are not known yet."""
        self._unread = texts
        if self.loader.has_graph:
            self._show_counts()
        elif texts and not self._empty.is_failed:
            self._empty.set_text(self.tr("Names are being read"), self._unread_words())

    def _unread_words(self) -> str:
        if self._unread == 1:
            return self.tr("1 text is still to be read for names.")
        return self.tr("{n} texts are still to be read for names.").format(n=format_number(self._unread))

    def _on_loader_drawn(self, scene: GraphScene, is_same: bool) -> None:
        self._whole.setCurrentWidget(self._graph)
        if self.slider.until is None:
            self.slider.set_span(*scene.span_ms())
        scene.show_until(None if self.slider.until is None else round(self.slider.until.timestamp() * 1000))
        self.canvas.set_scene(scene, keep_view=is_same)
        self._on_field_typed(self.toolbar.field.text())
        if self._opened:
            self.canvas.set_current(scene.places.get(self._opened, -1), tell=False)
            self._show_page(self._opened)
            self._opened = ""
        elif self.canvas.highlight.current < 0 and not is_same and scene.centre >= 0:
            self.canvas.set_current(scene.centre, tell=False)
            self._show_page(scene.nodes[scene.centre].id)
        elif self.page.entity is not None:
            self._show_page(self.page.entity.id)
        self.toolbar.set_centre(scene.nodes[scene.centre].name if scene.centre >= 0 else self.loader.centre_name)
        self._show_counts()

    def _on_loader_moved(self, scene: GraphScene, positions: Any) -> None:
        if scene is self.canvas.scene:
            self.canvas.set_positions(positions)

    def _show_counts(self) -> None:
        scene, current = self.canvas.scene, self.canvas.highlight.current
        if not self.table.isHidden():
            self.table.set_scene(scene, current)
        shown = int(scene.shown_nodes.sum())
        every = len(scene) + scene.left_out
        links = int(scene.link_counts().sum()) // 2
        names = counted(every, self.tr("{shown} of 1 name shown"), self.tr("{shown} of {n} names shown"))
        words = names.format(shown=format_number(shown))
        words += " · " + counted(links, self.tr("1 link"), self.tr("{n} links"))
        self._capacity.setText(f"{words} · {self._unread_words()}" if self._unread else words)
        if self.loader.by_group:
            self.legend.show_groups(scene)
        else:
            counts = np.bincount(scene.kinds[scene.shown_nodes], minlength=len(TYPES)).tolist()
            linked = int((scene.linked & scene.shown_links).sum())
            self.legend.show_types(dict(zip(TYPES, counts, strict=True)), self.loader.hidden, linked)

    def _show_page(self, identity: str) -> None:
        self._side.setCurrentWidget(self.page)
        self.page.show_entity(identity, self.slider.until)

    # --- the toolbar, the legend and the slider ---

    def _on_toolbar_scope_changed(self, everyone: bool) -> None:
        if everyone:
            self.draw_all()
        else:
            entity = self.page.entity
            self.draw_around(entity.id if entity is not None else self.loader.centre)

    def _on_toolbar_size_changed(self) -> None:
        self.loader.depth, self.loader.size = self.toolbar.depth_box.currentData(), self.toolbar.size_box.currentData()
        self.load()

    def _on_toolbar_list_toggled(self, shown: bool) -> None:
        self.table.setVisible(shown)
        self._show_counts()

    def _on_toolbar_grouping_changed(self, by_group: bool) -> None:
        self.loader.by_group = by_group
        self.canvas.set_by_group(by_group)
        self._show_counts()

    def _on_toolbar_filtering_changed(self) -> None:
        self.loader.text = self.toolbar.field.text().strip() if self.toolbar.only.isChecked() else ""
        self.load()

    def _on_field_typed(self, text: str) -> None:
        words = text.casefold().split()
        if self.toolbar.only.isChecked():
            self.canvas.set_matching(None)
            if self.loader.text != text.strip():
                self._on_toolbar_filtering_changed()
            return
        if not words or self.toolbar.field.chosen is not None:
            self.canvas.set_matching(None)
            return
        names = (node.name.casefold() for node in self.canvas.scene.nodes)
        self.canvas.set_matching(np.array([all(word in name for word in words) for name in names], dtype=np.bool_))

    def _on_field_picked(self, row: "EntityRow") -> None:
        self.canvas.set_matching(None)
        self.show_entity(row.id)
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_legend_toggled(self, kind: str) -> None:
        self.loader.toggle_type(kind)
        self.load()

    def _on_legend_picked(self, group: int) -> None:
        scene = self.canvas.scene
        self.canvas.select({int(number) for number in np.flatnonzero((scene.groups == group) & scene.shown_nodes)})
        self.canvas.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_slider_moved(self, until: Any) -> None:
        self.canvas.show_until(None if until is None else round(until.timestamp() * 1000))
        self._show_counts()

    def _on_slider_settled(self, until: Any) -> None:
        self.loader.until = until
        self.load()
        if self.page.entity is not None:
            self._show_page(self.page.entity.id)

    def _focus_field(self) -> None:
        self.toolbar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.toolbar.field.selectAll()

    # --- nodes ---

    def _id_of(self, number: int) -> str:
        return self.canvas.scene.nodes[number].id if 0 <= number < len(self.canvas.scene) else ""

    def _has_current(self) -> bool:
        return self.page.entity is not None

    def _on_canvas_current_changed(self, number: int) -> None:
        self.table.choose(number)
        self._show_page(self._id_of(number))
        self.registry.refresh()

    def _on_table_chosen(self, number: int) -> None:
        self.canvas.set_current(number, reveal=True)

    def _on_node_opened(self, number: int) -> None:
        if number < 0:
            return
        self.canvas.set_current(number, reveal=True)
        self._side.show()
        self._show_page(self._id_of(number))
        self.page.actions_of[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_canvas_recentred(self, number: int) -> None:
        self.navigate.emit(Place(self.name, self._id_of(number), title=self.canvas.scene.nodes[number].name))

    def _draw_around_current(self) -> None:
        if self.page.entity is not None:
            self.draw_around(self.page.entity.id)

    def _on_canvas_selection_changed(self, numbers: set[int]) -> None:
        if len(numbers) > 1:
            scene = self.canvas.scene
            order = sorted(numbers, key=lambda number: -scene.weights[number])
            heading = self.tr("{count} names selected").format(count=format_number(len(numbers)))
            self._summary.show_selection(heading, len(numbers), [scene.nodes[number].name for number in order[:SHOWN]])
            self._side.setCurrentWidget(self._summary)
        else:
            self._side.setCurrentWidget(self.page)

    def _on_summary_picked(self, key: str) -> None:
        scene = self.canvas.scene
        numbers = sorted(self.canvas.highlight.selected, key=lambda number: -scene.weights[number])
        if key == "merge":
            ids = [scene.nodes[number].id for number in numbers]
            self.changes.merge_many(ids, ids[0])
        else:
            self._pin(numbers, pinned=key == "pin")

    def _on_canvas_dropped(self, numbers: list[int]) -> None:
        self._pin(numbers, pinned=True)

    def _toggle_pin(self) -> None:
        number = self.canvas.highlight.current
        if number >= 0:
            self._pin([number], pinned=not self.canvas.scene.pinned[number])

    def _pin(self, numbers: list[int], *, pinned: bool) -> None:
        self.canvas.scene.pinned[numbers] = pinned
        self.loader.hold(self.canvas.scene, numbers)
        self.do(self.loader.keep(self.canvas.scene, numbers, pinned=pinned))
        self.canvas.repaint_all()

    def _on_changes_done(self, identity: str) -> None:
        if identity:
            self._opened = identity
        self.load()

    def _on_canvas_menu_requested(self, number: int, where: QPoint) -> None:
        graph: list[Entry] = [
            (self.tr("Bring everything into sight"), self.canvas.fit),
            (self.tr("Arrange again"), self.loader.arrange),
        ]
        if number < 0:
            open_menu(self, where, [graph, self._export_entries()])
            return
        node = self.canvas.scene.nodes[number]
        is_pinned = bool(self.canvas.scene.pinned[number])
        search = Place("search", extra=term_of("entity", node.name))
        pin = partial(self._pin, [number], pinned=not is_pinned)
        first: list[Entry] = [
            (self.tr("Draw around it"), partial(self._on_canvas_recentred, number)),
            (self.tr("Search for it"), partial(self.navigate.emit, search)),
            (self.tr("Unpin") if is_pinned else self.tr("Pin"), pin),
        ]
        second: list[Entry] = [
            (self.tr("Rename"), self.page.ask_for_name),
            (self.tr("Merge into another…"), self.page.ask_for_target),
            (self.tr("Split…"), self.page.ask_for_names),
            (self.tr("Relate…"), self.page.ask_for_relation),
        ]
        open_menu(self, where, [first, second, graph])

    # --- files ---

    def _export_entries(self) -> list[Entry]:
        return [
            (self.tr("Save as picture (PNG)…"), partial(self.save_as, "png")),
            (self.tr("Save as drawing (SVG)…"), partial(self.save_as, "svg")),
            (self.tr("Save as data (GraphML)…"), partial(self.save_as, "graphml")),
        ]

    def save_as(self, form: str) -> None:
        """Ask where to save the graph."""
        box = QFileDialog(self, self.tr("Save the graph"))
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        box.setDefaultSuffix(form)
        box.selectFile(f"keepsake-graph.{form}")
        box.fileSelected.connect(self._on_file_selected)
        box.open()

    def _on_file_selected(self, path: str) -> None:
        self.do(self.writer.write(Path(path)))

    def _on_empty_triggered(self) -> None:
        self.navigate.emit(Place("notes"))
        self.registry.run("notes.new")
