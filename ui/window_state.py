"""Window state: an INI file in the vault, safe to delete."""

import os
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from app.encryption.model import KEY_FILE
from ui.shell.navigation import SCHEME, Place, link_of, place_of

FILE = "window.ini"
SEPARATOR = "\t"
CONTENT = ("panes/", "recents/places", "capture/")
"""Keys whose values may repeat content: titles, drafts, searches."""
APPEARANCE = ("look/", "panes/", "window/geometry", "window/pane")


class WindowState:
    """Geometry, last pane, splitters, recents and the unsaved capture.

    Args:
        vault: The vault's folder; made when the vault is opened, so nothing is written before it exists.
        has_appearance: False to leave sizes, places and colours as they are in the file, neither used nor changed.
    """

    def __init__(self, vault: Path, *, has_appearance: bool = True) -> None:
        self._vault = vault
        self._left_out = () if has_appearance else APPEARANCE
        self._unwritten: dict[str, bytes | str | list[str]] = {}
        self.has_content = not os.path.exists(vault / KEY_FILE)  # noqa: PTH110  (false where nobody may look)
        """False in an encrypted vault, of which nothing is kept here that repeats content."""
        self._settings = QSettings(str(vault / FILE), QSettings.Format.IniFormat)

    def blob(self, key: str) -> bytes:
        """Return bytes kept under ``key``, ``b""`` when there are none."""
        value = self._value(key)
        return bytes(value.data()) if isinstance(value, QByteArray) else b""

    def text(self, key: str, fallback: str = "") -> str:
        """Return the text kept under ``key``."""
        value = self._value(key)
        return value if isinstance(value, str) else fallback

    def texts(self, key: str) -> list[str]:
        """Return the texts kept under ``key``."""
        value = self._value(key)
        if isinstance(value, str):
            return [value]
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    def keep(self, key: str, value: bytes | str | list[str]) -> None:
        """Keep ``value`` under ``key``."""
        if key.startswith(self._left_out):
            return
        if not self.has_content and key.startswith(CONTENT):
            self._unwritten[key] = value
            self._settings.remove(key)
            return
        self._settings.setValue(key, QByteArray(value) if isinstance(value, bytes) else value)

    def _value(self, key: str) -> object:
        if key.startswith(self._left_out):
            return None
        value = self._unwritten.get(key)
        return QByteArray(value) if isinstance(value, bytes) else self._settings.value(key) if value is None else value

    def places(self) -> list[Place]:
        """Return the places visited lately."""
        places = []
        for line in self.texts("recents/places"):
            kind = "" if line.startswith(SCHEME) else line.partition(SEPARATOR)[0]
            link, _, title = line.removeprefix(f"{kind}{SEPARATOR}" if kind else "").partition(SEPARATOR)
            place = place_of(link)
            if place is not None:
                places.append(Place(place.pane, place.id, place.extra, title, kind=kind))
        return places

    def keep_places(self, places: list[Place]) -> None:
        """Keep the places visited lately."""
        lines = [
            SEPARATOR.join((place.kind, link, place.title) if place.kind else (link, place.title))
            for place in places
            if (link := link_of(place))
        ]
        self.keep("recents/places", lines)

    def pane_states(self, names: list[str]) -> dict[str, bytes]:
        """Return what the panes kept."""
        return {name: self.blob(f"panes/{name}") for name in names}

    def write(self) -> None:
        """Write to disk, if the vault exists."""
        with suppress(OSError):  # where nobody may even look, there is nothing to keep
            if self._vault.is_dir():
                self._settings.sync()
