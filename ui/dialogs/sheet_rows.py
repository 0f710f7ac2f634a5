"""Rows of the forms in sheets."""

from PySide6.QtWidgets import QLineEdit, QWidget

from ui.style.design_tokens import Space
from ui.widgets.box_layouts import hbox
from ui.widgets.button import text_button
from ui.widgets.fields.form_row import FormRow

LONGEST_PATH = 4096


class SheetRow(FormRow):
    """A name, an explanation, and a control as wide as all others.

    Args:
        title: The name.
        control: The control.
        parent: The Qt parent.
        about: The explanation.
    """

    def __init__(self, title: str, control: QWidget, parent: QWidget | None = None, about: str = "") -> None:
        super().__init__(title, parent, reserve=0)
        self.side.addWidget(control)
        self.fit_width(control)
        self.explain(about)

    def explain(self, about: str) -> None:
        """Show another explanation, none where it is empty."""
        self.about.setText(about)
        self.about.setVisible(bool(about))


class PathRow(FormRow):
    """A path to type, and a button that opens a dialog to choose it.

    Args:
        title: The name of the path.
        about: What happens to a file that is there.
        purpose: The accessible name of the button.
        parent: The Qt parent.
    """

    def __init__(self, title: str, about: str, purpose: str, parent: QWidget | None = None) -> None:
        super().__init__(title, parent, reserve=0, is_wide=True)
        self.about.setText(about)
        self.path = QLineEdit(self)
        self.path.setAccessibleName(title)
        self.path.setMaxLength(LONGEST_PATH)
        self.browse = text_button(self.tr("Choose…"), parent=self)
        self.browse.setAccessibleName(purpose)
        row = hbox((self.path, 1), self.browse, spacing=Space.S)
        self.side.addLayout(row)
