"""Node shapes: outlines by type, and sprites of them."""

from functools import lru_cache
from math import cos, pi, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

_RING = 2.0
_SIDES = {"diamond": (4, 0.0), "hexagon": (6, 0.0), "triangle": (3, -pi / 2)}
_SCALE = {"diamond": 1.22, "hexagon": 1.1, "triangle": 1.2}


def draw_shape(painter: QPainter, shape: str, at: QPointF, radius: float, colour: QColor, ground: QColor) -> None:
    """Draw a node, set off from what lies below it.

    Args:
        painter: Where to; antialiasing is its own matter.
        shape: ``circle``, ``ring``, ``square``, ``diamond``, ``hexagon`` or ``triangle``.
        at: Its middle.
        radius: Its size.
        colour: Its colour.
        ground: The colour around it.
    """
    is_ring = shape == "ring"
    painter.setPen(QPen(colour, _RING) if is_ring else QPen(ground, 1.5))
    painter.setBrush(ground if is_ring else colour)
    if shape in _SIDES:
        painter.drawPolygon(_polygon(shape, at, radius))
    elif shape == "square":
        half = radius * 0.92
        painter.drawRoundedRect(QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half), half * 0.35, half * 0.35)
    else:
        size = radius - _RING / 2 if is_ring else radius
        painter.drawEllipse(at, size, size)


def _polygon(shape: str, at: QPointF, radius: float) -> QPolygonF:
    sides, turn = _SIDES[shape]
    size = radius * _SCALE[shape]
    angles = (turn + 2 * pi * side / sides for side in range(sides))
    return QPolygonF([QPointF(at.x() + size * cos(angle), at.y() + size * sin(angle)) for angle in angles])


@lru_cache(maxsize=1024)
def sprite(shape: str, radius: float, colour: str, ground: str, ratio: float) -> QImage:
    """Return a picture of a node; its middle is the node's.

    Args:
        shape: See ``draw_shape``.
        radius: Its size in pixels of the window.
        colour: ``#rrggbb``.
        ground: The colour around it.
        ratio: Pixels of the screen for each pixel of the window.
    """
    side = int(radius * 1.3) * 2 + 6
    pixels = round(side * ratio)
    # Not a pixmap: pictures of large graphs are painted on another thread.
    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_shape(painter, shape, QPointF(side / 2, side / 2), radius, QColor(colour), QColor(ground))
    painter.end()
    return image
