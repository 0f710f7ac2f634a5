"""Entity page: names, facts with dates, conversations, people in common and relations of one entity."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.entities.model import Entity, EntityInfo, Neighbour, Relation, name_key
from app.errors import KeepsakeError, NotFoundError
from ui import operations, theme
from ui.models.dates import format_number, full_date, short_date, short_span
from ui.panes.graph.entity.entity_forms import EntityForm, MergeForm, RelateForm, RenameForm, SplitForm
from ui.panes.graph.entity.link_row import LinkRow
from ui.panes.graph.entity_types import type_label
from ui.panes.labels import kind_icon
from ui.panes.pane import Place
from ui.panes.search.query_text import term_of
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import icon_button, text_button
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.inspector import Section
from ui.widgets.page_area import PageArea
from ui.widgets.plain_text import PlainLabel
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge

LIMIT = 30
SHOWN = 6
"""Rows of a section before the others are asked for."""


class EntityPage(PageArea):
    """Page of one entity, beside the graph."""

    place_opened = Signal(object)
    """Go to a ``Place``."""
    entity_opened = Signal(str)
    """Show another entity."""
    recentre_requested = Signal(str)
    """Draw the graph around an entity."""
    renamed = Signal(object, str, str, str)
    merged = Signal(object, object)
    split = Signal(object, object, str, str)
    related = Signal(object, str, object)
    unrelated = Signal(object)
    failed = Signal(object)

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._info: EntityInfo | None = None
        self.form: EntityForm | None = None
        self.setAccessibleName(self.tr("Page of the chosen name"))
        body = QWidget(self)
        self._column = vbox(parent=body, margins=(0, Space.M, 0, Space.L), spacing=Space.XS)
        self._head(body)
        self._sections(body)
        self._column.addStretch(1)
        self.setWidget(body)
        self._fill(None)

    @property
    def entity(self) -> Entity | None:
        """The entity it shows."""
        return None if self._info is None else self._info.entity

    @property
    def actions_of(self) -> list[QPushButton]:
        """The buttons that change or follow the entity."""
        return self._buttons

    def show_entity(self, identity: str, as_of: datetime | None = None) -> None:
        """Show an entity, now or as of a time; nothing when the id is empty."""
        if identity:
            self._work.latest(self._load, identity, as_of)
        else:
            self._work.cancel(self._load)
            self._fill(None)

    async def _load(self, identity: str, as_of: datetime | None) -> None:
        try:
            info = await self._bridge.call(operations.entity.info(id=identity, limit=LIMIT, as_of=as_of))
        except NotFoundError:
            info = None
        except KeepsakeError as error:
            self.failed.emit(error)
            return
        self._fill(info)

    # --- building ---

    def _head(self, body: QWidget) -> None:
        self._nothing = PlainLabel(self.tr("Click a name to see what is known of it."), body)
        self._name, self._about, self._summary = (PlainLabel("", body) for _ in range(3))
        theme.set_type(self._nothing, "body muted")
        theme.set_type(self._name, "heading")
        theme.set_type(self._about, "small muted")
        head = vbox(margins=(Space.L, 0, Space.L, Space.S), spacing=Space.XS)
        for label in (self._nothing, self._name, self._about, self._summary):
            label.setWordWrap(True)
            head.addWidget(label)
        self._bar = QWidget(body)
        flow = FlowLayout(self._bar)
        flow.setContentsMargins(Space.M, 0, Space.M, Space.S)
        self._buttons: list[QPushButton] = []
        for words, run in (
            (self.tr("Draw around"), self._on_recentre_clicked),
            (self.tr("Search"), self._on_search_clicked),
            (self.tr("Rename"), self.ask_for_name),
            (self.tr("Merge"), self.ask_for_target),
            (self.tr("Split"), self.ask_for_names),
            (self.tr("Relate"), self.ask_for_relation),
        ):
            button = text_button(words, parent=self._bar)
            theme.set_type(button, "small")
            button.clicked.connect(run)
            flow.addWidget(button)
            self._buttons.append(button)
        self._form_place = vbox(margins=(Space.M, 0, Space.M, Space.S))
        self._column.addLayout(head)
        self._column.addWidget(self._bar)
        self._column.addLayout(self._form_place)

    def _sections(self, body: QWidget) -> None:
        self._aliases = Section(self.tr("Also called"), body)
        self._relations = Section(self.tr("Relations"), body)
        self._facts = Section(self.tr("Notes and facts"), body)
        self._conversations = Section(self.tr("Conversations"), body)
        self._people = Section(self.tr("People in the same texts"), body)
        self._others = Section(self.tr("Other names in the same texts"), body)
        self._all = (
            self._aliases, self._relations, self._facts, self._conversations, self._people, self._others,
        )  # fmt: skip
        for section in self._all:
            self._column.addWidget(section)

    # --- filling ---

    def _fill(self, info: EntityInfo | None) -> None:
        had_same = self._info is not None and info is not None and self._info.entity.id == info.entity.id
        if not had_same:
            self.close_form()
            self.verticalScrollBar().setValue(0)
        self._info = info
        for section in self._all:
            section.clear()
            section.hide()
        self._nothing.setVisible(info is None)
        for widget in (self._name, self._about, self._bar):
            widget.setVisible(info is not None)
        self._summary.setVisible(info is not None and bool(info.entity.summary))
        if info is None:
            return
        entity = info.entity
        self._name.setText(entity.name)
        self._about.setText(self._words(info))
        self._summary.setText(entity.summary)
        self._buttons[4].setEnabled(len(entity.aliases) > 1)
        self._show_aliases(entity)
        self._show_relations(info.relations, entity.id)
        self._show_texts(info)
        self._show_company(self._people, info.people)
        # Dates stand in the same texts as everything.
        self._show_company(self._others, [neighbour for neighbour in info.related if neighbour.type != "date"])
        for section in self._all:
            self._fold(section)

    def _words(self, info: EntityInfo) -> str:
        mentions = info.entity.mentions
        words = self.tr("1 mention") if mentions == 1 else self.tr("{count} mentions")
        parts = [type_label(info.entity.type), words.format(count=format_number(mentions))]
        if info.first_at is not None and info.last_at is not None:
            parts.append(short_span(info.first_at, info.last_at, datetime.now(UTC)))
        return " · ".join(parts)

    def _show_aliases(self, entity: Entity) -> None:
        others = [alias for alias in entity.aliases if name_key(alias) != name_key(entity.name)]
        self._open(self._aliases, len(others), len(others))
        if others:
            label = PlainLabel(", ".join(others), self._aliases, wraps=True)
            label.setContentsMargins(Space.S, 0, Space.S, 0)
            self._aliases.rows.addWidget(label)

    def _show_relations(self, relations: Sequence[Relation], own: str) -> None:
        self._open(self._relations, len(relations), len(relations))
        for relation in relations:
            is_subject = relation.subject_id == own
            words = (
                self.tr("{predicate} {name}").format(predicate=relation.predicate, name=relation.object)
                if is_subject
                else self.tr("{name} {predicate} this").format(predicate=relation.predicate, name=relation.subject)
            )
            holder = QWidget(self._relations)
            row = hbox(parent=holder, margins=0, spacing=0)
            link = LinkRow(words, relation.object_id if is_subject else relation.subject_id, parent=holder)
            link.triggered.connect(self.entity_opened)
            remove = icon_button("x", self.tr("Take back: {words}").format(words=words), parent=holder)
            remove.setProperty("relation", relation)
            remove.clicked.connect(self._on_remove_clicked)
            row.addWidget(link, 1)
            row.addWidget(remove)
            self._relations.rows.addWidget(holder)

    def _show_texts(self, info: EntityInfo) -> None:
        now = datetime.now(UTC)
        self._open(self._facts, info.facts_total, len(info.facts))
        for fact in info.facts:
            row = LinkRow(
                fact.title or fact.text, fact.id, short_date(fact.at, now), kind_icon(fact.kind), full_date(fact.at)
            )
            row.triggered.connect(self._on_fact_triggered)
            self._facts.rows.addWidget(row)
        self._open(self._conversations, info.conversations_total, len(info.conversations))
        for conversation in info.conversations:
            date = short_date(conversation.at, now)
            title = conversation.title or self.tr("Untitled")
            row = LinkRow(title, conversation.id, date, "message-square", full_date(conversation.at))
            row.triggered.connect(self._on_conversation_triggered)
            self._conversations.rows.addWidget(row)

    def _show_company(self, section: Section, neighbours: Sequence[Neighbour]) -> None:
        self._open(section, len(neighbours), len(neighbours))
        for neighbour in neighbours:
            times = round(neighbour.weight)
            count = format_number(times)
            words = self.tr("once together") if times == 1 else self.tr("{count} times together")
            row = LinkRow(neighbour.name, neighbour.id, count, detail=words.format(count=count))
            row.triggered.connect(self.entity_opened)
            section.rows.addWidget(row)

    def _fold(self, section: Section) -> None:
        """Hide the rows of a long section behind a button."""
        count = section.rows.count()
        if count <= SHOWN + 2:
            return
        for place in range(SHOWN, count):
            if (item := section.rows.itemAt(place)) is not None and (row := item.widget()) is not None:
                row.hide()
        more = text_button(self.tr("Show all {count}").format(count=format_number(count)), "quiet", parent=section)
        more.setProperty("section", section)
        more.clicked.connect(self._on_more_clicked)
        section.rows.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)

    def _on_more_clicked(self) -> None:
        section = self.sender().property("section")
        self.sender().hide()  # type: ignore[attr-defined]
        for place in range(section.rows.count() - 1):
            section.rows.itemAt(place).widget().show()
        section.rows.itemAt(SHOWN).widget().setFocus(Qt.FocusReason.OtherFocusReason)

    @staticmethod
    def _open(section: Section, total: int, shown: int) -> None:
        section.set_count(total)
        section.setVisible(bool(shown))

    # --- forms ---

    def ask_for_name(self) -> None:
        """Show the form that renames it."""
        if (entity := self.entity) is not None:
            form = RenameForm(entity, self.widget())
            form.submitted.connect(self._on_rename_submitted)
            self._show_form(form, form.name)

    def ask_for_target(self) -> None:
        """Show the form that merges it into another."""
        if (entity := self.entity) is not None:
            form = MergeForm(self._bridge, entity, self.widget())
            form.submitted.connect(self._on_merge_submitted)
            self._show_form(form, form.field)

    def ask_for_names(self) -> None:
        """Show the form that splits names off."""
        if (entity := self.entity) is not None and len(entity.aliases) > 1:
            form = SplitForm(entity, self.widget())
            form.submitted.connect(self._on_split_submitted)
            self._show_form(form, form.boxes[0])

    def ask_for_relation(self) -> None:
        """Show the form that relates it to another."""
        if (entity := self.entity) is not None:
            form = RelateForm(self._bridge, entity, self.widget())
            form.submitted.connect(self._on_relate_submitted)
            self._show_form(form, form.predicate)

    def close_form(self) -> None:
        """Close the form, if one is open."""
        if self.form is None:
            return
        form, self.form = self.form, None
        had_focus = form.isAncestorOf(form.focusWidget()) if form.focusWidget() is not None else False
        self._form_place.removeWidget(form)
        form.hide()
        form.deleteLater()
        if had_focus and self._bar.isVisible():
            self._buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_form(self, form: EntityForm, first: QWidget) -> None:
        self.close_form()
        self.form = form
        form.cancelled.connect(self.close_form)
        self._form_place.addWidget(form)
        form.show()
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_rename_submitted(self, name: str, kind: str, summary: str) -> None:
        self.renamed.emit(self.entity, name, kind, summary)

    def _on_merge_submitted(self, target: object) -> None:
        self.merged.emit(self.entity, target)

    def _on_split_submitted(self, aliases: object, name: str, kind: str) -> None:
        self.split.emit(self.entity, aliases, name, kind)

    def _on_relate_submitted(self, predicate: str, target: object) -> None:
        self.related.emit(self.entity, predicate, target)

    def _on_remove_clicked(self) -> None:
        self.unrelated.emit(self.sender().property("relation"))

    def _on_recentre_clicked(self) -> None:
        if self.entity is not None:
            self.recentre_requested.emit(self.entity.id)

    def _on_search_clicked(self) -> None:
        if self.entity is not None:
            self.place_opened.emit(Place("search", extra=term_of("entity", self.entity.name)))

    def _on_fact_triggered(self, identity: str) -> None:
        self.place_opened.emit(Place("notes", identity))

    def _on_conversation_triggered(self, identity: str) -> None:
        self.place_opened.emit(Place("sessions", identity))
