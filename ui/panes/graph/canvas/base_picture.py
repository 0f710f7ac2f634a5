"""Base picture of the graph, with a margin; large ones are painted on a thread."""

import contextlib
import threading
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QRectF, Signal
from PySide6.QtGui import QColor, QImage, QPainter

from ui.panes.graph.canvas.graph_painter import GraphPainter, PlacedLabel
from ui.panes.graph.canvas.viewport import Viewport

MARGIN = 0.3
"""Part of the picture, along each side, that lies beyond what is in sight, so that dragging only copies."""
AT_ONCE = 600
"""Nodes up to which a picture is painted at once."""


@dataclass(frozen=True, slots=True)
class BasePicture:
    """Links, nodes and names, painted.

    Args:
        image: The picture.
        viewport: The part of the graph in it.
        labels: Names that were written, by node.
    """

    image: QImage
    viewport: Viewport
    labels: dict[int, PlacedLabel]


def beyond(viewport: Viewport) -> Viewport:
    """Return a viewport with the margin around it."""
    grown = 1 + 2 * MARGIN
    return replace(viewport, width=round(viewport.width * grown), height=round(viewport.height * grown))


def paint_base(prepared: GraphPainter, at: Viewport, sight: Viewport, ground: QColor, without: int) -> BasePicture:
    """Paint a picture; on any thread.

    Args:
        prepared: Paints the scene within ``at``.
        at: The part of the graph in the picture.
        sight: The part of it that is in sight.
        ground: The colour behind it.
        without: A node to leave out, -1 for none.
    """
    ratio = prepared.ratio
    image = QImage(round(at.width * ratio), round(at.height * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(ground)
    prepared.sight = QRectF((at.width - sight.width) / 2, (at.height - sight.height) / 2, sight.width, sight.height)
    painter = QPainter(image)
    prepared.paint(painter, without=without)
    painter.end()
    return BasePicture(image, at, prepared.labels)


class BaseRenderer(QObject):
    """Paints one picture at a time on a thread."""

    rendered = Signal(object)
    """A ``BasePicture``."""

    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self._is_busy = False
        self._ended.connect(self._on_ended)

    @property
    def is_busy(self) -> bool:
        """True until ``rendered`` told of the picture that is being painted."""
        return self._is_busy

    def finish(self) -> None:
        """Wait for the picture that is being painted."""
        if self._thread is not None:
            self._thread.join()

    def start(self, prepared: GraphPainter, at: Viewport, sight: Viewport, ground: QColor, without: int) -> None:
        """Begin to paint a picture; see ``paint_base``."""
        work = (prepared, at, sight, ground, without)
        self._is_busy = True
        self._thread = threading.Thread(target=self._run, args=work, name="graph-picture", daemon=True)
        self._thread.start()

    def _run(self, *work: object) -> None:
        picture: BasePicture | None = None
        try:
            picture = paint_base(*work)  # type: ignore[arg-type]
        finally:
            # The window may have gone in between.
            with contextlib.suppress(RuntimeError):
                self._ended.emit(picture)

    def _on_ended(self, picture: BasePicture | None) -> None:
        # Not when the thread ends, which may be after this: the next picture must find it free.
        self._is_busy = False
        if picture is not None:
            self.rendered.emit(picture)
