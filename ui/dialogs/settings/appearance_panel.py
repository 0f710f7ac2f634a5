"""Preview of the appearance: what text, links, marks and buttons look like."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from ui.dialogs.base_dialog import note
from ui.dialogs.settings.panel import SettingsPanel
from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox, vbox
from ui.widgets.button import text_button
from ui.widgets.icon_label import IconLabel
from ui.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from ui.bridge import Bridge


class AppearancePanel(SettingsPanel):
    """A card with a little of everything, in the colours and size chosen above it."""

    is_first = False

    def __init__(self, bridge: "Bridge", parent: QWidget | None = None) -> None:
        super().__init__(bridge, parent)
        card = QFrame(self)
        card.setObjectName("card")
        title = PlainLabel(self.tr("Soil and compost"), card, style="heading")
        body = note(self.tr("The north bed is too wet for roses: Rosa says to dig in sand before March."), card, "body")
        small = note(self.tr("Note · edited today"), card)
        field = QLineEdit(self.tr("A field to type in"), card)
        field.setAccessibleName(self.tr("Example of a field"))
        buttons = hbox(IconLabel("pin", "accent", parent=card), (small, 1), spacing=Space.S)
        for words, look in ((self.tr("Later"), ""), (self.tr("Done"), "primary")):
            buttons.addWidget(text_button(words, look, parent=card))
        vbox(title, body, field, buttons, parent=card, margins=Space.L, spacing=Space.S)
        heading = PlainLabel(self.tr("Preview"), self, style="strong")
        self.column.addWidget(heading)
        self.column.addWidget(card)

    @property
    def words(self) -> str:
        """Text that the search over settings matches, in small letters."""
        return self.tr("Preview").casefold()
