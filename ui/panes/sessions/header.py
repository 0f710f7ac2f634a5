"""The header of an open conversation: title, agent, counts, dates and buttons."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.core.text_rules.project_name import ATTRIBUTE, project_name
from app.sessions.model import Session
from ui import theme
from ui.models.dates import counted, full_span
from ui.panes.project_field import ProjectField
from ui.panes.sessions.date_menu import DateMenu
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox
from ui.widgets.button import icon_button
from ui.widgets.elided_label import ElidedLabel
from ui.widgets.fields.edited_title import EditedTitle
from ui.widgets.header_row import HeaderRow

if TYPE_CHECKING:
    from ui.bridge import Bridge

TITLE_LEAST = 150
_PROJECT_WIDTH = 180


class SessionHeader(QFrame):
    """Title, project, facts and buttons.

    Args:
        bridge: The way to the engine.
        parent: Its parent.
    """

    renamed = Signal(str)
    """The person gave another title."""
    project_chosen = Signal(str)
    """The person named another project, or none."""
    find_requested = Signal()
    first_requested = Signal()
    last_requested = Signal()
    delete_requested = Signal()
    date_requested = Signal(object)
    """Go to the first turn at or after this ``QDate``."""

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session: Session | None = None
        self._known = ""
        self._drawn = 0
        self._work = ""
        self._tone = ""
        self.title = EditedTitle(self)
        self.title.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.title.setAccessibleName(self.tr("Title of the conversation"))
        self.title.setPlaceholderText(self.tr("Untitled conversation"))
        theme.set_type(self.title, "heading")
        self.title.committed.connect(self._on_title_committed)
        self.project = ProjectField(bridge, self)
        self.project.setFixedWidth(_PROJECT_WIDTH)
        self.project.chosen.connect(self.project_chosen)
        self._facts = ElidedLabel(parent=self)
        self._facts.setContentsMargins(2, 0, 0, 0)
        theme.set_type(self._facts, "small muted")
        self.dates = DateMenu(self)
        self.dates.chosen.connect(self.date_requested)
        find = icon_button("search", self.tr("Find in this conversation"), shortcut="Ctrl+F", parent=self)
        first = icon_button("chevron-up", self.tr("Go to the first message"), shortcut="Home", parent=self)
        last = icon_button("chevron-down", self.tr("Go to the last message"), shortcut="End", parent=self)
        self._when = icon_button("calendar-clock", self.tr("Go to a date"), parent=self)
        delete = icon_button("trash-2", self.tr("Delete this conversation"), parent=self)
        find.clicked.connect(self.find_requested)
        first.clicked.connect(self.first_requested)
        last.clicked.connect(self.last_requested)
        delete.clicked.connect(self.delete_requested)
        self.more = icon_button("ellipsis", self.tr("More to do with this conversation"), parent=self)
        self.more.setPopupMode(self.more.ToolButtonPopupMode.InstantPopup)
        self._when.clicked.connect(self._on_when_clicked)
        self._buttons = (find, first, last, self._when, delete, self.more)
        # In a low window the tabs below give way, not the buttons.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        column = QVBoxLayout(self)
        column.setContentsMargins(Space.XL, Space.M, Space.S, Space.S)
        column.setSpacing(2)
        column.addWidget(HeaderRow(self.title, [self._buttons], TITLE_LEAST, self))
        column.addLayout(hbox(self.project, (self._facts, 1), spacing=Space.S))

    def show_session(self, session: Session, drawn: int = 0) -> None:
        """Show a session; a title being typed is left alone.

        Args:
            session: The session.
            drawn: How many facts were drawn from it, as far as that is known.
        """
        changed = self._session is None or self._session.id != session.id
        self._drawn = drawn if changed else max(drawn, self._drawn)
        self._session = session
        if changed or not self.title.hasFocus():
            self.title.show_title(session.label)
        self.project.show_project(session.id, project_name(session.attributes.get(ATTRIBUTE)))
        self.project.setReadOnly(False)
        facts = [session.agent, counted(session.message_count, self.tr("1 message"), self.tr("{n} messages"))]
        facts += [full_span(session.created_at, session.updated_at)]
        if session.consolidated_at is None:
            facts.append(self.tr("what came since is not read yet") if self._drawn else self.tr("facts not drawn yet"))
        self._known = "  ·  ".join(fact for fact in facts if fact)
        self._show_facts()
        for button in self._buttons:
            button.setEnabled(True)
        self.title.setReadOnly(False)

    def show_drawn(self, session: str, drawn: int) -> None:
        """Take over how many facts were drawn from a session."""
        if self._session is not None and self._session.id == session and drawn != self._drawn:
            self._drawn = drawn
            self.show_session(self._session, drawn)

    def show_draft(self, title: str, facts: str) -> None:
        """Show a conversation that does not exist yet."""
        self._session = None
        self.title.show_title(title)
        self.title.setReadOnly(True)
        self.project.show_project("", "")
        self.project.setReadOnly(True)
        self._known = facts
        self._show_facts()
        for button in self._buttons:
            button.setEnabled(False)

    def show_work(self, words: str) -> None:
        """Say what is being done with a conversation; ``""`` when it is over."""
        self._work = words
        self._show_facts()

    def _show_facts(self) -> None:
        """Show what is being done, else what is known."""
        self._facts.setText(self._work or self._known)
        tone = "small accent" if self._work else "small muted"
        if self._tone != tone:
            self._tone = tone
            theme.set_type(self._facts, tone)

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return self.title, *self._buttons, self.project

    def edit_title(self) -> None:
        """Put the keyboard on the title."""
        self.title.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.title.selectAll()

    def _on_title_committed(self, text: str) -> None:
        session = self._session
        if session is None:
            return
        if text.strip() == session.title:
            self.title.show_title(session.label)
        else:
            self.renamed.emit(text.strip())

    def _on_when_clicked(self) -> None:
        if self._session is not None:
            self.dates.open_below(self._when, self._session)
