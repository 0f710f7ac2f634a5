"""Run of an import: an id by which the history knows that it is one."""

from typing import Final

from app.core.ids import new_id

IMPORT_RUN: Final = "import:"


def new_import_run() -> str:
    """Return the id of the run of a new import."""
    return f"{IMPORT_RUN}{new_id('run')}"
