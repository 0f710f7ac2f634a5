"""Form that connects a program: choose it, see the change of its configuration, write it."""

from html import escape
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ui import operations, theme
from ui.engine_texts import engine_text
from ui.models.card_list_model import CardListModel
from ui.models.cards import Badge, Card
from ui.panes.agents.agent_labels import LEVELS, trust_words
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.elided_combo_box import ElidedComboBox
from ui.widgets.lists.list_view import CardList
from ui.widgets.plain_text import PlainLabel
from ui.widgets.reading_column import ReadingColumn
from ui.widgets.wrapped_button import WrappedCheckBox

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.agents.model import Agent
    from app.connections.model import ClientState, ConnectionPreview, ConnectionResult

WIDTH: Final = 760
LIST_HEIGHT: Final = 166
_SIGNS: Final = {"-": "danger", "+": "success", "@": "muted"}


class ConnectForm(QWidget):
    """Form of programs to connect, with the change of the chosen one and its outcome."""

    preview_requested = Signal(object)
    """Arguments of ``connection.preview``."""
    write_requested = Signal(object)
    """Arguments of ``connection.write``."""
    remove_requested = Signal(object)
    """Arguments of ``connection.remove``."""
    closed = Signal(str)
    """The id of the agent to show, empty for none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names: set[str] = set()
        self._preview: ConnectionPreview | None = None
        self._result: ConnectionResult | None = None
        page = QWidget(self)
        self._title = self._label("title", page)
        self._about = self._label("body muted", page)
        self.model = CardListModel(self._card, self)
        self.programs = CardList(self.tr("Programs"), page)
        self.programs.set_source(self.model)
        self.programs.chosen.connect(self._on_program_chosen)
        self._make_fields(page)
        self._change_title = self._label("strong", page)
        self._change = self._label("body", page)
        self._change.setTextFormat(Qt.TextFormat.RichText)
        self._problem = self._label("body", page)
        self._outcome = self._label("body", page)
        self._waiting = self._label("body muted", page)
        self.write = text_button(self.tr("Write this change"), "primary", parent=page)
        self.remove = text_button(self.tr("Disconnect"), "danger", icon_name="unlink", parent=page)
        self.cancel = text_button(self.tr("Cancel"), parent=page)
        self.done = text_button(self.tr("Done"), "primary", parent=page)
        self.write.clicked.connect(self._on_write_clicked)
        self.remove.clicked.connect(self._on_remove_clicked)
        self.cancel.clicked.connect(self._on_cancel_clicked)
        self.done.clicked.connect(self._on_done_clicked)
        self._arrange(page)
        theme.current().changed.connect(self._fit)
        self._fit()

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return (
            self.programs,
            self.trust,
            self.review,
            self.hooks,
            self.agent_name,
            self.write,
            self.remove,
            self.cancel,
            self.done,
        )

    # --- what the pane calls ---

    def begin(self, clients: "Sequence[ClientState]", names: set[str], chosen: str = "") -> None:
        """Show the programs.

        Args:
            clients: The programs.
            names: Names of agents with access, which cannot be given again.
            chosen: The program to begin with, none where empty.
        """
        self._names, self._preview, self._result = names, None, None
        ordered = sorted(clients, key=lambda client: (not client.is_connected, not client.is_installed))
        self.model.set_rows({client.name: client for client in ordered})
        self._title.setText(self.tr("Connect a program"))
        self._about.setText(
            self.tr("Keepsake adds itself to the program’s configuration. You see the change before it is written.")
        )
        free = [client.name for client in ordered if client.is_installed and not client.is_connected]
        ids = self.model.ids
        first = chosen if chosen in ids else free[0] if free else next(iter(ids), "")
        self.choose(first)
        self.programs.setFocus(Qt.FocusReason.OtherFocusReason)

    def choose(self, client: str) -> None:
        """Choose a program."""
        self.programs.choose(client, quiet=True)
        self._on_program_chosen(client)

    def show_preview(self, preview: "ConnectionPreview") -> None:
        """Show the change of a program's configuration."""
        if self._chosen is None or preview.client != self._chosen.name:
            return  # another one was chosen meanwhile
        self._preview = preview
        self._paint_change()
        self._show_parts()

    def show_problem(self, words: str) -> None:
        """Say why the change cannot be made."""
        self._preview = None
        self._problem.setText(words)
        self._show_parts()

    def show_result(self, result: "ConnectionResult", *, is_removal: bool) -> None:
        """Say what was done, and what to do now."""
        self._result = result
        names = {"title": result.title, "agent": result.agent}
        if is_removal:
            self._title.setText(self.tr("{title} is no longer connected").format(**names))
            words = [self.tr("Its access as the agent “{agent}” has ended; what it wrote stays.").format(**names)]
            self._waiting.setText("")
        else:
            self._title.setText(self.tr("{title} is connected").format(**names))
            words = [self.tr("It is the agent “{agent}” from now on.").format(**names), result.next_step]
            self._waiting.setText(self.tr("Waiting for it to call for the first time…"))
        if result.backups:
            notice = self.tr("A copy of its configuration from before is in {path}.")
            words.append(notice.format(path=", ".join(result.backups)))
        self._outcome.setText("\n".join(words))
        self._show_parts()
        self.done.setFocus(Qt.FocusReason.OtherFocusReason)

    def note_agents(self, agents: "Sequence[Agent]") -> None:
        """Say when the program that was connected has called."""
        if self._result is None or not self._waiting.text():
            return
        agent = next((agent for agent in agents if agent.id == self._result.agent_id), None)
        if agent is not None and agent.last_seen_at is not None:
            self._waiting.setText(self.tr("{title} has connected: all is set up.").format(title=self._result.title))

    @property
    def front(self) -> QWidget:
        """The widget that the keyboard goes to first."""
        return self.done if self._result is not None else self.programs

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the form on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            (self.done if self._result is not None else self.cancel).click()
        else:
            super().keyPressEvent(event)

    # --- parts ---

    @property
    def _chosen(self) -> "ClientState | None":
        client: ClientState | None = self.model.value(self.programs.current_id())
        return client

    def _card(self, client: "ClientState") -> Card:
        if client.is_connected:
            words, badge = self.tr("The agent “{agent}”").format(agent=client.agent), self.tr("Connected")
            return Card(client.title, words, badges=(Badge(badge, "good", "check"),), icon="plug")
        if client.is_installed:
            return Card(client.title, client.path, badges=(Badge(self.tr("Installed")),), icon="plug")
        return Card(client.title, self.tr("Not found on this computer"), icon="plug", faded=True)

    def _make_fields(self, page: QWidget) -> None:
        self.trust = ElidedComboBox(page)
        self.trust.setAccessibleName(self.tr("Trust"))
        for level in LEVELS:
            self.trust.addItem(trust_words(level), level)
        self._trust_label = self._label("small muted", page)
        self._trust_label.setText(self.tr("How much it may see"))
        self.review = WrappedCheckBox(self.tr("What it writes waits in the inbox until you accept it"), page)
        self.hooks = WrappedCheckBox(
            self.tr("Also tell it what matters before each answer, and keep its conversations"), page
        )
        self.hooks.toggled.connect(self._ask)
        self.agent_name = QLineEdit(page)
        self.agent_name.setAccessibleName(self.tr("Name of the agent"))
        self._name_label = self._label("small muted", page)
        self._name_label.setText(self.tr("Its name here"))

    def _show_parts(self) -> None:
        client, preview, is_done = self._chosen, self._preview, self._result is not None
        is_removal = client is not None and client.is_connected
        is_ready = preview is not None and not is_done
        is_new = is_ready and not is_removal
        self._about.setVisible(not is_done)
        self._programs_card.setVisible(not is_done)
        parts: tuple[QWidget, ...] = (
            self._trust_label,
            self.trust,
            self.review,
            self.agent_name,
            self._name_label,
            self.write,
        )
        for widget in parts:
            widget.setVisible(is_new)
        self.hooks.setVisible(is_new and client is not None and client.has_hooks)
        self._change_card.setVisible(is_ready)
        self._problem.setVisible(not is_ready and not is_done and bool(self._problem.text()))
        self.remove.setVisible(is_ready and is_removal)
        self.cancel.setVisible(not is_done)
        self._outcome.setVisible(is_done)
        self.done.setVisible(is_done)
        self._waiting.setVisible(is_done and bool(self._waiting.text()))

    def _paint_change(self) -> None:
        preview = self._preview
        if preview is None:
            return
        count = len(preview.files)
        self._change_title.setText(
            self.tr("Nothing is left to change in its configuration")
            if not count
            else self.tr("This will change")
            if count == 1
            else self.tr("These {n} files will change").format(n=count)
        )
        family = escape(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family())
        left = [engine_text(sentence) for sentence in preview.left]
        parts = [_line(sentence, "text") for sentence in left]
        for file in preview.files:
            parts.append(f'<p style="margin-top:6px"><b>{escape(file.path)}</b></p>')
            lines = file.diff.splitlines()[2:]  # after the names of both sides
            shown = "".join(_line(line, _SIGNS.get(line[:1], "text")) for line in lines if not line.startswith("@@"))
            parts.append(f"<div style=\"font-family:'{family}'\">{shown}</div>")
        self._change.setText("".join(parts))
        spoken = "\n".join([*left, *(f"{file.path}\n{file.diff}" for file in preview.files)])
        self._change.setAccessibleName(spoken)

    def _arrange(self, page: QWidget) -> None:
        self._programs_card = self._card_of(page, self.programs)
        self._change_card = self._card_of(page, self._change_title, self._change)
        column = vbox(margins=(Space.XL, Space.XL, Space.XL, Space.M), spacing=Space.M)
        for widget in (
            self._title,
            self._about,
            self._programs_card,
            self._problem,
            self._trust_label,
            self.trust,
            self._change_card,
            self.review,
            self.hooks,
            self._name_label,
            self.agent_name,
            self._outcome,
            self._waiting,
        ):
            column.addWidget(widget)
        column.addStretch(1)
        ReadingColumn(column, page, WIDTH)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(page)
        buttons = hbox(margins=(Space.XL, Space.S, Space.XL, Space.M), spacing=Space.S)
        for button in (self.write, self.remove, self.done, self.cancel):
            buttons.addWidget(button)
        buttons.addStretch(1)
        foot = QWidget(self)
        ReadingColumn(buttons, foot, WIDTH)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(scroll, 1)
        # However long the change is, what writes it stays in sight.
        whole.addWidget(foot)

    def _card_of(self, page: QWidget, *widgets: QWidget) -> QFrame:
        card = QFrame(page)
        card.setObjectName("card")
        column = QVBoxLayout(card)
        is_list = widgets[0] is self.programs
        side = 1 if is_list else Space.L
        column.setContentsMargins(side, Space.XS if is_list else Space.M, side, Space.XS if is_list else Space.M)
        column.setSpacing(Space.XS)
        for widget in widgets:
            column.addWidget(widget)
        return card

    def _label(self, kind: str, parent: QWidget) -> PlainLabel:
        label = PlainLabel("", parent, wraps=True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme.set_type(label, kind)
        return label

    def _fit(self) -> None:
        look = theme.current()
        self.programs.setFixedHeight(look.scaled(LIST_HEIGHT))
        self._paint_change()

    # --- what the person does ---

    def _on_program_chosen(self, identity: str) -> None:
        client = self._chosen
        if client is None or client.name != identity:
            return
        self._preview = None
        self._problem.setText(engine_text(client.problem))
        self.trust.setCurrentIndex(LEVELS.index("inner"))
        self.review.setChecked(False)
        self.hooks.blockSignals(True)
        self.hooks.setChecked(False)
        self.hooks.blockSignals(False)
        self.agent_name.setText(_free_name(client.name, self._names))
        self._show_parts()
        if client.is_connected:
            self.preview_requested.emit(operations.connection.preview(client=client.name, removal=True))
        elif not client.is_installed and not client.problem:
            words = self.tr("{title} is not on this computer. Install it first; then it can be connected here.")
            self._problem.setText(words.format(title=client.title))
            self._show_parts()
        elif not client.problem:
            self._ask()

    def _ask(self) -> None:
        client = self._chosen
        if client is not None:
            call = operations.connection.preview(client=client.name, hooks=self.hooks.isChecked())
            self.preview_requested.emit(call)

    def _on_write_clicked(self) -> None:
        client, preview = self._chosen, self._preview
        if client is None or preview is None:
            return
        call = operations.connection.write(
            client=client.name,
            seen=preview.digest,
            agent=self.agent_name.text().strip() or client.name,
            trust=self.trust.currentData(),
            review=self.review.isChecked(),
            hooks=self.hooks.isChecked(),
        )
        self.write_requested.emit(call)

    def _on_remove_clicked(self) -> None:
        client, preview = self._chosen, self._preview
        if client is not None and preview is not None:
            self.remove_requested.emit(operations.connection.remove(client=client.name, seen=preview.digest))

    def _on_cancel_clicked(self) -> None:
        self.closed.emit("")

    def _on_done_clicked(self) -> None:
        self.closed.emit(self._result.agent_id if self._result is not None else "")


def _free_name(name: str, taken: set[str]) -> str:
    """Return a name that no agent has."""
    number = 1
    free_name = name
    while free_name.casefold() in {other.casefold() for other in taken}:
        number += 1
        free_name = f"{name}-{number}"
    return free_name


def _line(words: str, tint: str) -> str:
    colour = getattr(theme.current().tokens, tint)
    return f'<div style="color:{colour};white-space:pre-wrap">{escape(words) or "&nbsp;"}</div>'
