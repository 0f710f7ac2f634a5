"""The Search pane: ask, narrow by facets, see why, open."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QPoint, Qt, QTimer
from PySide6.QtWidgets import QStackedWidget, QToolButton, QVBoxLayout, QWidget

from app.core.declared_operations import declared_operations
from app.errors import KeepsakeError
from app.retrieval.model import Found, Hit, Leg, MonthCount, Query
from ui import operations, theme
from ui.actions import Action, Slot
from ui.engine_texts import error_text
from ui.models.dates import format_number
from ui.panes.pane import Place
from ui.panes.pane_commands import pane_actions
from ui.panes.pane_state import bytes_of, pack, unpack
from ui.panes.reading_pane import ReadingPane, copy_text, set_tab_chain
from ui.panes.search.facet_filter import FacetFilter
from ui.panes.search.hit_menu import HitMenu, place_of_row
from ui.panes.search.operator_values import COMPLETED, operator_values
from ui.panes.search.query_chips import QueryChips
from ui.panes.search.query_text import with_month, with_operator, without_operators
from ui.panes.search.recent_searches import RecentSearches
from ui.panes.search.result_export import ResultExport
from ui.panes.search.result_files import markdown
from ui.panes.search.result_options import GroupingMenu, RankingMenu
from ui.panes.search.result_summary import ResultSummary
from ui.panes.search.results import GroupHeading, ResultList
from ui.panes.search.saved_search_list import SavedSearchList
from ui.panes.search.search_history import AREA, SearchHistory
from ui.panes.search.timeline_strip import TimelineStrip
from ui.panes.search.why.why_not_dialog import WhyNotDialog
from ui.panes.search.why.why_panel import WhyPanel
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.button import icon_button
from ui.widgets.empty_state import EmptyState
from ui.widgets.fields.search_box import Hint, SearchBox
from ui.widgets.lists.facet_tree import FacetTree
from ui.widgets.splitter import PaneSplitter, hairline

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Sequence

    from app.changes import ChangeSet
    from app.config.model import SettingValue
    from ui.actions import Actions
    from ui.bridge import Bridge

PAUSE_MS = 60
DELAY_MS = 5000
LIMIT = 50
"""Results at once until the setting is known."""
WIDE = 1180
HELP = "help.pages"
_WORDS: list[Leg] = ["words"]


class SearchPane(ReadingPane):
    """Find anything by words and by meaning."""

    name = "search"
    title = str(QT_TRANSLATE_NOOP("Panes", "Search"))
    icon = "search"
    has_inspector = True

    def __init__(self, bridge: "Bridge", actions: "Actions", parent: QWidget | None = None) -> None:
        super().__init__(bridge, actions, parent)
        self._asking: asyncio.Task[Any] | None = None
        self._page = self._limit = LIMIT
        self._found: Found | None = None
        self._helped = False
        self._inspecting: bool | None = None
        self._faceted: bool | None = None
        self._more = ""
        self._is_enter_pending = False
        self._text = ""
        self._answered = ""
        self._counted = ""
        self._stale = False
        self._removed: set[str] = set()
        self.box = SearchBox(
            self.tr("Search everything"), self.tr("Search conversations and notes…"), PAUSE_MS, parent=self
        )
        self.explanation = QueryChips(self)
        self.timeline = TimelineStrip(self)
        self.saved = SavedSearchList(self)
        self.facets = FacetTree(self.tr("Filters"), self)
        self.results = ResultList(self)
        self.why = WhyPanel(bridge, self)
        self.menu = HitMenu(self)
        self._facet_filter = FacetFilter(self.facets, self)
        self._summary = ResultSummary(self)
        self._export = ResultExport(bridge, self)
        self._delay = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._make_buttons()
        self._arrange()
        self._connect()
        self._order_tabs()
        self._show_recents()

    # --- what the frame calls ---

    def shown(self) -> None:
        """Learn the operators once, and take the keyboard."""
        if not self._helped:
            self._helped = True
            self.work.refresh(self._learn())
            self.work.refresh(self._learn_page())
            self.history.load()
        if self._found is None and self._asking is None and self.box.text().strip():
            self._search(self.box.text())  # what was searched last time

    def open_place(self, place: Place) -> None:
        """Search for what the place names."""
        if place.extra != self.box.text():
            self.box.set_text_quietly(place.extra)
            self._search(place.extra)

    def current_place(self) -> Place:
        """Return the search as a place."""
        return Place(self.name, extra=self.box.text(), title=self.box.text())

    def commands(self) -> list[Action]:
        """Return what can be done here."""
        with_results: dict[str, Slot] = {
            "search.copy": self._copy,
            "search.export": self._start_export,
            "search.save": self.history.toggle_saved,
            "search.next": self.why.go_to_next_mark,
            "search.previous": self.why.go_to_previous_mark,
        }
        always: dict[str, Slot] = {
            "search.box": self.focus_first,
            "search.why_not": self._ask_why_not,
            "search.group": self._group.go_on,
            "search.facets": self._sides.click,
        }
        return pane_actions(self.name, {**with_results, **always}, dict.fromkeys(with_results, self._has_results))

    def focus_first(self) -> None:
        """Put the keyboard on the search box."""
        self.box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.box.selectAll()

    def regions(self) -> list[QWidget]:
        """Return the parts that are shown, from the box to the text."""
        parts: list[QWidget] = [
            self.box, self.timeline, self.saved.list, self.facets, self.results, self.why.preview.page
        ]  # fmt: skip
        return [part for part in parts if part.isVisible()]

    def refresh(self, changes: "ChangeSet") -> None:
        """Drop deleted results; other changes wait for the next search.

        When a deletion is undone, its results come back.
        """
        if "settings" in changes.areas and self._helped:
            self.work.refresh(self._learn_page())
        if AREA in changes.areas and self._helped:
            self.history.load()
        if self._found is None:
            return
        changed = set(changes.ids)
        if changes.operation in declared_operations().removes:
            if any(hit.id in changed or hit.session_id in changed for hit in self._found.hits):
                self._removed |= changed
                self.results.pass_over(changed)
                self._search(self.box.text())
        elif self._removed & changed:
            self._removed -= changed
            self._search(self.box.text())

    def toggle_inspector(self) -> None:
        """Show or hide the reasons and the text."""
        self._inspecting = self.why.isHidden()
        self._fit()

    def forget_words(self) -> None:
        """Drop the recent searches; the search in the box is in front of the person."""
        self.history.recent = []
        self._show_recents()

    def save_state(self) -> bytes:
        """Return the search, widths, recent searches, and how results are shown."""
        return pack({
            "split": self._split.state(),
            **self.history.state,
            "query": self.box.text(),
            "grouping": self._group.grouping,
            "recipe": self._ranking.current,
            "inspector": self._inspecting,
            "facets": self._faceted,
            "reasons": self.why.reasons_open,
        })  # fmt: skip

    def restore_state(self, state: bytes) -> None:
        """Apply what ``save_state`` returned."""
        values = unpack(state)
        self._split.restore(bytes_of(values, "split"))
        self.history.restore(values)
        self.box.set_text_quietly(str(values.get("query") or ""))
        self._group.restore(values.get("grouping"))
        self._ranking.restore(values.get("recipe"))
        self._inspecting = values.get("inspector")
        self._faceted = values.get("facets")
        self.why.set_reasons_open(values.get("reasons") is True)
        self._show_recents()
        self._fit()

    def resizeEvent(self, event: object) -> None:
        """Let the sides step aside where there is no room."""
        self._fit()

    # --- building ---

    def _make_buttons(self) -> None:
        self._ranking = RankingMenu(self)
        self._group = GroupingMenu(self)
        self._sides = icon_button("funnel", self.tr("Show or hide the filters"), checkable=True, parent=self)
        self.history = SearchHistory(self.bridge, self.box, self)
        self._save = self.history.button
        self._copier = icon_button("copy", self.tr("Copy results as Markdown"), shortcut="Ctrl+Shift+C", parent=self)
        self._exporter = icon_button("download", self.tr("Export all results"), shortcut="Ctrl+Shift+E", parent=self)
        self._asker = icon_button("circle-question-mark", self.tr("Why not …?"), parent=self)

    @property
    def _buttons(self) -> tuple[QToolButton, ...]:
        """The buttons beside the search box, in reading order."""
        return (
            self._sides, self._group.button, self._ranking.button, self._save, self._copier, self._exporter, self._asker
        )  # fmt: skip

    def _arrange(self) -> None:
        top = hbox((self.box, 1), *self._buttons, spacing=Space.XS)
        head = QVBoxLayout()
        head.setContentsMargins(Space.L, Space.M, Space.M, Space.S)
        head.setSpacing(Space.S)
        head.addLayout(top)
        head.addWidget(self.explanation)
        head.addWidget(self.timeline)
        head.addWidget(self._summary)
        self._recents = RecentSearches(self)
        self._nothing = EmptyState(
            "search",
            self.tr("Nothing found"),
            self.tr("Try fewer or other words, or take operators out."),
            self.tr("Search without operators"),
            second=self.tr("Why not …?"),
            parent=self,
        )
        self._middle = QStackedWidget(self)
        self._middle.setObjectName("sheet")
        for page in (self._recents, self.results, self._nothing):
            self._middle.addWidget(page)
        self._split = PaneSplitter(parent=self)
        self._left = QWidget(self)
        vbox(self.saved, (self.facets, 1), Stretch(0), parent=self._left, margins=0, spacing=Space.XS)
        self._split.add(self._left, theme.current().scaled(190), least=130)
        self._split.add(self._middle, 560, least=300, stretch=1)
        self._split.add(self.why, 420, least=240, stretch=1)
        vbox(head, hairline(self), (self._split, 1), parent=self, margins=0, spacing=0)

    def _connect(self) -> None:
        self.box.searched.connect(self._on_box_searched)
        self.box.textEdited.connect(self._mark_outdated)
        self.box.values_requested.connect(self._on_box_values_requested)
        self.box.entered.connect(self._on_box_entered)
        self.box.stepped_down.connect(self._on_box_stepped_down)
        self.facets.toggled.connect(self._on_facets_toggled)
        self.results.chosen.connect(self._on_results_chosen)
        self.results.opened.connect(self._on_results_opened)
        self.results.more_requested.connect(self._on_results_more_requested)
        self.results.left.connect(self._on_results_left)
        self.results.menu_requested.connect(self._on_results_menu_requested)
        self.menu.opened.connect(self._go)
        self.menu.why_requested.connect(self._on_menu_why_requested)
        self.why.opened.connect(self._on_results_opened)
        self.why.preview.wiki_clicked.connect(self.follow_wiki)
        self.why.preview.tag_clicked.connect(self.follow_tag)
        self.why.preview.link_clicked.connect(self.follow_link)
        self._recents.picked.connect(self._on_recents_picked)
        self._recents.help_requested.connect(self._on_help_requested)
        self._nothing.triggered.connect(self._on_nothing_requested)
        self._nothing.second_triggered.connect(self._ask_why_not)
        self._sides.clicked.connect(self._on_sides_clicked)
        self._ranking.changed.connect(self._on_ranking_changed)
        self._group.changed.connect(self._show_hits)
        for part in (self.history, self._export):
            part.noticed.connect(self.notice)
        self.history.changed.connect(self._on_history_changed)
        self._connect_choices()
        self._copier.clicked.connect(self._copy)
        self._delay.timeout.connect(self._on_delay_timeout)

    def _connect_choices(self) -> None:
        self.saved.picked.connect(self._on_recents_picked)
        self.saved.renamed.connect(self.history.rename)
        self.saved.deleted.connect(self.history.delete)
        self.saved.erase_requested.connect(self.history.ask_to_erase)
        self.saved.ordered.connect(self.history.set_order)
        self.timeline.chosen.connect(self._on_timeline_chosen)
        self.results.mark_requested.connect(self.why.preview.go_to_mark)
        self._exporter.clicked.connect(self._start_export)
        self._asker.clicked.connect(self._ask_why_not)

    def _order_tabs(self) -> None:
        """Set the tab order: the line at the top, facets, results, reasons."""
        why = self.why
        ends = (self._nothing.button, self._nothing.second, *why.tab_chain)
        set_tab_chain(self.box, *self._buttons, self.timeline, self.saved.list, self.facets, self.results, *ends)

    def _fit(self) -> None:
        searched = self._middle.currentWidget() is not self._recents
        results = self._middle.currentWidget() is self.results
        inspecting = self.width() >= WIDE * 3 // 4 if self._inspecting is None else self._inspecting
        faceted = self.width() >= WIDE if self._faceted is None else self._faceted
        has_sides = searched or bool(self.history.saved)
        self.facets.setVisible(searched)
        self._left.setVisible(faceted and has_sides)
        self._sides.setChecked(faceted and has_sides)
        self._sides.setEnabled(has_sides)
        self.why.setVisible(inspecting and results)

    # --- searching ---

    async def _learn_page(self) -> None:
        """Fetch how many results the person wants at once."""
        settings: list[SettingValue] = await self.bridge.call(operations.settings.list())
        wanted = next((setting.value for setting in settings if setting.name == "search.limit"), LIMIT)
        if int(wanted) != self._page:
            self._page = self._limit = int(wanted)

    async def _learn(self) -> None:
        """Fetch the operators once, for completion in the box."""
        operators = await self.bridge.call(operations.memory.operators())
        names = [Hint(f"{operator.name}:", operator.help) for operator in operators]
        values: dict[str, Sequence[Hint]] = {
            operator.name: [Hint(value) for value in operator.values]
            for operator in operators
            if operator.name not in COMPLETED
        }
        self.box.set_hints(names, values)
        self.box.complete_from(COMPLETED)

    async def _complete(self, name: str, begun: str) -> None:
        values = await operator_values(self.bridge, name, begun)
        self.box.offer_values(name, begun, values)

    def _search(self, text: str) -> None:
        """Ask; what is shown stays until the first answer."""
        self._text = text
        self._delay.stop()
        for overtaken in (self._ask, self._parse):
            self.work.cancel(overtaken)  # the engine is to answer what is typed now
        if not text.strip():
            self.history.remember(self._answered)  # so that there is a way back
            self._found, self._asking, self._answered, self._counted = None, None, "", ""
            self.timeline.show_months((), None)
            self.explanation.show_query(None)
            self._summary.show_text("")
            self.results.set_outdated(False)
            self._show_recents()
            return
        self._mark_outdated(text)
        self._delay.start()
        asking = {"query": text, "limit": self._limit, "recipe": self._ranking.recipe}
        self._asking = self.work.latest(self._ask, asking)
        self.work.latest(self._parse, text)

    def _mark_outdated(self, text: str) -> None:
        """Dim what answers another question than ``text``, and say that an answer is looked for."""
        is_other = bool(text.strip()) and (self._found is None or text != self._answered)
        if is_other:
            self._summary.show_text(self.tr("Searching…"))
        elif self._found is not None and self.results.is_outdated:
            self._summary.show_found(self._found, settled=not self._delay.isActive())
        self.results.set_outdated(is_other)

    async def _ask(self, asking: dict[str, Any]) -> None:
        """Answer by words at once, then answer in full."""
        try:
            if asking["limit"] == self._page:
                first: Found = await self.bridge.call(operations.memory.search(**asking, legs=_WORDS))
                self._show(first, settled=False)
            result: Found = await self.bridge.call(operations.memory.search(**asking))
            self._show(result, settled=True)
            await self._count_months(result.query)
        except KeepsakeError as error:
            self._delay.stop()
            self._is_enter_pending = False
            self._summary.show_text(error_text(error), wrong=True)

    async def _parse(self, text: str) -> None:
        try:
            query: Query = await self.bridge.call(operations.memory.parse(query=text))
        except KeepsakeError:
            return  # the search itself says what is wrong
        self.explanation.show_query(query)
        self._facet_filter.show_query(query)
        self.timeline.show_query(query)

    async def _count_months(self, query: Query) -> None:
        """Count all matches by month, once for each search; dates do not change that."""
        undated = with_month(query.text, "")
        if undated == self._counted:
            return
        months: list[MonthCount] = await self.bridge.call(operations.memory.months(query=undated))
        self._counted = undated
        self.timeline.show_months(months, query)

    def _show(self, result: Found, *, settled: bool) -> None:
        afresh = self._found is None or self._answered != self._text
        self._found, self._answered = result, self._text
        if afresh:
            self._removed.clear()
        goes_on = settled and self._limit <= len(result.hits) < result.candidates
        self._more = self.tr("Show more results") if goes_on else ""
        if result.hits or settled:
            # What was shown till now answers another question, also while its words find nothing.
            self._show_hits(afresh=afresh or self._stale)
            self._stale = False
            self._middle.setCurrentWidget(self.results if result.hits else self._nothing)
            self._nothing.button.setVisible(without_operators(result.query) not in ("", self.box.text().strip()))
            self._facet_filter.show_found(result)  # counts of the list beside them
        else:
            self._stale = afresh or self._stale
        self._fit()
        self.history.show_state()
        self._enable_buttons()
        self.registry.refresh()
        if settled:
            self._delay.stop()
        self._summary.show_found(result, settled=settled)
        if self._is_enter_pending and result.hits:
            self._is_enter_pending = False
            if self.box.hasFocus():
                self.results.setFocus(Qt.FocusReason.TabFocusReason)

    def _show_hits(self, *, afresh: bool = False) -> None:
        if (result := self._found) is not None:
            self.results.show_hits(result.hits, self._group.grouping, self._more, afresh=afresh)

    def _show_recents(self) -> None:
        self._middle.setCurrentWidget(self._recents)
        self.history.show_state()
        self._enable_buttons()
        self._fit()
        saved = {} if self._left.isVisibleTo(self) else {search.query: search.name for search in self.history.saved}
        self._recents.show_searches(saved, self.history.recent_unsaved)

    def _enable_buttons(self) -> None:
        for button in (self._copier, self._exporter):
            button.setEnabled(self._has_results())
        self._asker.setEnabled(self._found is not None)
        self.saved.show_current(self.box.text())

    def _has_results(self) -> bool:
        return self._found is not None and bool(self._found.hits)

    # --- what the person does ---

    def _on_box_searched(self, text: str) -> None:
        self._limit = self._page
        self._search(text)

    def _on_box_values_requested(self, name: str, begun: str) -> None:
        self.work.start(self._complete(name, begun))

    def _on_box_entered(self) -> None:
        text = self.box.text()
        if text.strip():
            self.history.remember(text)
        if self._found is None or self._answered != text:
            # The list shows the answer to something else, or nothing; Enter there must not open that.
            self._is_enter_pending = bool(text.strip())
        elif self._has_results():
            self.results.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_box_stepped_down(self) -> None:
        if self._middle.currentWidget() is self.results:
            self.results.setFocus(Qt.FocusReason.TabFocusReason)

    def _on_facets_toggled(self, name: str, value: str, on: bool) -> None:
        text = with_operator(self.box.text(), name, value, on)
        self.box.set_text_quietly(text)
        self._on_box_searched(text)

    def _on_results_chosen(self, hit: Hit) -> None:
        if self._found is not None:
            self.why.show_hit(hit, self._found.query)

    def _on_results_opened(self, row: Hit | GroupHeading) -> None:
        self._go(place_of_row(row, None if self._found is None else self._found.query))

    def _go(self, place: Place) -> None:
        """Go to ``place``; the way back from there is the search."""
        self.history.remember(self.box.text())
        self.navigate.emit(self.current_place())
        self.navigate.emit(place)

    def _on_results_menu_requested(self, row: Hit | GroupHeading, where: QPoint) -> None:
        is_archived = self._found is not None and "archived" in self._found.query.states
        self.menu.open_at(where, row, is_archived=is_archived)

    def _on_menu_why_requested(self) -> None:
        self._inspecting = True
        self._fit()
        self.why.focus_reasons()

    def _on_results_left(self) -> None:
        self.box.setFocus(Qt.FocusReason.BacktabFocusReason)

    def _on_results_more_requested(self) -> None:
        self._limit += self._page
        self._search(self.box.text())

    def _on_recents_picked(self, text: str) -> None:
        self.box.set_text_quietly(text)
        self.box.setFocus(Qt.FocusReason.OtherFocusReason)
        self._on_box_searched(text)

    def _on_ranking_changed(self) -> None:
        self._search(self.box.text())

    def _on_timeline_chosen(self, month: str) -> None:
        text = with_month(self.box.text(), month)
        self.box.set_text_quietly(text)
        self._on_box_searched(text)

    def _on_history_changed(self) -> None:
        self.saved.show_searches(self.history.saved)
        self.saved.show_current(self.box.text())
        if self._middle.currentWidget() is self._recents:
            self._show_recents()
        else:
            self._fit()

    def _start_export(self) -> None:
        if self._found is not None:
            self._export.ask_for_file(self._answered, self._ranking.recipe)

    def _ask_why_not(self) -> None:
        if self._found is not None:
            dialog = WhyNotDialog(self.bridge, self._answered, self._ranking.recipe, self._limit, self.window())
            dialog.search_requested.connect(self._on_recents_picked)
            dialog.bring_to_front()

    def _on_delay_timeout(self) -> None:
        self._summary.show_waiting(has_results=self._has_results() and not self.results.is_outdated)

    def _on_sides_clicked(self) -> None:
        self._faceted = self._left.isHidden()
        self._fit()

    def _on_help_requested(self) -> None:
        self.registry.run(HELP)

    def _on_nothing_requested(self) -> None:
        if self._found is not None:
            self._on_recents_picked(without_operators(self._found.query))

    def _copy(self) -> None:
        if self._found is not None:
            copy_text(markdown(self._found.query.text, self._found.hits, self.tr("Untitled")))
            count = len(self._found.hits)
            words = self.tr("Copied 1 result") if count == 1 else self.tr("Copied {count} results")
            self.show_notice(words.format(count=format_number(count)))
