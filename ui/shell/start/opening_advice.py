"""Advice about a vault that did not open: a plain sentence with remedies."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject

from app.errors import KeepsakeError
from ui.engine_texts import error_text


class OpeningRemedy(StrEnum):
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
    remedies: tuple[OpeningRemedy, ...]


DATABASE = "memory.db"
_DAMAGED = (OpeningRemedy.RESTORE, OpeningRemedy.SALVAGE, OpeningRemedy.CHECK, OpeningRemedy.RETRY, OpeningRemedy.OTHER)
_UNREADABLE = (
    OpeningRemedy.RETRY,
    OpeningRemedy.CHECK,
    OpeningRemedy.RESTORE,
    OpeningRemedy.SALVAGE,
    OpeningRemedy.OTHER,
)
_WITHOUT = (OpeningRemedy.RETRY, OpeningRemedy.SAFE_MODE, OpeningRemedy.OTHER)
_SIMPLE = (OpeningRemedy.RETRY, OpeningRemedy.OTHER)
_REMEDIES: dict[str, tuple[OpeningRemedy, ...]] = {
    "machine": _UNREADABLE,
    "time_limit": _UNREADABLE,
    "vault_newer": (OpeningRemedy.RETRY, OpeningRemedy.RESTORE, OpeningRemedy.OTHER),
    "model_unavailable": _WITHOUT,
    "keyring_unavailable": _WITHOUT,
    "keyring_missing": _WITHOUT,
    "internal": (OpeningRemedy.RETRY, OpeningRemedy.SAFE_MODE, OpeningRemedy.CHECK, OpeningRemedy.OTHER),
}


class OpeningAdviser(QObject):
    """Finds the advice for an error that kept the vault closed."""

    def advice(self, error: KeepsakeError) -> Advice:
        """Return what to tell the person about ``error``."""
        special = {
            "vault_damaged": self._damaged,
            "vault_unusable": self._unusable,
            "vault_read_only": self._read_only,
        }
        if error.code in special:
            return special[error.code](error)
        remedies = _REMEDIES.get(error.code, _SIMPLE)
        # The rest are not failures of the machine: a wrong setting says where it stands, a bug what kind it is.
        return Advice(self._sentence(error) or error_text(error), remedies)

    def _sentence(self, error: KeepsakeError) -> str:
        """Return why a sound vault did not open; ``""`` where the error says it best."""
        code = error.code
        if code in {"vault_locked", "host_unreachable", "too_many_connections", "idle"}:
            return self._locked(str(error.data.get("owner") or ""))
        known = {
            "vault_newer": self.tr("Your memories were last opened by a newer Keepsake. Update Keepsake to open them."),
            "disk_full": self.tr(
                "The disk with your memories is full. Free some space, then try again. Nothing that was saved is lost."
            ),
            "time_limit": self.tr("Reading your memories took too long. Try again, or check the file that holds them."),
            "passphrase_required": self.tr("Your memories are encrypted. Type the passphrase to open them."),
            "encryption_unavailable": self.tr(
                "Your memories are encrypted, and this installation of Keepsake cannot open them. "
                "The help on encryption says how to install one that can."
            ),
            "model_unavailable": self.tr(
                "A model that your settings name is not on this computer. Safe mode starts without it."
            ),
            "keyring_unavailable": self.tr(
                "The keyring of your desktop does not answer. Unlock it, then try again, or start in safe mode."
            ),
            "keyring_missing": self.tr(
                "Your desktop has no keyring for the keys that your settings name. Safe mode starts without them."
            ),
            "machine": self.tr(
                "Your memories could not be read from the disk. Try again; if that does not help, check the file."
            ),
        }
        return known.get(code, "")

    def _locked(self, process: str) -> str:
        if not process:
            return self.tr("Another Keepsake has your memories open and does not answer. Close it, then try again.")
        return self.tr(
            "Another Keepsake (process {number}) has your memories open and does not answer. Close it, then try again."
        ).format(number=process)

    def _read_only(self, error: KeepsakeError) -> Advice:
        state = error.data.get("state")
        if state == "older":
            sentence = self.tr(
                "Your memories are from an older Keepsake and have to be brought up to date. That needs free space and"
                " a folder that can be changed: copy the folder to such a place, then open it there."
            )
        elif state == "unfinished":
            sentence = self.tr(
                "A change to your memories was cut off, and taking it back needs a folder that can be changed."
                " Free some space, or copy the folder to another place and open it there."
            )
        else:
            sentence = self.tr(
                "Keepsake may not open or change {place}: your account lacks the permission, or the disk cannot be"
                " written. Give your account access, then try again, or copy the folder to another place."
            ).format(place=self._place(error))
        return Advice(sentence, _SIMPLE)

    def _unusable(self, error: KeepsakeError) -> Advice:
        state = error.data.get("state")
        if state == "unsafe":
            return Advice(error_text(error), _SIMPLE)
        if state == "plain":
            sentence = self.tr(
                "{place} is not encrypted, and your memories are: another program has put it there. Nothing was read"
                " from it or written to it. Move it out of the folder, then restore a backup or open another vault."
            ).format(place=error.data.get("path"))
            return Advice(sentence, (OpeningRemedy.RETRY, OpeningRemedy.RESTORE, OpeningRemedy.OTHER))
        if state == "outdated":
            sentence = self.tr(
                "Your memories could not be brought up to date for this version of Keepsake. Nothing was changed."
                " What they hold can be rescued into a new folder."
            )
            return Advice(
                sentence, (OpeningRemedy.SALVAGE, OpeningRemedy.RESTORE, OpeningRemedy.RETRY, OpeningRemedy.OTHER)
            )
        if state == "file":
            sentence = self.tr("{place} is a file. Your memories are kept in a folder; open that instead.")
            return Advice(sentence.format(place=self._place(error)), _SIMPLE)
        if state == "foreign":
            sentence = self.tr("{place} holds the data of another program. Nothing was changed in it.")
        else:
            sentence = self.tr("{place} cannot be opened. Check that it is there and that it is yours, then try again.")
        return Advice(
            sentence.format(place=self._place(error)), (OpeningRemedy.RETRY, OpeningRemedy.RESTORE, OpeningRemedy.OTHER)
        )

    def _place(self, error: KeepsakeError) -> str:
        """Return the folder or file that an error is about."""
        path = str(error.data.get("path") or "")
        if not path:
            return self.tr("The folder of your memories")
        return str(Path(path).parent) if path.endswith(DATABASE) else path

    def _damaged(self, error: KeepsakeError) -> Advice:
        data = error.data
        if "refused" in data:
            sentence = self.tr(
                "The backup that was to be restored is damaged, so nothing was replaced. It was put aside as {name}."
            ).format(name=Path(str(data["refused"])).name)
            return Advice(sentence, (OpeningRemedy.RETRY, OpeningRemedy.RESTORE, OpeningRemedy.OTHER))
        if data.get("state") == "missing":
            sentence = self.tr(
                "The file with your memories is missing or empty in {folder}, although it was in use before."
            ).format(folder=self._place(error))
            return Advice(sentence, (OpeningRemedy.RESTORE, OpeningRemedy.RETRY, OpeningRemedy.OTHER))
        if data.get("state") == "key-changed":
            sentence = self.tr(
                "The file encryption.json of your memories was changed, and not by Keepsake, so nothing was opened."
                " Put a copy in its place that Keepsake wrote: one lies in the folder backups."
            )
            return Advice(sentence, _SIMPLE)
        if data.get("state") == "key":
            sentence = self.tr(
                "The file encryption.json, which holds the key of your memories, is missing, damaged or of other"
                " memories. Nothing was changed. Bring it back from a copy of the folder."
            )
            return Advice(sentence, _SIMPLE)
        if data.get("state") == "unfinished":
            sentence = self.tr(
                "Memories were being rescued into {folder}, and that did not finish. Rescue them again, or delete it."
            ).format(folder=self._place(error))
            return Advice(sentence, (OpeningRemedy.OTHER, OpeningRemedy.RETRY))
        sentence = self.tr("The file that holds your memories is damaged. Nothing was changed in it.")
        return Advice(sentence, _DAMAGED)
