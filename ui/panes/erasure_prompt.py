"""Question before something is erased for ever, and the erasure."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from ui import operations
from ui.engine_texts import engine_text
from ui.notice import Notice
from ui.translation import translate
from ui.widgets.plain_text import PlainMessageBox

if TYPE_CHECKING:
    from app.erasure.model import ErasureReceipt
    from ui.bridge import Bridge


def ask_to_erase(parent: QWidget, text: str, what: str, erase: Callable[[], object]) -> PlainMessageBox:
    """Ask whether something may be erased for ever.

    Args:
        parent: The widget that asks.
        text: The question.
        what: A sentence on what is removed.
        erase: Called when the person agrees.

    Returns:
        The box that asks.
    """
    detail = translate("Erasure", "{what} Earlier backups may still hold it. Nothing can undo this.").format(what=what)
    box = PlainMessageBox(translate("Erasure", "Erase for ever"), text, detail, parent)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    yes = box.addButton(translate("Erasure", "Erase for ever"), QMessageBox.ButtonRole.DestructiveRole)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    yes.clicked.connect(erase)
    box.open()
    return box


async def erase_for_ever(bridge: "Bridge", done: str, ids: Sequence[str] = (), sessions: Sequence[str] = ()) -> Notice:
    """Erase for ever, and return what to tell the person.

    Args:
        bridge: The connection to the engine.
        done: What was done, as a sentence without its full stop; it quotes nothing of what is erased.
        ids: Memories, schedules and saved searches.
        sessions: Conversations.
    """
    receipt: ErasureReceipt = await bridge.call(
        operations.memory.forget_forever(ids=list(ids), sessions=list(sessions), confirm=True)
    )
    if not receipt.notes:
        return Notice(done, is_quoting=False)
    text = " ".join([translate("Erasure", "{done}.").format(done=done), *map(engine_text, receipt.notes)])
    # What is not gone yet is not to be missed.
    return Notice(text, kind="info" if receipt.verified else "error", is_quoting=False)
