"""Cache of pictures in texts, located by the engine and decoded on a thread."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QImage

from app.attachments.model import MAX_PICTURE_BYTES, Attachment, link_of
from app.errors import KeepsakeError
from ui.engine_texts import error_text
from ui.models.markup import Picture
from ui.widgets.text.picture_decoder import PictureError, decode, read_picture

BUDGET: Final = 48 * 1024 * 1024
"""Bytes of decoded pictures that are held for one note or conversation."""

Locate = Callable[[str], Awaitable[Attachment]]
Read = Callable[[Attachment, int], Awaitable[bytes]]
Start = Callable[[Coroutine[Any, Any, Any]], object]


class PictureCache(QObject):
    """Holds the pictures of the note or conversation that is shown.

    Args:
        start: Runs a coroutine in the background.
        locate: Answers where the file of a link lies.
        read: Answers the bytes of a file that is encrypted, up to a number.
        parent: Its owner.
        largest: Pictures are scaled down to this size, and the oldest make room for newer ones. Without it those
            beyond the budget are not shown.
    """

    arrived = Signal()
    """A picture is there, or it is known why not."""

    def __init__(
        self, start: Start, locate: Locate, read: Read, parent: QObject | None = None, *, largest: QSize | None = None
    ) -> None:
        super().__init__(parent)
        self._largest = largest
        self._start, self._locate, self._read = start, locate, read
        self._images: dict[str, QImage] = {}
        self._problems: dict[str, str] = {}
        self._waiting: set[str] = set()
        self._held = 0
        self._generation = 0
        self._one_at_a_time = asyncio.Lock()

    def clear(self) -> None:
        """Forget everything: another note is shown."""
        self._generation += 1
        self._images, self._problems, self._waiting, self._held = {}, {}, set(), 0

    def retry(self) -> None:
        """Look again for pictures that could not be shown."""
        self._problems.clear()

    def image(self, name: str) -> QImage | None:
        """Return a picture that is there."""
        return self._images.get(name)

    def picture(self, name: str) -> Picture:
        """Return a picture as far as it is there; one that is not is loaded."""
        if (image := self._images.get(name)) is not None:
            return Picture(image.width(), image.height())
        if name in self._problems:
            return Picture(problem=self._problems[name])
        if name not in self._waiting:
            self._waiting.add(name)
            self._start(self._load(name, self._generation))
        return Picture()

    async def _load(self, name: str, generation: int) -> None:
        async with self._one_at_a_time:  # each may take the memory of its whole size for a moment
            if generation != self._generation:
                return
            image, problem = await self._found(name)
        if generation != self._generation:
            return
        self._waiting.discard(name)
        if image is not None and self._largest is not None:
            self._make_room(image.sizeInBytes())
        if image is not None and self._held + image.sizeInBytes() > BUDGET:
            image, problem = None, self.tr("this note has too many large pictures to show them all")
        if image is None:
            self._problems[name] = problem
        else:
            self._images[name] = image
            self._held += image.sizeInBytes()
        self.arrived.emit()

    def _make_room(self, size: int) -> None:
        while self._images and self._held + size > BUDGET:
            self._held -= self._images.pop(next(iter(self._images))).sizeInBytes()

    async def _found(self, name: str) -> tuple[QImage | None, str]:
        try:
            attachment = await self._locate(link_of(name))
            loop = asyncio.get_event_loop()
            if attachment.is_sealed:
                data = await self._read(attachment, MAX_PICTURE_BYTES + 1)
                return await loop.run_in_executor(None, decode, data, self._largest), ""
            return await loop.run_in_executor(None, read_picture, Path(attachment.path), self._largest), ""
        except PictureError as error:
            return None, self._sentence(error.kind)
        except KeepsakeError as error:
            return None, error_text(error)

    def _sentence(self, kind: str) -> str:
        return {
            "large": self.tr("the picture is too large to be shown"),
            "broken": self.tr("the picture is damaged"),
            "outside": self.tr("it leads out of the attachments folder"),
        }.get(kind, self.tr("the file is not there"))
