"""Language model panel: key, test and cost of this month."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QTreeWidget, QTreeWidgetItem, QWidget

from app.config.model import LANGUAGE_MODEL
from ui import operations, theme
from ui.dialogs.base_dialog import note
from ui.dialogs.models.key_field import KeyField
from ui.dialogs.settings.panel import SettingsPanel
from ui.dialogs.settings.plain_table import fit_table, make_table
from ui.engine_texts import engine_report, engine_text
from ui.models.dates import format_number
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox
from ui.widgets.button import text_button
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from app.config.model import SettingValue
    from app.llm.model import ModelStatus, ModelTest
    from app.spending.model import Spending
    from ui.bridge import Bridge

_FULL = 1000


class LanguageModelPanel(SettingsPanel):
    """Key, test and spending, below the settings that they belong to."""

    is_first = False

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        self.keys = KeyField(bridge, self, only=LANGUAGE_MODEL)
        self.sent = note("", self, "body")
        self.test = text_button(self.tr("Test"), "primary", icon_name="play", parent=self)
        self.test.setAccessibleName(self.tr("Test the language model"))
        self.test.clicked.connect(self._on_test_clicked)
        self.result = note("", self, "body")
        self.result.setAccessibleName(self.tr("Result of the test"))
        line = hbox((self.test, 0, Qt.AlignmentFlag.AlignTop), (self.result, 1), spacing=Space.M)
        heading = PlainLabel(self.tr("This month"), self, style="strong")
        self.spent = note("", self, "body")
        self.bar = QProgressBar(self)
        self.bar.setRange(0, _FULL)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Share of the monthly limit that is spent"))
        self.usage: QTreeWidget = make_table(
            self,
            self.tr("What the language model was asked for this month"),
            (self.tr("For"), self.tr("Model"), self.tr("Requests"), self.tr("Tokens"), self.tr("Cost")),
        )
        self.column.addWidget(self.keys)
        self.column.addWidget(self.sent)
        self.column.addLayout(line)
        for widget in (heading, self.spent, self.bar, self.usage):
            self.column.addWidget(widget)
        for later in (self.bar, self.usage):
            later.hide()

    @property
    def words(self) -> str:
        """Text that the search over settings matches, in small letters."""
        key = self.tr("Key of the service")
        return f"{key} api password keyring test usage spend cost month tokens llm".casefold()

    def shown(self) -> None:
        """Load status, key and spending."""
        self.run(self._load())

    def follow(self, setting: "SettingValue") -> None:
        """Show what a changed service means."""
        if setting.name.startswith("llm."):
            self.result.setText("")
            self.run(self._load())

    async def _load(self) -> None:
        status: ModelStatus = await self.bridge.call(operations.llm.status())
        used: list[Spending] = await self.bridge.call(operations.llm.usage(months=1))
        self.test.setEnabled(status.is_configured)
        self.sent.setText(engine_text(status.sent))
        self.keys.setVisible(status.is_configured)
        if status.is_configured and not status.is_local:
            self.keys.ask()
        self._show_spending(status, used)

    def _show_spending(self, status: "ModelStatus", used: "list[Spending]") -> None:
        cost, cap = f"{status.spent_this_month:.2f}", f"{status.monthly_cap:.2f}"
        if status.monthly_cap:
            self.spent.setText(self.tr("{cost} of at most {cap} spent.").format(cost=cost, cap=cap))
            self.bar.setValue(min(_FULL, round(_FULL * status.spent_this_month / status.monthly_cap)))
        else:
            self.spent.setText(self.tr("{cost} spent; there is no limit.").format(cost=cost))
        self.bar.setVisible(bool(status.monthly_cap))
        month = datetime.now(UTC).strftime("%Y-%m")
        self.usage.clear()
        for usage in used:
            if usage.month != month:
                continue
            tokens = format_number(usage.input_tokens + usage.output_tokens)
            row = [
                usage.purpose.replace("_", " "),
                usage.model,
                format_number(usage.requests),
                tokens,
                f"{usage.cost:.2f}",
            ]
            QTreeWidgetItem(self.usage, row)
        self.usage.setVisible(self.usage.topLevelItemCount() > 0)
        fit_table(self.usage)

    def _on_test_clicked(self) -> None:
        self.test.setEnabled(False)
        self._say(self.tr("Asking…"), "body muted")
        self.run(self._test(), self._on_test_finished)

    async def _test(self) -> None:
        self._say("", "body")
        self._say(self.tr("Asking…"), "body muted")
        done: ModelTest = await self.bridge.call(operations.llm.test())
        if done.ok:
            words = self.tr("{model} answered in {seconds} seconds.")
            self._say(words.format(model=done.model, seconds=f"{done.seconds:.1f}"), "body accent")
        else:
            self._say(engine_report(done.note), "body danger")
        await self._load()

    def _on_test_finished(self) -> None:
        self.test.setEnabled(True)
        if self.result.text() == self.tr("Asking…"):
            self.result.setText("")

    def _say(self, text: str, kind: str) -> None:
        theme.set_type(self.result, kind)
        self.result.setText(text)
