"""File names that are valid on every system.

Windows' reserved names, long titles, and names that differ in case alone are taken care of.
"""

import re
import unicodedata
from pathlib import PurePosixPath

MAX_CHARACTERS = 120
MAX_BYTES = 200
MAX_FOLDERS = 8
UNTITLED = "Untitled"
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)


def safe_name(title: str) -> str:
    """Return ``title`` as a valid stem of a file name.

    A title that is one already stays as it is.
    """
    name = _FORBIDDEN.sub("-", title)[: MAX_CHARACTERS * 2]
    name = name[:MAX_CHARACTERS].encode()[:MAX_BYTES].decode(errors="ignore").strip(" ").rstrip(". ")
    if not name or not name.strip("-. "):
        return UNTITLED
    if name.startswith("."):
        name = f"_{name[1:]}"
    return f"_{name}" if _RESERVED.fullmatch(name) else name


def safe_folders(path: str) -> PurePosixPath:
    """Return the folders of a relative path as safe ones; nothing in it leads upwards."""
    return PurePosixPath(*(safe_name(part) for part in PurePosixPath(path).parent.parts[:MAX_FOLDERS] if part != "/"))


class FileNames:
    """Gives out file names, each once, on systems that ignore case as well."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def take(self, folder: PurePosixPath, stem: str, suffix: str = ".md") -> PurePosixPath:
        """Return ``folder/stem.md``, or ``folder/stem (2).md`` when that is taken."""
        number = 1
        key = self._key(folder, stem, suffix)
        if key in self._taken:
            number = self._taken[key]
            while True:
                number += 1
                candidate = self._key(folder, f"{stem} ({number})", suffix)
                if candidate not in self._taken:
                    break
            self._taken[candidate] = 1
        self._taken[key] = number
        return folder / (f"{stem} ({number}){suffix}" if number > 1 else f"{stem}{suffix}")

    @staticmethod
    def _key(folder: PurePosixPath, stem: str, suffix: str) -> str:
        return unicodedata.normalize("NFC", f"{folder}/{stem}{suffix}").casefold()
