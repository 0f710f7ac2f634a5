"""Encryption panel: encrypt with a passphrase, change it, decrypt, lock."""

from enum import Enum, auto
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QWidget

from app.encryption.model import EncryptionState
from ui import operations, theme
from ui.dialogs.base_dialog import note
from ui.dialogs.confirm_card import ConfirmCard
from ui.dialogs.settings.panel import SettingsPanel
from ui.widgets.button import text_button
from ui.widgets.fields.passphrase_field import PassphraseField, new_passphrase_problem
from ui.widgets.flow_layout import FlowLayout

if TYPE_CHECKING:
    from app.encryption.model import EncryptionStatus
    from ui.bridge import Bridge
    from ui.typed_call import TypedCall

FIELD_WIDTH = 340


class _Purpose(Enum):
    """Purpose of the form that is open."""

    ENCRYPT = auto()
    CHANGE = auto()
    DECRYPT = auto()
    REMEMBER = auto()


class EncryptionPanel(SettingsPanel):
    """State of the encryption, its buttons, and the form of the one that was pressed."""

    restart_requested = Signal()
    """Begin anew, so that files are encrypted or decrypted."""
    lock_requested = Signal()

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        self.status: EncryptionStatus | None = None
        self._purpose = _Purpose.ENCRYPT
        self.said = note("", self, "body")
        self.encrypt = text_button(self.tr("Encrypt…"), "primary", icon_name="lock", parent=self)
        self.lock = text_button(self.tr("Lock now"), "primary", icon_name="lock", parent=self)
        self.change = text_button(self.tr("Change the passphrase…"), icon_name="pencil", parent=self)
        self.decrypt = text_button(self.tr("Decrypt…"), icon_name="unlink", parent=self)
        self.restart = text_button(self.tr("Restart now"), "primary", icon_name="refresh-cw", parent=self)
        self.cancel_pending = text_button(self.tr("Call it off"), parent=self)
        self.keyring = QCheckBox(
            self.tr("Open without the passphrase on this account, with the system's keyring"), self
        )
        self.encrypt.clicked.connect(self._on_encrypt_clicked)
        self.lock.clicked.connect(self.lock_requested)
        self.change.clicked.connect(self._on_change_clicked)
        self.decrypt.clicked.connect(self._on_decrypt_clicked)
        self.restart.clicked.connect(self.restart_requested)
        self.cancel_pending.clicked.connect(self._on_cancel_pending_clicked)
        self.keyring.clicked.connect(self._on_keyring_clicked)
        self._make_form()
        self._lay_out()
        self._show()
        self.work.on_areas({"settings"}, self._on_settings_changed)

    def _make_form(self) -> None:
        self.card = ConfirmCard("", self.tr("Cancel"), self)
        self.confirm, self.cancel = self.card.confirm, self.card.cancel
        self.old = PassphraseField(self.tr("Passphrase"), self.card)
        self.new = PassphraseField(self.tr("New passphrase"), self.card)
        self.again = PassphraseField(self.tr("The same again"), self.card)
        self.understood = QCheckBox(self.tr("I know that nobody can bring a forgotten passphrase back."), self.card)
        self.problem = note("", self.card, "small danger")
        self.confirm.clicked.connect(self._on_confirm_clicked)
        self.cancel.clicked.connect(self._on_cancel_clicked)
        for field in (self.old, self.new, self.again):
            field.setFixedWidth(theme.current().scaled(FIELD_WIDTH))
            field.textChanged.connect(self._offer)
            field.returnPressed.connect(self._on_confirm_clicked)
        self.understood.toggled.connect(self._offer)
        for widget in (self.old, self.new, self.again, self.understood, self.problem):
            self.card.rows.addWidget(widget)

    def _lay_out(self) -> None:
        row = QWidget(self)
        buttons = FlowLayout(row)
        for button in (self.encrypt, self.restart, self.lock, self.change, self.decrypt, self.cancel_pending):
            buttons.addWidget(button)
        for widget in (self.said, row, self.keyring, self.card):
            self.column.addWidget(widget)

    @property
    def words(self) -> str:
        """Text that the search over settings matches, in small letters."""
        shown = (self.encrypt, self.lock, self.change, self.decrypt)
        return f"{' '.join(button.text() for button in shown)} encryption passphrase password keyring".casefold()

    def shown(self) -> None:
        """Load the state."""
        self.run(self._load())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the open form on Escape, rather than the settings."""
        if event.key() == Qt.Key.Key_Escape and self.card.isVisible():
            self.cancel.click()
        else:
            super().keyPressEvent(event)

    # --- showing ---

    async def _load(self) -> None:
        status: EncryptionStatus = await self.bridge.call(operations.encryption.status())
        self.status = status
        self._show()

    def _show(self) -> None:
        state = self.status.state if self.status is not None else None
        is_plain, is_encrypted = state is EncryptionState.NONE, state is EncryptionState.ENCRYPTED
        can = self.status is not None and self.status.is_available
        self.said.setText(self._sentence())
        self.encrypt.setVisible(is_plain and can)
        for widget in (self.lock, self.change, self.decrypt, self.keyring):
            widget.setVisible(is_encrypted)
        is_pending = state in {EncryptionState.ENCRYPTING, EncryptionState.DECRYPTING}
        self.restart.setVisible(is_pending)
        self.cancel_pending.setVisible(state is EncryptionState.ENCRYPTING)
        self.keyring.setChecked(self.status is not None and self.status.is_in_keyring)

    def _sentence(self) -> str:
        if self.status is None:
            return ""
        if not self.status.is_available and self.status.state is EncryptionState.NONE:
            return self.tr(
                "Your memories are not encrypted, and this installation of Keepsake cannot encrypt them. "
                "The help says how to install it with encryption."
            )
        return {
            EncryptionState.NONE: self.tr(
                "Your memories are not encrypted: anyone who can read this disk can read them. With a passphrase, the "
                "database, attachments, backups and caches are encrypted."
            ),
            EncryptionState.ENCRYPTING: self.tr(
                "Your memories will be encrypted when Keepsake starts again. It then asks for the passphrase."
            ),
            EncryptionState.ENCRYPTED: self.tr(
                "Your memories are encrypted: the database, attachments, backups and caches. While Keepsake is locked, "
                "no schedule runs and no agent gets in."
            ),
            EncryptionState.DECRYPTING: self.tr("Your memories will be decrypted when Keepsake starts again."),
        }[self.status.state]

    # --- the form ---

    def _open_form(self, purpose: _Purpose, title: str, text: str, confirm: str) -> None:
        self._purpose = purpose
        self.card.title.setText(title)
        self.card.text.setText(text)
        self.confirm.setText(confirm)
        is_new = purpose in {_Purpose.ENCRYPT, _Purpose.CHANGE}
        self.old.setVisible(purpose is not _Purpose.ENCRYPT)
        self.new.setVisible(is_new)
        self.again.setVisible(is_new)
        self.understood.setVisible(is_new)
        self.understood.setChecked(False)
        for field in (self.old, self.new, self.again):
            field.forget()
        self.show_error("")
        self.card.show()
        self._offer()
        (self.new if purpose is _Purpose.ENCRYPT else self.old).setFocus()

    def _close_form(self) -> None:
        for field in (self.old, self.new, self.again):
            field.forget()
        self.card.hide()

    def _offer(self) -> None:
        """Enable the form's button once everything is there, and say what is wrong with it."""
        problem = self._problem() if self.new.text() and not self.new.isHidden() else ""
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        has_old = self.old.isHidden() or bool(self.old.text())
        has_new = self.new.isHidden() or (
            bool(self.new.text()) and not self._problem() and self.new.text() == self.again.text()
        )
        self.confirm.setEnabled(has_old and has_new and (self.understood.isHidden() or self.understood.isChecked()))

    def _problem(self) -> str:
        return new_passphrase_problem(self.new.text(), self.again.text())

    # --- what the person does ---

    def _on_encrypt_clicked(self) -> None:
        self._open_form(
            _Purpose.ENCRYPT,
            self.tr("Choose a passphrase"),
            self.tr(
                "Write it down where only you find it. Keepsake then starts again and encrypts every file, for which "
                "the disk needs room for a second copy of the largest one for a while."
            ),
            self.tr("Encrypt and restart"),
        )

    def _on_change_clicked(self) -> None:
        self._open_form(
            _Purpose.CHANGE,
            self.tr("Change the passphrase"),
            self.tr("It counts at once. Older copies of the folder still open with the old one."),
            self.tr("Change"),
        )

    def _on_decrypt_clicked(self) -> None:
        self._open_form(
            _Purpose.DECRYPT,
            self.tr("Decrypt your memories"),
            self.tr("Keepsake starts again and decrypts every file. Anyone who can read this disk can then read them."),
            self.tr("Decrypt and restart"),
        )

    def _on_keyring_clicked(self, is_wanted: bool) -> None:
        if not is_wanted:
            self.run(self._change(operations.encryption.forget()), self._show)
            return
        self.keyring.setChecked(False)  # until it is so
        self._open_form(
            _Purpose.REMEMBER,
            self.tr("Open without the passphrase"),
            self.tr("Anyone who is logged in to this account can then open your memories. A lock still asks for it."),
            self.tr("Keep the key in the keyring"),
        )

    def _on_confirm_clicked(self) -> None:
        if not self.confirm.isEnabled():
            return
        old, new = self.old.text(), self.new.text()
        call = {
            _Purpose.ENCRYPT: operations.encryption.encrypt(passphrase=new),
            _Purpose.CHANGE: operations.encryption.change(old=old, new=new),
            _Purpose.DECRYPT: operations.encryption.decrypt(passphrase=old),
            _Purpose.REMEMBER: operations.encryption.remember(passphrase=old),
        }[self._purpose]
        self.confirm.setEnabled(False)
        self.run(self._carry_out(call, self._purpose), self._offer)

    async def _carry_out(self, call: "TypedCall[EncryptionStatus]", purpose: _Purpose) -> None:
        await self._change(call)
        self._close_form()
        if purpose in {_Purpose.ENCRYPT, _Purpose.DECRYPT}:
            self.restart_requested.emit()

    async def _change(self, call: "TypedCall[EncryptionStatus]") -> None:
        status = await self.bridge.call(call)
        self.status = status
        self._show()

    def _on_cancel_pending_clicked(self) -> None:
        self.run(self._change(operations.encryption.cancel()), self._show)

    def _on_cancel_clicked(self) -> None:
        self._close_form()
        self._show()
        opener = {
            _Purpose.ENCRYPT: self.encrypt,
            _Purpose.CHANGE: self.change,
            _Purpose.DECRYPT: self.decrypt,
            _Purpose.REMEMBER: self.keyring,
        }[self._purpose]
        opener.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_settings_changed(self) -> None:
        if self.isVisible():
            self.run(self._load())
