"""The keys of remote services: typed unseen, kept in the system's keyring, removed from it.

Never shown.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from app.config.model import SERVICES, SecretStatus
from app.errors import KeepsakeError
from ui import operations
from ui.engine_texts import engine_report, error_text
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox
from ui.widgets.button import text_button
from ui.widgets.fields.form_row import FormRow
from ui.work import Work

if TYPE_CHECKING:
    from ui.bridge import Bridge
    from ui.typed_call import TypedCall

_NAMES = {
    "openai": "OpenAI",
    "voyage": "Voyage AI",
    "cohere": "Cohere",
    "openai-compatible": "OpenAI-compatible",
}


class KeyField(FormRow):
    """Key field: the source of a service's key, and an input for a new one.

    The keyring is asked only for a service that is chosen here or in use: asking may make the system ask for its
    password.

    Args:
        bridge: The way to the vault.
        parent: The Qt parent.
        only: The one service it is about, such as ``llm``; a choice of all embedding services when empty.
    """

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None, only: str = "") -> None:
        super().__init__("", parent)
        self.title.setText(self.tr("Key of the service") if only else self.tr("Key of a remote service"))
        self._bridge = bridge
        self._work = Work(self, bridge)
        self._request = 0
        self._only = only
        self._about = self.about
        self._service = QComboBox(self)
        self._service.setAccessibleName(self.tr("Service of the key"))
        self._service.addItem(self.tr("Choose a service"), "")
        for name in (only,) if only else SERVICES:
            self._service.addItem(_NAMES.get(name, name), name)
        self._service.setVisible(not only)
        self._line = QLineEdit(self)
        self._line.setEchoMode(QLineEdit.EchoMode.Password)
        self._line.setInputMethodHints(
            Qt.InputMethodHint.ImhHiddenText
            | Qt.InputMethodHint.ImhSensitiveData
            | Qt.InputMethodHint.ImhNoPredictiveText
        )
        self._line.setPlaceholderText(self.tr("Paste the key"))
        self._line.setAccessibleName(self.title.text())
        self.title.setBuddy(self._line)
        self._keep = text_button(self.tr("Keep"), parent=self)
        self._remove = text_button(self.tr("Remove"), "danger", parent=self)
        self._lay_out()
        self._service.setCurrentIndex(1 if only else 0)
        self._service.currentIndexChanged.connect(self._on_service_changed)
        self._line.textChanged.connect(self._on_line_changed)
        self._line.returnPressed.connect(self._keep.click)
        self._keep.clicked.connect(self._on_keep_clicked)
        self._remove.clicked.connect(self._on_remove_clicked)
        self._show(None)

    def _lay_out(self) -> None:
        buttons = hbox(Stretch(), self._remove, self._keep, spacing=Space.S)
        self.side.addWidget(self._service)
        self.side.addWidget(self._line)
        self.side.addLayout(buttons)
        self.fit_width(self._service, self._line)

    @property
    def words(self) -> str:
        """Text that the search over settings looks at."""
        named = " ".join((*SERVICES, *_NAMES.values()))
        return f"{self.tr('Key of a remote service')} secret password keyring embedding {named}".casefold()

    @property
    def service(self) -> str:
        """Return the chosen service, ``""`` for none."""
        return str(self._service.currentData())

    def follow(self, model: str) -> None:
        """Choose the service named in ``model``, and look up its key again."""
        place = self._service.findData(model.partition(":")[0])
        if place > 0 and place != self._service.currentIndex():
            self._service.setCurrentIndex(place)
        elif self.service:
            self._look()

    def ask(self) -> None:
        """Look up where the key of the chosen service comes from."""
        if self.service:
            self._look()

    def hideEvent(self, event: QHideEvent) -> None:
        """Forget what was typed and not kept."""
        self._line.setText("")
        super().hideEvent(event)

    def _on_service_changed(self) -> None:
        self._line.setText("")
        self._request += 1  # what was asked is about another service
        self._show(None)
        if self.service:
            self._look()

    def _on_line_changed(self, text: str) -> None:
        self._keep.setEnabled(self._line.isEnabled() and bool(text.strip()))

    def _on_keep_clicked(self) -> None:
        value = self._line.text()
        self._line.setText("")
        if value.strip():
            self._change(operations.secret.set(name=self.service, value=value))

    def _on_remove_clicked(self) -> None:
        self._change(operations.secret.remove(name=self.service))

    def _look(self) -> None:
        if not self._about.text():
            self._about.setText(self.tr("Asking the keyring…"))
        self._start(operations.secret.status(name=self.service))

    def _change(self, call: "TypedCall[SecretStatus]") -> None:
        self._about.setText(self.tr("Asking the keyring…"))
        self._start(call)

    def _start(self, call: "TypedCall[SecretStatus]") -> None:
        self._request += 1
        self._work.start(self._answered(call, self._request))

    async def _answered(self, call: "TypedCall[SecretStatus]", request: int) -> None:
        try:
            status = await self._bridge.call(call)
        except KeepsakeError as error:
            if request == self._request:
                self._about.setText(error_text(error))
            return
        if request == self._request:  # of this service, and not from before a change
            self._show(status)

    def _show(self, status: SecretStatus | None) -> None:
        can_keep = status is not None and bool(status.keyring)
        self._line.setVisible(bool(self.service))
        self._line.setEnabled(can_keep)
        self._keep.setVisible(bool(self.service))
        self._on_line_changed(self._line.text())
        self._remove.setVisible(status is not None and status.is_kept)
        self._about.setText(self._sentence(status))

    def _sentence(self, status: SecretStatus | None) -> str:
        if status is None or (self._only and status.source == "none" and status.keyring and not status.note):
            return self.tr("It is kept in the keyring of this machine, never in the settings or the vault.")
        if status.source == "keyring":
            return self.tr("A key is kept in {place}.").format(place=status.place)
        if status.source == "variable":
            sentence = self.tr("It is taken from {place}.").format(place=status.place)
            return f"{sentence} {engine_report(status.note)}".strip()
        return engine_report(status.note) or self.tr("There is no key yet. It will be kept in {place}.").format(
            place=status.keyring
        )
