"""Start page: shown while the vault opens, or when it could not."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QProgressBar, QPushButton, QWidget

from app.core.vault_opening import OpeningStep
from app.errors import KeepsakeError, PassphraseRequiredError
from app.upkeep.model import BackupInfo
from ui import theme
from ui.models.dates import format_number
from ui.shell.start.backup_choice import BackupChoice
from ui.shell.start.decryption_form import DecryptionForm
from ui.shell.start.opening_advice import OpeningAdviser, OpeningRemedy
from ui.shell.start.unlock_form import UnlockForm
from ui.style.design_tokens import Space
from ui.style.icons import icon, pixmap
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.plain_text import PlainLabel

TEXT_WIDTH = 480
LOGO = 72
QUIET_MS = 300


class StartPage(QWidget):
    """The logo with a moving bar, or why the vault is closed and what helps."""

    retry_requested = Signal()
    quit_requested = Signal()
    remedy_requested = Signal(object)  # OpeningRemedy, other than to try again
    restore_requested = Signal(str)
    """Restore the backup of this name."""
    unlock_requested = Signal(str)
    """Unlock the vault with this passphrase."""
    cancel_requested = Signal()
    """Call off an encryption that has not begun."""
    decryption_answered = Signal(bool)
    """Carries True where a decryption that was requested elsewhere is to be carried out."""
    failed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme.current().add_root(self)
        self.setObjectName("sheet")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setAccessibleName(self.tr("Opening the vault"))
        self._adviser = OpeningAdviser(self)
        self._error: KeepsakeError | None = None
        self.is_encrypting = False
        """True where the passphrase begins an encryption, which can still be called off."""
        self._offered: list[OpeningRemedy] = []
        self._logo = PlainLabel(self)
        self._logo.setPixmap(pixmap("keepsake", LOGO, "#000000", self.devicePixelRatioF()))
        self._title = PlainLabel(self, style="title")
        self._text = self._sentence("body muted")
        self._result = self._sentence("body")
        self._bar = QProgressBar(self)
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(180)
        self._bar.setAccessibleName(self.tr("Opening the vault"))
        self.choice = BackupChoice(self)
        self.choice.restore_requested.connect(self.restore_requested)
        self.choice.back_requested.connect(self._on_back_requested)
        self.form = UnlockForm(self)
        self.form.unlock_requested.connect(self.unlock_requested)
        self.form.cancel_requested.connect(self.cancel_requested)
        self.decryption = DecryptionForm(self)
        self.decryption.answered.connect(self.decryption_answered)
        self._make_buttons()
        self._lay_out()
        # A vault that opens at once should not flash a bar.
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._quiet.timeout.connect(self._on_quiet_ended)
        self._set_shown(self._bar, self._buttons, self.choice, self.form, self.decryption, self._result, is_shown=False)

    def _sentence(self, type_step: str) -> PlainLabel:
        label = PlainLabel(self, wraps=True)
        label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        theme.set_type(label, type_step)
        return label

    def _make_buttons(self) -> None:
        self._buttons = QWidget(self)
        self._icons: dict[OpeningRemedy, str] = {}
        words = {
            OpeningRemedy.RETRY: (self.tr("Try again"), "refresh-cw"),
            OpeningRemedy.RESTORE: (self.tr("Restore a backup…"), "archive-restore"),
            OpeningRemedy.SALVAGE: (self.tr("Rescue what can be read"), "download"),
            OpeningRemedy.USE_SALVAGED: (self.tr("Use what was rescued"), "check"),
            OpeningRemedy.CHECK: (self.tr("Check the file"), "shield-check"),
            OpeningRemedy.OTHER: (self.tr("Open another vault…"), "folder-open"),
            OpeningRemedy.SAFE_MODE: (self.tr("Start in safe mode"), "wrench"),
        }
        self.remedies: dict[OpeningRemedy, QPushButton] = {}
        for remedy, (text, icon_name) in words.items():
            self.remedies[remedy] = button = text_button(text, parent=self._buttons)
            self._icons[remedy] = icon_name
            button.clicked.connect(partial(self._on_remedy_clicked, remedy))
        self.copy = text_button(self.tr("Copy details"), "quiet", parent=self._buttons)
        self.quit = text_button(self.tr("Quit"), "quiet", parent=self._buttons)
        self.copy.clicked.connect(self._on_copy_clicked)
        self.quit.clicked.connect(self.quit_requested)
        self._grid = QGridLayout()
        self._grid.setSpacing(Space.S)
        row = hbox(Stretch(), self.copy, self.quit, Stretch(), spacing=Space.S)
        vbox(self._grid, row, parent=self._buttons, margins=(0, Space.S, 0, 0), spacing=Space.M)

    def _lay_out(self) -> None:
        # Of its own width: beside an alignment, a label would get the height that its text needs in the whole window.
        self._middle = QWidget(self)
        column = vbox(Stretch(2), parent=self._middle, margins=0, spacing=Space.M)
        self._title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._title.setWordWrap(True)
        forms = (self.choice, self.form, self.decryption)
        for widget in (self._logo, self._title, self._text, self._result, self._bar, *forms, self._buttons):
            is_narrow = widget in {self._logo, self._bar}
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter if is_narrow else Qt.AlignmentFlag(0))
        column.addStretch(3)
        hbox(Stretch(), self._middle, Stretch(), parent=self)
        theme.current().changed.connect(self._fit)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take the width that there is."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give the sentences a good width to read, or what there is."""
        self._middle.setFixedWidth(min(theme.current().scaled(TEXT_WIDTH), max(1, self.width() - 2 * Space.XL)))
        self._place_remedies()

    @property
    def title(self) -> str:
        """Heading of the page."""
        return self._title.text()

    @property
    def text(self) -> str:
        """Text of the page."""
        return self._text.text()

    @property
    def result(self) -> str:
        """Outcome of what was tried, ``""`` before."""
        return self._result.text() if not self._result.isHidden() else ""

    @property
    def retry(self) -> QPushButton:
        """Button to try again."""
        return self.remedies[OpeningRemedy.RETRY]

    def show_opening(self, vault: str) -> None:
        """Say that the vault is being opened."""
        self._error = None
        self._title.setText(self.tr("Keepsake"))
        self._text.setText(self.tr("Opening {vault}").format(vault=vault))
        self._result.clear()
        self._bar.setRange(0, 0)
        self._set_shown(self._buttons, self.choice, self.form, self.decryption, self._result, is_shown=False)
        self._quiet.start()
        self.setFocus()
        self.failed.emit(False)

    def show_step(self, step: OpeningStep) -> None:
        """Say what is done before the vault is open, with how far it is."""
        if step.work == "encryption":
            sentence = self.tr("Encrypting your memories.")
        elif step.work == "decryption":
            sentence = self.tr("Decrypting your memories.")
        elif step.work == "restore":
            sentence = self.tr("Restoring the backup that you chose.")
        elif step.work == "backup":
            sentence = self.tr(
                "Making a backup, before your memories are brought up to date for this version of Keepsake."
            )
        else:
            sentence = self.tr(
                "Bringing your memories up to date for this version of Keepsake: step {step} of {steps}."
            )
        self._result.setText(sentence.format(step=format_number(step.number), steps=format_number(step.count)))
        # A step is under way while its number is shown, a backup's percentage is done.
        self._bar.setRange(0, step.count)
        self._bar.setValue(step.number - (step.work == "migration"))
        if not self._quiet.isActive():
            self._on_quiet_ended()

    def show_error(self, error: KeepsakeError) -> None:
        """Say why the vault could not be opened, and offer what fits."""
        if isinstance(error, PassphraseRequiredError) and error.data.get("must_confirm") is True:
            self._ask_to_decrypt()
            return
        if isinstance(error, PassphraseRequiredError):
            self.is_encrypting = error.data.get("can_cancel") is True
            self.show_locked()
            return
        advice = self._adviser.advice(error)
        self._error = error
        self._title.setText(self.tr("The vault could not be opened"))
        self._text.setText(advice.sentence)
        self._result.hide()
        self._offer(advice.remedies)
        self.failed.emit(True)

    def show_locked(self, problem: str = "") -> None:
        """Ask for the passphrase, after ``problem`` where there was one."""
        self._quiet.stop()
        # Nothing is locked while nothing is encrypted yet.
        self._title.setText(self.tr("Encrypt your memories") if self.is_encrypting else self.tr("Keepsake is locked"))
        self._text.setText(
            self.tr(
                "Your memories will be encrypted now. Type the passphrase that you chose. Without it you can still "
                "call this off, because nothing is encrypted yet."
            )
            if self.is_encrypting
            else self.tr("Your memories are encrypted. Type the passphrase to open them.")
        )
        self.form.set_encrypting(self.is_encrypting)
        self._set_shown(self._bar, self._result, is_shown=False)
        self._offer((OpeningRemedy.OTHER,), is_leading=False)
        self.copy.hide()
        self.form.show()
        self.failed.emit(True)
        self.form.ask(problem)

    def _ask_to_decrypt(self) -> None:
        """Ask whether a decryption that was requested elsewhere is to be carried out."""
        self._quiet.stop()
        self._title.setText(self.tr("Decrypt your memories?"))
        self._text.setText(
            self.tr(
                "Somebody asked to have your memories decrypted, and not from this account of this computer. If it was"
                " not you, somebody has changed their folder: keep them encrypted. Decrypted, anyone who can read this"
                " disk can read them."
            )
        )
        self._set_shown(self._bar, self._result, is_shown=False)
        self._offer((OpeningRemedy.OTHER,), is_leading=False)
        self.copy.hide()
        self.decryption.show()
        self.decryption.keep.setFocus()
        self.failed.emit(True)

    def show_working(self, doing: str) -> None:
        """Say what is being done; everything else waits for it."""
        self._result.setText(doing)
        self._bar.setRange(0, 0)
        self._result.show()
        self._bar.show()
        self.setFocus()  # the buttons go, and the focus would wander off into the sidebar
        self._set_shown(self.choice, self.form, self.decryption, self._buttons, is_shown=False)

    def show_result(self, sentence: str, first: OpeningRemedy | None = None) -> None:
        """Say what came of a remedy, and offer the others again.

        Args:
            sentence: What to say.
            first: The one that fits now.
        """
        known = self._adviser.advice(self._error).remedies if self._error is not None else ()
        self._result.setText(sentence)
        self._offer(((first,) if first is not None else ()) + tuple(vault for vault in known if vault is not first))
        self._result.setVisible(bool(sentence))

    def show_backups(self, backups: Sequence[BackupInfo]) -> None:
        """Show the backups to choose one from."""
        self._quiet.stop()
        self._set_shown(self._bar, self._buttons, self.form, self.decryption, is_shown=False)
        self.choice.show_backups(backups)
        self._result.setText(
            self.tr("What is there now is kept beside the backups, so this can be taken back.")
            if self.choice.has_choice
            else self.tr("There is no backup that could be restored.")
        )
        self._result.show()

    def finish(self) -> None:
        """Stop moving; the window goes on without this page."""
        self._quiet.stop()
        self._bar.hide()

    def _offer(self, remedies: Sequence[OpeningRemedy], *, is_leading: bool = True) -> None:
        """Show the buttons of ``remedies``.

        Args:
            remedies: What to offer.
            is_leading: The first is the one to press.
        """
        self._quiet.stop()
        self._set_shown(self._bar, self.choice, self.form, self.decryption, is_shown=False)
        self.copy.show()
        for remedy, button in self.remedies.items():
            self._grid.removeWidget(button)
            button.setVisible(remedy in remedies)
        for place, remedy in enumerate(remedies):
            button = self.remedies[remedy]
            is_primary = is_leading and place == 0
            button.setProperty("primary", is_primary)
            button.setIcon(icon(self._icons[remedy], "on_accent" if is_primary else "muted"))
            theme.repolish(button)
        self._offered = list(remedies)
        self._place_remedies()
        self._buttons.show()
        self.remedies[remedies[0]].setFocus()

    def _place_remedies(self) -> None:
        """Put the first button above pairs of others, or all in one column."""
        buttons = [self.remedies[remedy] for remedy in self._offered]
        room = (self._middle.minimumWidth() - self._grid.horizontalSpacing()) // 2
        is_narrow = any(button.sizeHint().width() > room for button in buttons[1:])
        for button in buttons:
            self._grid.removeWidget(button)
        for place, button in enumerate(buttons):
            if is_narrow or place == 0:
                self._grid.addWidget(button, place, 0, 1, 2)
            else:
                is_alone = place % 2 == 1 and place == len(buttons) - 1
                self._grid.addWidget(button, (place + 1) // 2, (place + 1) % 2, 1, 1 + is_alone)

    @staticmethod
    def _set_shown(*widgets: QWidget, is_shown: bool) -> None:
        for widget in widgets:
            widget.setVisible(is_shown)

    def _on_quiet_ended(self) -> None:
        self._bar.show()
        self._result.setVisible(bool(self._result.text()))

    def _on_remedy_clicked(self, remedy: OpeningRemedy) -> None:
        if remedy is OpeningRemedy.RETRY:
            self.retry_requested.emit()
        else:
            self.remedy_requested.emit(remedy)

    def _on_back_requested(self) -> None:
        self.show_result("")

    def _on_copy_clicked(self) -> None:
        if self._error is not None:
            QGuiApplication.clipboard().setText(f"{self._error.code}: {self._error.message}\n{self._error.data}")
