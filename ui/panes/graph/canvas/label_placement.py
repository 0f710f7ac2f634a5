"""Label placement: names beside their nodes, where there is room."""

import numpy as np
from PySide6.QtCore import QRectF

from app.entities.layout import Points

_CELL = 3
_GAP = 5.0


class LabelPlacement:
    """Room on a picture, handed out to labels one by one.

    Args:
        width: Width of the picture.
        height: Height of the picture.
        sight: The part of it that is in sight; labels of nodes in it are, too.
    """

    def __init__(self, width: float, height: float, sight: QRectF | None = None) -> None:
        self._whole = QRectF(0, 0, width, height)
        self._sight = sight or self._whole
        self._taken = np.zeros((int(height / _CELL) + 2, int(width / _CELL) + 2), dtype=np.bool_)

    def take_nodes(self, points: Points, radii: Points) -> None:
        """Keep labels off nodes."""
        low = np.maximum(((points - radii[:, None]) / _CELL).astype(np.int64), 0)
        high = ((points + radii[:, None]) / _CELL).astype(np.int64) + 1
        for (left, top), (right, bottom) in zip(low.tolist(), high.tolist(), strict=True):
            if right > 0 and bottom > 0:
                self._taken[top:bottom, left:right] = True

    def place(self, x: float, y: float, radius: float, width: float, height: float) -> QRectF | None:
        """Return where the label of a node goes, ``None`` where it does not fit.

        Args:
            x: The middle of the node, across.
            y: The middle of the node, down.
            radius: Its size.
            width: Width of the label.
            height: Height of the label.
        """
        off = radius + _GAP
        bounds = self._sight if self._sight.contains(x, y) else self._whole
        for left, top in (
            (x - width / 2, y + off - 1),
            (x + off, y - height / 2),
            (x - off - width, y - height / 2),
            (x - width / 2, y - off - height + 1),
        ):
            if bounds.contains(QRectF(left, top, width, height)) and self._take(left, top, width, height):
                return QRectF(left, top, width, height)
        return None

    def _take(self, left: float, top: float, width: float, height: float) -> bool:
        rows = slice(int(top / _CELL), int((top + height) / _CELL) + 1)
        columns = slice(int((left - 2) / _CELL), int((left + width + 2) / _CELL) + 1)
        part = self._taken[rows, columns]
        if part.any():
            return False
        part[:] = True
        return True
