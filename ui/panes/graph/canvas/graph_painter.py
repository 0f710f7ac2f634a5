"""Graph painter: links, nodes and labels of a scene, within a viewport."""

from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from app.entities.layout import Indices, Mask, Points
from ui import theme
from ui.models.dates import counted
from ui.panes.graph.canvas.graph_colours import NodeStyle
from ui.panes.graph.canvas.label_placement import LabelPlacement
from ui.panes.graph.canvas.node_shapes import draw_shape, sprite
from ui.panes.graph.canvas.scene import GraphScene
from ui.panes.graph.canvas.viewport import Viewport

SMOOTH_LINKS = 1_500
"""GraphLinks up to which lines are antialiased."""
_LABEL_ROOM, _DENSE_LABEL_ROOM = 7_500, 22_000  # square pixels for each label
_MOST_LABELS = 140
_LETTERS = 26
_AT_A_TIME = 400
_FEW, _LARGEST = 400, 60  # nodes in sight up to which labels keep off all of them, and off how many of more
_STRONG = 0.55  # share of the largest radius from which a name is set in strong type
_DIM, _FAINT, _PLAIN, _FIRM = 0.07, 0.12, 0.2, 0.34
_SOFT, _SOFTER = 0.75, 0.35  # shares of the accent in links that a person stated, and in those of a hub
_MANY = 60
_MOST_CAPTIONS = 12  # note links of a node with words
_BELOW = 16  # these words stand below those of a relation of the same two
_VEIL = 208
_HEAVY = 0.8  # quantile of weights from which a link is drawn firmer


@dataclass(slots=True)
class Highlight:
    """Highlighted nodes.

    Args:
        hovered: The node under the pointer, -1 for none.
        current: The node with the keyboard, -1 for none.
        selected: All selected nodes.
        matching: Nodes whose names fit what is typed, ``None`` while nothing is.
    """

    hovered: int = -1
    current: int = -1
    selected: set[int] = field(default_factory=set)
    matching: Mask | None = None


@dataclass(frozen=True, slots=True)
class PlacedLabel:
    """A name and where it is written."""

    spot: QRectF
    text: str
    step: str


