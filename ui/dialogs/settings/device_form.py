"""Form of an act on the machines that share the memory."""

import platform
from collections.abc import Callable
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from ui import theme
from ui.dialogs.base_dialog import note
from ui.dialogs.confirm_card import ConfirmCard
from ui.models.dates import clock_time
from ui.widgets.box_layouts import Stretch, hbox
from ui.widgets.button import text_button
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from app.devices.model import Invitation

_FIELD_WIDTH = 460
_SUFFIX = "keepsake-invitation"
_COLUMNS = 3
_CELL = 10
"""Characters of the longest words and the space after them."""


class FormPurpose(Enum):
    """Act that a form is for."""

    SERVER = auto()
    JOIN = auto()
    INVITE = auto()
    RENAME = auto()
    REMOVE = auto()
    LEAVE = auto()


class DeviceForm(ConfirmCard):
    """Question about an act on the machines, with the fields that it needs."""

    confirmed = Signal(object)
    """Its ``FormPurpose``; the person agreed."""
    save_requested = Signal(str, str)
    """Path of a file, and the sealed address to write there."""
    load_requested = Signal(str)
    """Path of a file with a sealed address."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self.purpose = FormPurpose.SERVER
        self._invited: Invitation | None = None
        self._labels: dict[QLineEdit, PlainLabel] = {}
        self.invitation = PlainLabel("", self)
        theme.set_type(self.invitation, "code")
        self.invitation.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.invitation.setAccessibleName(self.tr("Words of the invitation"))
        self.copy = text_button(self.tr("Copy the words"), icon_name="copy", parent=self)
        self.copy.clicked.connect(self._on_copy_clicked)
        self.rows.addWidget(self.invitation, alignment=Qt.AlignmentFlag.AlignLeading)
        self.rows.addWidget(self.copy, alignment=Qt.AlignmentFlag.AlignLeading)
        self.save = text_button(self.tr("Save the address as a file…"), icon_name="download", parent=self)
        self.save.clicked.connect(self._on_save_clicked)
        self.rows.addWidget(self.save, alignment=Qt.AlignmentFlag.AlignLeading)
        self.address = self._field(
            self.tr("Where they meet"), self.tr("A folder, or postgresql://…, https://… or s3://… with the login")
        )
        self.browse = text_button(self.tr("Choose the folder…"), icon_name="folder-open", parent=self)
        self.browse.clicked.connect(partial(self.choose_folder, self.address.setText))
        self.rows.addWidget(self.browse, alignment=Qt.AlignmentFlag.AlignLeading)
        self.load = text_button(self.tr("Take the address from a file…"), icon_name="file-text", parent=self)
        self.load.clicked.connect(self._on_load_clicked)
        self.rows.addWidget(self.load, alignment=Qt.AlignmentFlag.AlignLeading)
        self.words = self._field(self.tr("Twelve words"), self.tr("From the other machine, in their order"))
        self.machine = self._field(self.tr("Name of the machine"), self.tr("Such as laptop"))
        self._purposes = {
            self.address: (FormPurpose.SERVER, FormPurpose.JOIN),
            self.words: (FormPurpose.JOIN,),
            self.machine: (FormPurpose.JOIN, FormPurpose.RENAME),
        }
        self.confirm.clicked.connect(self._on_confirm_clicked)
        self.cancel.clicked.connect(self.hide)

    def _field(self, name: str, hint: str) -> QLineEdit:
        field = QLineEdit(self)
        field.setAccessibleName(name)
        field.setPlaceholderText(hint)
        field.setMaximumWidth(theme.current().scaled(_FIELD_WIDTH))
        field.textChanged.connect(self._offer)
        field.returnPressed.connect(self._on_confirm_clicked)
        self._labels[field] = note(name, self)
        self.rows.addWidget(self._labels[field])
        line = hbox((field, 1), Stretch(0))
        self.rows.addLayout(line)
        return field

    def open(self, purpose: FormPurpose, machine: str = "") -> None:
        """Show the question of an act, about a machine by its name."""
        self.purpose = purpose
        title, text, confirm = self._texts(machine)
        self.title.setText(title)
        self.text.setText(text)
        self.confirm.setText(confirm)
        self.confirm.setVisible(bool(confirm))
        self.cancel.setText(self.tr("Done") if purpose is FormPurpose.INVITE else self.tr("Cancel"))
        self.invitation.clear()
        self._invited = None
        for widget in (self.invitation, self.copy, self.save):
            widget.setVisible(purpose is FormPurpose.INVITE)
        for field, label in self._labels.items():
            has_field = purpose in self._purposes[field]
            field.setVisible(has_field)
            label.setVisible(has_field)
        for button in (self.browse, self.load):
            button.setVisible(purpose is FormPurpose.JOIN)
        for field in (self.address, self.words):
            field.clear()
        self.machine.setText(platform.node() if purpose is FormPurpose.JOIN else machine)
        self._offer()
        self.show()
        fields = [field for field in (self.address, self.machine) if not field.isHidden()]
        (fields[0] if fields else self.cancel).setFocus(Qt.FocusReason.OtherFocusReason)

    def _texts(self, machine: str) -> tuple[str, str, str]:
        """Return title, explanation and button of the act."""
        if self.purpose is FormPurpose.SERVER:
            return (
                self.tr("Share through a server"),
                self.tr(
                    "A PostgreSQL database, a WebDAV folder such as one of Nextcloud, or S3 storage, each with its"
                    " login. The help page shows what the address of each looks like."
                ),
                self.tr("Share"),
            )
        if self.purpose is FormPurpose.JOIN:
            return (
                self.tr("Join your other machines"),
                self.tr(
                    "On a machine that shares already, choose “Add a machine…”, and type its twelve words here. Name"
                    " the folder where it is on this machine, or the same server, which you can take from the file"
                    " that was saved there."
                ),
                self.tr("Join"),
            )
        if self.purpose is FormPurpose.INVITE:
            return (
                self.tr("Add a machine"),
                self.tr(
                    "On the new machine, choose “Join my other machines…” and type these words. They count once, and"
                    " end when Keepsake is closed here. Then come back here and let it in."
                ),
                "",
            )
        if self.purpose is FormPurpose.RENAME:
            return self.tr("Another name for this machine"), "", self.tr("Rename")
        if self.purpose is FormPurpose.REMOVE:
            return (
                self.tr("Remove {machine}?").format(machine=machine),
                self.tr(
                    "It reads nothing that is written from now on. What it has already, it keeps: nobody can erase it"
                    " from afar. If it was stolen, change the password of the server or folder too."
                ),
                self.tr("Remove"),
            )
        return (
            self.tr("Stop sharing from this machine?"),
            self.tr("This machine and the others keep all that they have. You can join again at any time."),
            self.tr("Stop sharing"),
        )

    def show_invitation(self, invitation: "Invitation") -> None:
        """Show the words of an invitation, numbered, in columns that are read downwards."""
        self._invited = invitation
        self.title.setText(self.tr("Add a machine until {time}").format(time=clock_time(invitation.expires_at)))
        self.save.setVisible(bool(invitation.place))
        given = invitation.words.split()
        rows = -(-len(given) // _COLUMNS)
        cells = [f"{number:2} {word:<{_CELL}}" for number, word in enumerate(given, 1)]
        self.invitation.setText("\n".join(" ".join(cells[row::rows]).rstrip() for row in range(rows)))

    def show_end(self) -> None:
        """Say that the words which are shown count no longer."""
        if self._invited is None or self.isHidden():
            return
        self.open(FormPurpose.INVITE)
        self.text.setText(self.tr("The ten minutes of these words are over. Choose “Add a machine…” for others."))
        for widget in (self.invitation, self.copy, self.save):
            widget.hide()

    def _on_copy_clicked(self) -> None:
        if self._invited is not None:
            QGuiApplication.clipboard().setText(self._invited.words)

    def _on_save_clicked(self) -> None:
        dialog = self._file_dialog(self.tr("Save the address"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(_SUFFIX)
        dialog.selectFile(f"Keepsake.{_SUFFIX}")
        dialog.fileSelected.connect(self._on_save_chosen)
        dialog.open()

    def _on_save_chosen(self, path: str) -> None:
        if self._invited is not None:
            self.save_requested.emit(path, self._invited.place)

    def _on_load_clicked(self) -> None:
        dialog = self._file_dialog(self.tr("Take the address from a file"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.load_requested)
        dialog.open()

    def _file_dialog(self, title: str) -> QFileDialog:
        dialog = QFileDialog(self, title)
        dialog.setNameFilter(self.tr("Invitation (*.{suffix})").format(suffix=_SUFFIX))
        dialog.finished.connect(dialog.deleteLater)
        return dialog

    def _offer(self) -> None:
        """Offer the act once its fields are filled in."""
        fields = [field for field in (self.address, self.words, self.machine) if not field.isHidden()]
        self.confirm.setEnabled(all(field.text().strip() for field in fields))

    def _on_confirm_clicked(self) -> None:
        if self.confirm.isEnabled() and not self.confirm.isHidden():
            self.confirmed.emit(self.purpose)

    def choose_folder(self, act: Callable[[str], object]) -> None:
        """Let the person choose a folder, and call ``act`` with it."""
        dialog = QFileDialog(self, self.tr("Choose the folder where your machines meet"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(act)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
