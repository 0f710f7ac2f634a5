"""No test waits for a person: everything that opens a modal loop raises at once."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtGui import QDrag
from PySide6.QtWidgets import QColorDialog, QDialog, QFileDialog, QFontDialog, QInputDialog, QMenu, QMessageBox

MODAL: dict[type, tuple[str, ...]] = {
    QDialog: ("exec",),
    QMenu: ("exec",),
    QDrag: ("exec",),
    QMessageBox: ("exec", "question", "information", "warning", "critical", "about", "aboutQt"),
    QFileDialog: ("getOpenFileName", "getOpenFileNames", "getSaveFileName", "getExistingDirectory", "getOpenFileUrl"),
    QInputDialog: ("getText", "getMultiLineText", "getInt", "getDouble", "getItem"),
    QColorDialog: ("getColor",),
    QFontDialog: ("getFont",),
}


class ModalError(AssertionError):
    """A modal loop was about to start: it blocks the event loop, use ``open()`` instead."""


@pytest.fixture(autouse=True, scope="session")
def _no_modal_loops() -> Iterator[None]:
    """Replace every modal entry point for the whole run."""
    patch = pytest.MonkeyPatch()
    for owner, names in MODAL.items():
        for name in names:
            patch.setattr(owner, name, staticmethod(_refusal(f"{owner.__name__}.{name}")))
    yield
    patch.undo()


def _refusal(name: str) -> Any:
    def refuse(*_args: object, **_named: object) -> None:
        raise ModalError(f"{name} blocks the event loop; open() it and await its answer instead")

    return refuse
