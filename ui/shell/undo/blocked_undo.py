"""Question whether to undo a later change that is in the way, too."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from ui.shell.undo.act_sentences import act_text, refusal_text
from ui.translation import translate
from ui.widgets.plain_text import PlainMessageBox

if TYPE_CHECKING:
    from app.history.acts.model import Act
    from ui.shell.undo.undo_stack import UndoStack


def ask_to_undo_both(undo: "UndoStack", parent: QWidget, act: "Act", first: "Act") -> PlainMessageBox:
    """Ask whether to undo an act with what is in its way.

    Args:
        undo: Undoes both where the person agrees.
        parent: The window.
        act: What was to be undone.
        first: The act to undo first.

    Returns:
        The box that asks.
    """
    text = translate("Acts", "‘{what}’ cannot be undone by itself.").format(what=act_text(act))
    both = translate("Acts", "Undo both? Each is an entry of the history and can be done again there.")
    box = PlainMessageBox(translate("Acts", "Undo both?"), text, f"{refusal_text(act, first)}\n\n{both}", parent)
    yes = box.addButton(translate("Acts", "Undo both"), QMessageBox.ButtonRole.AcceptRole)
    box.setEscapeButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.setDefaultButton(yes)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    yes.clicked.connect(partial(undo.undo_with_later, act))
    box.open()
    return box
