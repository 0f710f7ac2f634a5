"""Page of an exported folder that reads and searches it in a browser, without Keepsake."""

import json
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import quote

from app.core.paths import resources
from app.exchange.exporting.export_target import FolderTarget

PAGE: Final = PurePosixPath("index.html")
FOLDER: Final = PurePosixPath("search")
PART_CHARACTERS: Final = 4 << 20
_PLACE: Final = "<!-- parts -->"


class ExportPage:
    """Writes ``index.html``, and what it shows into scripts beside it.

    A page that is opened from the disk may load scripts and nothing else, so the texts are scripts.

    Args:
        target: The folder.
    """

    def __init__(self, target: FolderTarget) -> None:
        self._target = target
        self._items: list[str] = []
        self._size = 0
        self._parts: list[PurePosixPath] = []

    def add(self, kind: str, title: str, day: str, path: PurePosixPath, text: str, tags: Sequence[str] = ()) -> None:
        """Add an item.

        Args:
            kind: What it is, for people.
            title: Its title.
            day: When it was written.
            path: Its file in the folder.
            text: All its text.
            tags: Its tags.
        """
        item = {"kind": kind, "title": title, "day": day, "path": _address(path), "text": text, "tags": list(tags)}
        self._items.append(script_text(item))
        self._size += len(self._items[-1])
        if self._size >= PART_CHARACTERS:
            self._flush()

    def finish(self) -> None:
        """Write what is left, and the page."""
        self._flush()
        scripts = "\n".join(f'<script src="{part.as_posix()}"></script>' for part in self._parts)
        page = (resources() / "export" / PAGE.name).read_text("utf-8")
        file = self._target.open(PAGE)
        file.write(page.replace(_PLACE, scripts))
        file.close()

    def _flush(self) -> None:
        if not self._items:
            return
        part = FOLDER / f"part-{len(self._parts) + 1}.js"
        file = self._target.open(part)
        items = ",\n".join(self._items)
        file.write(f"keepsake.push(\n{items}\n);\n")
        file.close()
        self._parts.append(part)
        self._items, self._size = [], 0


def script_text(value: object) -> str:
    """Return a value as JSON without tags, comments or line ends of JavaScript."""
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _address(path: PurePosixPath) -> str:
    return quote(path.as_posix())
