"""Advice about a vault that could not be opened: a plain sentence, and what can be done."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from app.errors import KeepsakeError


class Remedy(StrEnum):
    """Something that the start page offers."""

    RETRY = "retry"
    RESTORE = "restore"
    CHECK = "check"
    SALVAGE = "salvage"
    USE_SALVAGED = "use-salvaged"
    OTHER = "other"
    SAFE_MODE = "safe-mode"


@dataclass(frozen=True, slots=True)
class Advice:
    """A sentence for the person with the remedies that fit.

    Args:
        sentence: Why the vault could not be opened.
        remedies: What fits, the best first.
    """

    sentence: str
    remedies: tuple[Remedy, ...]


_DAMAGED = (Remedy.RESTORE, Remedy.SALVAGE, Remedy.CHECK, Remedy.RETRY, Remedy.OTHER)
_SIMPLE = (Remedy.RETRY, Remedy.OTHER)
_REMEDIES: dict[str, tuple[Remedy, ...]] = {
    "vault_damaged": _DAMAGED,
    "vault_newer": (Remedy.RETRY, Remedy.RESTORE, Remedy.OTHER),
    "vault_unusable": (Remedy.RETRY, Remedy.RESTORE, Remedy.OTHER),
    "internal": (Remedy.RETRY, Remedy.SAFE_MODE, Remedy.CHECK, Remedy.OTHER),
}


class OpeningAdviser(QObject):
    """Finds the advice for an error that kept the vault closed."""

    def advice(self, error: KeepsakeError) -> Advice:
        """Return what to tell the person about ``error``."""
        remedies = _REMEDIES.get(error.code, _SIMPLE)
        if error.code == "vault_locked":
            return Advice(self._locked(str(error.data.get("owner") or "")), remedies)
        if error.code == "vault_newer":
            said = self.tr("Your memories were last opened by a newer Keepsake. Update Keepsake to open them.")
            return Advice(said, remedies)
        if error.code == "vault_damaged":
            return self._damaged(error.data)
        return Advice(error.message, remedies)

    def _locked(self, process: str) -> str:
        if not process:
            return self.tr("Another Keepsake has your memories open and does not answer. Close it, then try again.")
        return self.tr(
            "Another Keepsake (process {number}) has your memories open and does not answer. Close it, then try again."
        ).format(number=process)

    def _damaged(self, data: dict[str, Any]) -> Advice:
        place = Path(str(data.get("path", "")))
        if "refused" in data:
            said = self.tr(
                "The backup that was to be restored is damaged, so nothing was replaced. It was put aside as {name}."
            ).format(name=Path(str(data["refused"])).name)
            return Advice(said, (Remedy.RETRY, Remedy.RESTORE, Remedy.OTHER))
        if data.get("state") == "missing":
            said = self.tr(
                "The file with your memories is missing or empty in {folder}, although it was in use before."
            ).format(folder=place.parent)
            return Advice(said, (Remedy.RESTORE, Remedy.RETRY, Remedy.OTHER))
        if data.get("state") == "unfinished":
            said = self.tr(
                "Memories were being rescued into {folder}, and that did not finish. Rescue them again, or delete it."
            ).format(folder=place)
            return Advice(said, (Remedy.OTHER, Remedy.RETRY))
        said = self.tr("The file that holds your memories is damaged. Nothing was changed in it.")
        return Advice(said, _DAMAGED)
