"""Graph files: the graph as a picture, a drawing or data."""

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from app.core.text import storable
from ui import theme
from ui.panes.graph.canvas.canvas import GraphCanvas
from ui.panes.graph.canvas.scene import GraphScene

_RATIO = 2
_SIDES = (1600, 1100)
_KEYS = (
    ("name", "node", "string"),
    ("type", "node", "string"),
    ("mentions", "node", "double"),
    ("x", "node", "double"),
    ("y", "node", "double"),
    ("kind", "edge", "string"),
    ("label", "edge", "string"),
    ("weight", "edge", "double"),
)


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
    """Return the shown names and links as GraphML, which Gephi, yEd, Cytoscape and networkx read."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *(f'  <key id="{name}" for="{target}" attr.name="{name}" attr.type="{kind}"/>' for name, target, kind in _KEYS),
        '  <graph edgedefault="undirected">',
    ]
    for number, node in enumerate(scene.nodes):
        if scene.shown_nodes[number]:
            x, y = scene.positions[number].tolist()
            values = {"name": node.name, "type": node.type, "mentions": node.weight, "x": x, "y": y}
            lines.append(f"    <node id={quoteattr(_clean(node.id))}>{_data(values)}</node>")
    ends = zip(scene.links.sources.tolist(), scene.links.targets.tolist(), scene.links.weights.tolist(), strict=True)
    for link, (source, target, weight) in enumerate(ends):
        if scene.shown_links[link]:
            is_stated = bool(scene.stated[link])
            kind = "stated" if is_stated else "link" if scene.linked[link] else "together"
            values = {"kind": kind, "label": scene.labels[link], "weight": weight}
            first, last = (quoteattr(_clean(scene.nodes[one].id)) for one in (source, target))
            directed = ' directed="true"' if is_stated else ""
            lines.append(f"    <edge source={first} target={last}{directed}>{_data(values)}</edge>")
    lines += ["  </graph>", "</graphml>", ""]
    return "\n".join(lines)


def _data(values: dict[str, str | float]) -> str:
    return "".join(
        f'<data key="{key}">{escape(_clean(str(value)))}</data>' for key, value in values.items() if value != ""
    )


def _clean(text: str) -> str:
    """Return ``text`` without characters that XML cannot hold."""
    cleaned = storable(text)[0]
    return "".join(one for one in cleaned if one in "\t\n\r" or (ord(one) >= 0x20 and ord(one) not in (0xFFFE, 0xFFFF)))  # noqa: PLR2004
