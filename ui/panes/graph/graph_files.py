"""Graph files: the graph as a picture, a drawing or data."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from app.entities.model import GraphView
from app.exchange.formats.graphml import lines
from ui import theme
from ui.panes.graph.canvas.canvas import GraphCanvas
from ui.panes.graph.canvas.scene import GraphScene

_RATIO = 2
_SIDES = (1600, 1100)


def picture(canvas: GraphCanvas) -> QImage:
    """Return the whole graph as a picture of twice the window's density."""
    viewport = canvas.viewport.sized(*_SIDES).fitted(canvas.scene.positions[canvas.scene.shown_nodes], most=2.0)
    image = QImage(QSize(*_SIDES) * _RATIO, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(_RATIO)
    image.fill(theme.current().colour("surface"))
    painter = QPainter(image)
    canvas.painter_for(viewport, vector=True).paint(painter)
    painter.end()
    return image


def write_drawing(canvas: GraphCanvas, path: Path) -> None:
    """Write the whole graph as SVG."""
    viewport = canvas.viewport.sized(*_SIDES).fitted(canvas.scene.positions[canvas.scene.shown_nodes], most=2.0)
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(QSize(*_SIDES))
    generator.setViewBox(QRect(0, 0, *_SIDES))
    generator.setTitle("Keepsake")
    painter = QPainter(generator)
    painter.fillRect(QRect(0, 0, *_SIDES), theme.current().colour("surface"))
    canvas.painter_for(viewport, vector=True).paint(painter)
    painter.end()


def graphml(scene: GraphScene) -> str:
    """Return the shown names and links, with where they stand, as GraphML."""
    nodes = [
        replace(node, x=x, y=y)
        for node, (x, y), is_shown in zip(scene.nodes, scene.positions.tolist(), scene.shown_nodes, strict=True)
        if is_shown
    ]
    edges = [edge for edge, is_shown in zip(scene.edges, scene.shown_links, strict=True) if is_shown]
    return "\n".join([*lines(GraphView(tuple(nodes), tuple(edges))), ""])
