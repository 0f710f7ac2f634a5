"""Welcome: three short steps at the first start, each of which can be skipped."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from ui.dialogs.base_dialog import BaseDialog, note
from ui.shell.navigation import Place
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import Stretch, hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel

SIGN, LOGO = 40, 56
"""Pixels of the side of a step's picture, and of the program's own."""
_PROGRAM = "keepsake"


class WelcomeDialog(BaseDialog):
    """Sheet with the three steps of the first start.

    Args:
        vault: The vault's folder, as a person reads it.
        has_tray: Whether closing the window can leave an icon in the tray.
        window: The window in whose sheets it opens.
    """

    measure = 640

    import_requested = Signal()
    sample_requested = Signal()
    navigate = Signal(object)  # Place
    settings_requested = Signal(str)

    def __init__(self, vault: str, *, has_tray: bool, window: QWidget | None = None) -> None:
        super().__init__("", window)
        self._steps = QStackedWidget(self)
        self.body.addStretch(1)
        self.body.addWidget(self._steps)
        self.body.addStretch(2)
        self._add_what(vault)
        self._add_bring()
        self._add_work(has_tray=has_tray)
        self._where = note("", self)
        self._row.insertWidget(0, self._where)
        self.skip = self.add_button(text_button(self.tr("Skip"), "quiet", parent=self))
        self.before = self.add_button(text_button(self.tr("Back"), parent=self))
        self.next = self.add_button(text_button(self.tr("Next"), "primary", parent=self))
        self.skip.clicked.connect(self.reject)
        self.before.clicked.connect(self._on_before_clicked)
        self.next.clicked.connect(self._on_next_clicked)
        self._show(0)

    @property
    def step(self) -> int:
        """The number of the step in front, from 0."""
        return self._steps.currentIndex()

    def bring_to_front(self) -> None:
        """Show the steps with the keyboard on the way forward."""
        super().bring_to_front()
        self.next.setFocus()

    def _add_what(self, vault: str) -> None:
        self._add_step(
            _PROGRAM,
            self.tr("A memory of your own"),
            (
                self.tr(
                    "Keepsake keeps your conversations, notes and facts, and finds them again by words and meaning."
                ),
                self.tr("All of it lies in one folder on this machine. Nothing is sent away unless you set that up."),
                self.tr("Your vault: {folder}").format(folder=vault),
            ),
        )

    def _add_bring(self) -> None:
        bring = text_button(self.tr("Import…"), icon_name="download", parent=self)
        bring.clicked.connect(self._on_import_clicked)
        sample = text_button(self.tr("Look at a sample vault"), icon_name="eye", parent=self)
        sample.clicked.connect(self.sample_requested)
        self._add_step(
            "download",
            self.tr("Bring things in"),
            (
                self.tr(
                    "An export of ChatGPT or Claude, or a folder of Markdown notes. You see first what will be made."
                ),
                self.tr("The sample vault opens in a window of its own and leaves yours as it is."),
                self.tr("Or start empty: Quick capture in the File menu saves a thought as a note."),
            ),
            (bring, sample),
        )

    def _add_work(self, *, has_tray: bool) -> None:
        agents = text_button(self.tr("Connect agents"), icon_name="bot", parent=self)
        agents.clicked.connect(self._on_agents_clicked)
        backups = text_button(self.tr("See backups"), icon_name="archive", parent=self)
        backups.clicked.connect(self._on_backups_clicked)
        stays = self.tr("Closing the window can leave Keepsake in the tray, where your agents still reach it.")
        if not has_tray:
            stays = self.tr("Closing the window can leave Keepsake running, hidden. Start it again to see the window.")
        self._add_step(
            "sparkles",
            self.tr("How it works for you"),
            (
                stays,
                self.tr("Agents read your memory only after you allow them, and you can pause them at any time."),
                self.tr("A backup is made every day, and what you, an agent or a job changed can be undone."),
            ),
            (agents, backups),
        )

    def _add_step(
        self, icon_name: str, title: str, sentences: tuple[str, ...], buttons: tuple[QPushButton, ...] = ()
    ) -> None:
        page = QWidget(self._steps)
        column = vbox(parent=page, margins=0, spacing=Space.M)
        size = LOGO if icon_name == _PROGRAM else SIGN
        column.addWidget(IconLabel(icon_name, "accent", size, page), 0, Qt.AlignmentFlag.AlignLeft)
        heading = PlainLabel(title, page, style="title")
        column.addWidget(heading)
        for sentence in sentences:
            text = note(sentence, page, "body")
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addWidget(text)
        if buttons:
            row = hbox(*buttons, Stretch(), margins=(0, Space.S, 0, 0), spacing=Space.S)
            column.addLayout(row)
        column.addStretch(1)
        self._steps.addWidget(page)

    def _show(self, step: int) -> None:
        count = self._steps.count()
        self._steps.setCurrentIndex(step)
        self._where.setText(self.tr("Step {n} of {count}").format(n=step + 1, count=count))
        self.before.setVisible(step > 0)
        self.skip.setVisible(step < count - 1)
        self.next.setText(self.tr("Start") if step == count - 1 else self.tr("Next"))
        self.next.setFocus()

    def _on_before_clicked(self) -> None:
        self._show(self.step - 1)

    def _on_next_clicked(self) -> None:
        if self.step + 1 < self._steps.count():
            self._show(self.step + 1)
        else:
            self.reject()

    def _on_import_clicked(self) -> None:
        self.reject()
        self.import_requested.emit()

    def _on_agents_clicked(self) -> None:
        self.reject()
        self.navigate.emit(Place("agents"))

    def _on_backups_clicked(self) -> None:
        self.reject()
        self.settings_requested.emit("backups")
