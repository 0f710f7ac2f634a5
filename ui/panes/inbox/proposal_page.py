"""The page of one proposal: what would change, and the decision."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.core.declared_operations import declared_operations
from ui import theme
from ui.models.dates import counted, full_date
from ui.panes.inbox.change_view import ChangeView
from ui.panes.inbox.proposal_form import ProposalForm, editable
from ui.panes.inbox.proposal_labels import OWN_NAME, headline, reason_of, state_words
from ui.panes.labels import kind_label
from ui.panes.reading_pane import set_tab_chain
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import vbox
from ui.widgets.button import text_button
from ui.widgets.flow_layout import FlowLayout
from ui.widgets.plain_text import PlainLabel
from ui.widgets.reading_column import ReadingColumn
from ui.widgets.wrapped_button import WrappedButton

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.inbox.model import Proposal, ProposedChange

WIDTH = 820
SHOWN_CHANGES = 20


class ProposalPage(QScrollArea):
    """A proposal with its differences and buttons."""

    accepted = Signal(object)
    """Accept; with the arguments to use instead, or ``None``."""
    rejected = Signal(str)
    """Reject, with a reason for the agent."""
    both_kept = Signal()
    """Keep what is there and store the proposed fact beside it."""
    rule_requested = Signal(str)
    """Decide once for all: ``accept`` or ``reject``."""
    undo_requested = Signal(str)
    """Undo what the run of this id wrote."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._proposal: Proposal | None = None
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        page = QWidget(self)
        self._title = _label("title", page)
        self._about = _label("body muted", page)
        self._reason = _label("body", page)
        self._warning = _label("body", page)
        self._note = _label("body muted", page)
        self.accept = text_button(self.tr("Accept"), "primary", icon_name="check", parent=page)
        self.edit = text_button(self.tr("Edit first"), icon_name="pencil", parent=page)
        self.keep_both = text_button(self.tr("Keep both"), icon_name="split", parent=page)
        self.reject = text_button(self.tr("Reject"), icon_name="x", parent=page)
        self.undo = text_button(self.tr("Undo"), icon_name="undo-2", parent=page)
        self.always = WrappedButton("", page)
        self.never = WrappedButton("", page)
        for button in (self.always, self.never):
            button.setProperty("quiet", True)
        self._changes = vbox(spacing=Space.M)
        self.form = ProposalForm(page)
        self.form.left.connect(self._on_form_left)
        self.cancel = text_button(self.tr("Cancel"), parent=page)
        self.cancel.clicked.connect(self._on_form_left)
        self._arrange(page)
        self.accept.clicked.connect(self._on_accept_clicked)
        self.edit.clicked.connect(self._on_edit_clicked)
        self.keep_both.clicked.connect(self.both_kept)
        self.reject.clicked.connect(self._on_reject_clicked)
        self.undo.clicked.connect(self._on_undo_clicked)
        self.always.clicked.connect(self._on_always_clicked)
        self.never.clicked.connect(self._on_never_clicked)

    @property
    def tab_chain(self) -> tuple[QWidget, ...]:
        """The widgets that take the keyboard, in reading order."""
        return (
            self.accept,
            self.edit,
            self.cancel,
            self.keep_both,
            self.reject,
            self.undo,
            self.always,
            self.never,
        )

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The agent's arguments with the edited fields; ``None`` while nothing is edited."""
        if not self.form.fields or self._proposal is None:
            return None
        return {**self._proposal.arguments, **self.form.texts}

    def show_proposal(self, proposal: "Proposal") -> None:
        """Show a proposal."""
        before, self._proposal = self._proposal, proposal
        waits = proposal.state == "waiting"
        self._title.setText(headline(proposal))
        when = full_date(proposal.created_at)
        agent = self.tr("Keepsake") if proposal.agent == OWN_NAME else proposal.agent
        about = self.tr("{agent} proposed this on {when}.").format(agent=agent, when=when)
        if not waits:
            about = f"{about} {state_words(proposal.state)}."
        elif proposal.expires_at is not None:
            about = f"{about} " + self.tr("It expires on {when}.").format(when=full_date(proposal.expires_at))
        self._about.setText(about)
        is_own = proposal.agent == OWN_NAME
        reason = reason_of(proposal)
        own_words = reason if is_own else self.tr("Its reason: {reason}").format(reason=reason)
        _say(self._reason, own_words if reason else "")
        _say(self._note, self.tr("Your reason: {note}").format(note=proposal.note) if proposal.note else "")
        _say(self._warning, self._warning_words(proposal))
        self._show_changes(proposal)
        is_same = before is not None and (before.id, before.arguments) == (proposal.id, proposal.arguments)
        if not (is_same and waits):  # another proposal that arrives takes nobody's words away
            self.form.close_fields()
            if waits and self.form.is_begun(proposal):
                self.form.open(proposal, has_focus=False)
        can_keep_both = proposal.operation in declared_operations().replaces and bool(proposal.arguments.get("content"))
        self.keep_both.setVisible(waits and can_keep_both)
        self._show_editing()
        for button in (self.accept, self.reject):
            button.setVisible(waits)
        for button in (self.always, self.never):
            button.setVisible(waits and not is_own)
        kind = kind_label(proposal.kind)
        self.always.setText(self.tr("Always accept from {agent}: {kind}").format(agent=proposal.agent, kind=kind))
        self.never.setText(self.tr("Never accept from {agent}: {kind}").format(agent=proposal.agent, kind=kind))
        self.undo.setVisible(proposal.state == "accepted" and bool(proposal.run_id))
        self.verticalScrollBar().setValue(0)

    def _warning_words(self, proposal: "Proposal") -> str:
        if proposal.state != "waiting":
            return ""
        if proposal.preview.is_stale:
            return self.tr("What this would change was changed since. Look at it again before you accept.")
        if proposal.preview.why == "protected":
            return self.tr("This touches something that you pinned or confirmed: what you know is at the left.")
        return ""

    def _show_changes(self, proposal: "Proposal") -> None:
        _clear(self._changes)
        side_by_side = proposal.preview.why == "protected"
        changes = proposal.preview.changes
        for change in _joined(changes) if side_by_side else changes[:SHOWN_CHANGES]:
            view = ChangeView(self)
            view.show_change(change, side_by_side=side_by_side and change.before is not None)
            self._changes.addWidget(view)
        more = proposal.preview.count - min(len(proposal.preview.changes), SHOWN_CHANGES)
        if more > 0:
            label = _label("small muted", self)
            label.setText(counted(more, self.tr("… and 1 more change"), self.tr("… and {n} more changes")))
            self._changes.addWidget(label)

    def _show_editing(self) -> None:
        """Offer to edit, or to edit no more."""
        proposal, is_edited = self._proposal, bool(self.form.fields)
        can_edit = proposal is not None and proposal.state == "waiting" and bool(editable(proposal))
        self.edit.setVisible(can_edit and not is_edited)
        self.cancel.setVisible(is_edited)
        self.accept.setText(self.tr("Accept as edited") if is_edited else self.tr("Accept"))

    def _arrange(self, page: QWidget) -> None:
        buttons = FlowLayout(spacing=Space.S)
        for button in (self.accept, self.edit, self.cancel, self.keep_both, self.reject, self.undo):
            buttons.addWidget(button)
        rules = FlowLayout(spacing=Space.S)
        for button in (self.always, self.never):
            rules.addWidget(button)
        column = vbox(margins=Space.XL, spacing=Space.M)
        for widget in (self._title, self._about, self._reason, self._note, self._warning):
            column.addWidget(widget)
        column.addLayout(self._changes)
        column.addWidget(self.form)
        column.addLayout(buttons)
        column.addLayout(rules)
        column.addStretch(1)
        ReadingColumn(column, page, WIDTH)
        self.setWidget(page)

    def _on_accept_clicked(self) -> None:
        self.accepted.emit(self.arguments)

    def _on_reject_clicked(self) -> None:
        self.rejected.emit("")

    def _on_undo_clicked(self) -> None:
        if self._proposal is not None:
            self.undo_requested.emit(self._proposal.run_id)

    def _on_always_clicked(self) -> None:
        self.rule_requested.emit("accept")

    def _on_never_clicked(self) -> None:
        self.rule_requested.emit("reject")

    def _on_edit_clicked(self) -> None:
        """Show the agent's texts as fields."""
        if self._proposal is None or self.form.fields:
            return
        before = self.accept.previousInFocusChain()
        self.form.open(self._proposal)
        if before is not None:
            set_tab_chain(before, *self.form.fields.values(), self.accept)
        self._show_editing()

    def _on_form_left(self) -> None:
        self.form.put_away()
        self._show_editing()
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)


def _joined(changes: "Sequence[ProposedChange]") -> "list[ProposedChange]":
    old = next((change for change in changes if change.before is not None and change.after is None), None)
    new = next((change for change in changes if change.before is None and change.after is not None), None)
    if old is None or new is None:
        return list(changes[:SHOWN_CHANGES])
    return [replace(old, after=new.after, event="UPDATE")]


def _label(kind: str, parent: QWidget) -> PlainLabel:
    label = PlainLabel("", parent, wraps=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    theme.set_type(label, kind)
    return label


def _say(label: PlainLabel, words: str) -> None:
    label.setText(words)
    label.setVisible(bool(words))


def _clear(column: QVBoxLayout) -> None:
    while (item := column.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