class GraphPainter:
    """Paints a scene.

    Args:
        scene: The nodes and links.
        viewport: What is in sight.
        style: The looks of nodes and links.
        vector: Draw shapes rather than sprites, for files.
        ratio: Pixels of the screen for each pixel of the window.
    """

    def __init__(
        self, scene: GraphScene, viewport: Viewport, style: NodeStyle, *, vector: bool = False, ratio: float = 1.0
    ) -> None:
        self._scene = scene
        self._viewport = viewport
        self._style = style
        self._colours = style.colours
        self._vector = vector
        self.ratio = ratio
        self.sight: QRectF | None = None
        """The part of the picture that is in sight now, if it is not all."""
        self.labels: dict[int, PlacedLabel] = {}
        """Names that were written, by node."""
        self.points: Points = viewport.to_screen(scene.positions)
        # In steps, so that there are few different sprites.
        self.radii: Points = np.round(scene.radii * viewport.growth * theme.current().scale * 2) / 2

    def paint(self, painter: QPainter, *, without: int = -1) -> None:
        """Paint everything in sight; ``without`` leaves out one node with its links."""
        self._paint_links(painter, without)
        nodes = self._in_sight()
        nodes = nodes[nodes != without]
        self.paint_nodes(painter, nodes)
        self._paint_labels(painter, nodes)

    def paint_nodes(self, painter: QPainter, nodes: Indices) -> None:
        """Paint nodes, the largest last."""
        order = nodes[np.argsort(self.radii[nodes], kind="stable")]
        ground = self._colours.tokens.surface
        points, radii = self.points[order].tolist(), self.radii[order].tolist()
        for number, (x, y), radius in zip(order.tolist(), points, radii, strict=True):
            colour = self._style.inks[number]
            if self._vector:
                draw_shape(
                    painter, self._style.shapes[number], QPointF(x, y), radius, QColor(colour), self._colours.ground
                )
                continue
            image = sprite(self._style.shapes[number], radius, colour, ground, self.ratio)
            half = image.width() / self.ratio / 2
            painter.drawImage(QPointF(x - half, y - half), image)

    def paint_highlight(self, painter: QPainter, shown: Highlight, written: dict[int, PlacedLabel]) -> None:
        """Paint the highlighted nodes over the rest.

        Args:
            painter: Where to.
            shown: The highlighted nodes.
            written: Names that are there already, which keep their places.
        """
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.labels = written
        if shown.hovered >= 0 or (shown.matching is not None and shown.matching.any()):
            veil = QColor(self._colours.ground)
            veil.setAlpha(_VEIL)
            painter.fillRect(QRectF(0, 0, self._viewport.width, self._viewport.height), veil)
        if shown.matching is not None and shown.hovered < 0:
            matching = np.flatnonzero(shown.matching & self._scene.shown_nodes)
            self.paint_nodes(painter, matching)
            self._paint_labels(painter, matching)
        if shown.hovered >= 0:
            self._paint_company(painter, shown.hovered, is_veiled=True)
        elif shown.matching is None and self._has_company(shown.current):
            self._paint_company(painter, shown.current, is_veiled=False)
        for number in shown.selected | ({shown.current} - {-1}):
            self._ring(painter, number, is_current=number == shown.current)

    def _has_company(self, number: int) -> bool:
        """Return whether to highlight the links of a node; those of the centre are plain."""
        return number not in (-1, self._scene.centre) and bool(self._scene.shown_nodes[number])

    def _paint_company(self, painter: QPainter, number: int, *, is_veiled: bool) -> None:
        """Paint a node with its neighbours, the links to them and their names."""
        self.paint_links_of(painter, number, is_firm=is_veiled)
        others = self._scene.neighbours(number)
        company = np.concatenate([[number], others[np.argsort(-self.radii[others], kind="stable")]])
        self.paint_nodes(painter, company)
        if is_veiled:
            self._paint_labels(painter, company, is_sorted=True)
        else:
            self._write(painter, [self.labels[node] for node in company.tolist() if node in self.labels])

    def paint_links_of(self, painter: QPainter, number: int, *, is_firm: bool = True) -> None:
        """Paint all links of a node, with what stated relations and note links say."""
        links = self._scene.links_of(number)
        colour = self._colours.accent(1.0 if is_firm else _SOFT if len(links) <= _MANY else _SOFTER)
        painter.setPen(QPen(colour, 1.6 if is_firm else 1.2))
        self._draw_links(painter, links)
        painter.setFont(theme.current().font("small"))
        linked = links[self._scene.linked[links]]
        stated = links[self._scene.stated[links]]
        for link in (*stated.tolist(), *(linked.tolist() if len(linked) <= _MOST_CAPTIONS else [])):
            ends = self.points[[self._scene.links.sources[link], self._scene.links.targets[link]]]
            x, y = ends.mean(axis=0)
            y += _BELOW if self._scene.linked[link] else 0
            self._draw_text(painter, QRectF(x - 90, y - 10, 180, 20), self._caption(link), minor=False)

    def _caption(self, link: int) -> str:
        """Return what a stated relation says, or how many notes make a link."""
        if not self._scene.linked[link]:
            return self._scene.labels[link]
        notes = int(self._scene.links.weights[link])
        return counted(
            notes,
            QCoreApplication.translate("Words", "linked in a note"),
            QCoreApplication.translate("Words", "linked in {n} notes"),
        )

    def _ring(self, painter: QPainter, number: int, *, is_current: bool) -> None:
        if number >= len(self._scene) or not self._scene.shown_nodes[number]:
            return
        x, y = self.points[number]
        size = float(self.radii[number]) + 4
        painter.setPen(QPen(QColor(self._colours.tokens.accent), 2.5 if is_current else 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(x, y), size, size)

    def _in_sight(self) -> Indices:
        x, y = self.points[:, 0], self.points[:, 1]
        reach = self.radii + 4
        seen = (x > -reach) & (y > -reach) & (x < self._viewport.width + reach) & (y < self._viewport.height + reach)
        return np.flatnonzero(seen & self._scene.shown_nodes)

    def _paint_links(self, painter: QPainter, without: int) -> None:
        scene = self._scene
        links = np.flatnonzero(scene.drawn & scene.shown_links)
        if without >= 0:
            ends = (scene.links.sources[links] == without) | (scene.links.targets[links] == without)
            links = links[~ends]
        links = links[self._crossing(links)]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self._vector or len(links) <= SMOOTH_LINKS)
        is_dense = len(links) > SMOOTH_LINKS
        stated, linked = scene.stated[links], scene.linked[links]
        together = links[~stated & ~linked]
        weights = scene.links.weights[together]
        heavy = weights > max(1.0, float(np.quantile(weights, _HEAVY))) if len(weights) else weights > 0
        for chosen, pen in (
            (together[~heavy], QPen(self._colours.link(_DIM if is_dense else _PLAIN), 1)),
            (together[heavy], QPen(self._colours.link(_FAINT if is_dense else _FIRM), 1 if is_dense else 1.6)),
            (links[linked], self._link_pen(is_dense=is_dense)),
            (links[stated], QPen(self._colours.accent(_SOFT), 1.6)),
        ):
            painter.setPen(pen)
            self._draw_links(painter, chosen)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _link_pen(self, *, is_dense: bool) -> QPen:
        """Return the pen of note links: dots, or thin lines among thousands."""
        if is_dense:  # dots take too long to draw
            return QPen(self._colours.accent(_SOFTER), 1)
        pen = QPen(self._colours.accent(_SOFT), 2)
        pen.setStyle(Qt.PenStyle.DotLine)
        return pen

    def _crossing(self, links: Indices) -> Mask:
        """Return which links may cross the picture."""
        first, last = self.points[self._scene.links.sources[links]], self.points[self._scene.links.targets[links]]
        size = np.array([self._viewport.width, self._viewport.height])
        low, high = np.minimum(first, last), np.maximum(first, last)
        return np.asarray(((high > 0) & (low < size)).all(axis=1))

    def _draw_links(self, painter: QPainter, links: Indices) -> None:
        """Draw lines, some at a time.

        Qt keeps the interpreter to itself for as long as a call takes, and this may be beside the window's thread.
        """
        ends = np.column_stack(
            [self.points[self._scene.links.sources[links]], self.points[self._scene.links.targets[links]]]
        )
        for begin in range(0, len(ends), _AT_A_TIME):
            painter.drawLines([QLineF(*row) for row in ends[begin : begin + _AT_A_TIME].tolist()])

    # --- labels ---

    def _paint_labels(self, painter: QPainter, nodes: Indices, *, is_sorted: bool = False) -> None:
        if not len(nodes):
            return
        room = LabelPlacement(self._viewport.width, self._viewport.height, self.sight)
        by_size = nodes[np.argsort(-self.radii[nodes], kind="stable")]
        is_dense = len(nodes) > _FEW
        kept_free = by_size[:_LARGEST] if is_dense else by_size
        room.take_nodes(self.points[kept_free], self.radii[kept_free])
        most = int(
            min(
                _MOST_LABELS,
                self._viewport.width * self._viewport.height / (_DENSE_LABEL_ROOM if is_dense else _LABEL_ROOM),
            )
        )
        metrics = {name: QFontMetricsF(theme.current().font(name)) for name in ("small", "strong")}
        strong_from = _STRONG * float(self.radii.max())
        placed: dict[int, PlacedLabel] = {}
        for number in (nodes if is_sorted else by_size)[: most * 4].tolist():
            step = "strong" if self.radii[number] >= strong_from else "small"
            text, metric = shortened(self._scene.nodes[number].name), metrics[step]
            x, y = self.points[number].tolist()
            size = (metric.horizontalAdvance(text), metric.height())
            before = self.labels.get(number)
            spot = room.place(x, y, float(self.radii[number]), *size) if before is None else before.spot
            if spot is not None:
                placed[number] = PlacedLabel(spot, text, step)
            if len(placed) >= most:
                break
        self.labels = {**self.labels, **placed}
        self._write(painter, list(placed.values()), is_plain=is_dense)

    def _write(self, painter: QPainter, labels: list[PlacedLabel], *, is_plain: bool = False) -> None:
        fonts = {name: theme.current().font(name) for name in ("small", "strong")}
        for label in labels:
            painter.setFont(fonts[label.step])
            self._draw_text(painter, label.spot, label.text, minor=label.step == "small" and not is_plain)

    def _draw_text(self, painter: QPainter, spot: QRectF, text: str, *, minor: bool) -> None:
        flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip | Qt.TextFlag.TextSingleLine)
        painter.setPen(self._colours.ground)
        # A halo in the colour of the ground, so that links do not run through the letters.
        for dx, dy in ((-1.2, 0), (1.2, 0), (0, -1.2), (0, 1.2)):
            painter.drawText(spot.translated(dx, dy), flags, text)
        painter.setPen(QColor(self._colours.tokens.muted if minor else self._colours.tokens.text))
        painter.drawText(spot, flags, text)


def shortened(name: str) -> str:
    """Return a name that is not too long for a label."""
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS - 1].rstrip()}…"
