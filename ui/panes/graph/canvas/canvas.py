"""Graph canvas: paints the graph, and takes pointer and keyboard."""

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.entities.layout import Mask, Points
from app.entities.model import GraphView
from ui import theme
from ui.models.dates import counted
from ui.panes.graph.canvas.base_picture import AT_ONCE, MARGIN, BasePicture, BaseRenderer, beyond, paint_base
from ui.panes.graph.canvas.graph_colours import GraphColours, NodeStyle
from ui.panes.graph.canvas.graph_painter import GraphPainter, Highlight, PlacedLabel
from ui.panes.graph.canvas.scene import GraphScene
from ui.panes.graph.canvas.viewport import Viewport
from ui.panes.graph.entity_types import type_label
from ui.widgets.plain_text import tooltip

REPAINT_MS = 70
STEP = 1.25
REACH = 5.0
_DRAG = 4
_EDGE = 60
_DIRECTIONS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class GraphCanvas(QWidget):
    """The painted graph.

    GraphLinks, nodes and names are painted once into a picture that is larger than the widget; while one drags, that is
    copied. What stands out is painted over it each time.
    """

    current_changed = Signal(int)
    """Another node is current; -1 for none."""
    selection_changed = Signal(object)
    """The set of selected nodes."""
    opened = Signal(int)
    """Enter on a node: show its page."""
    recentred = Signal(int)
    """Double click on a node: draw the graph around it."""
    dropped = Signal(object)
    """Nodes that were dragged to another place."""
    menu_requested = Signal(int, object)
    """A menu is wanted for a node, -1 for the graph, at a global position."""
    search_requested = Signal()
    viewed = Signal()
    """The viewport moved."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Graph"))
        self.setMinimumSize(QSize(240, 200))
        self.scene = GraphScene(GraphView())
        self.viewport = Viewport(1, 1)
        self.foot = 0
        """Pixels at the foot that other widgets cover."""
        self.by_group = False
        self.lasso_mode = False
        self.highlight = Highlight()
        self._style: NodeStyle | None = None
        self._base: BasePicture | None = None
        self._is_fresh = False
        self._renderer = BaseRenderer(self)
        self._renderer.rendered.connect(self._on_renderer_rendered)
        self._is_fitted = True
        self._pressed: QPointF | None = None
        self._pressed_on = -1
        self._grip = (0.0, 0.0)
        self._is_dragging = False
        self._lasso: list[QPointF] = []
        self._timer = QTimer(self, singleShot=True, interval=REPAINT_MS)
        self._timer.timeout.connect(self.repaint_all)
        theme.current().changed.connect(self._dress)

    def finish(self) -> None:
        """Wait for what is painted on another thread; called before the window goes."""
        self._renderer.finish()

    # --- contents ---

    def set_scene(self, scene: GraphScene, *, keep_view: bool = False) -> None:
        """Show another scene; current and selected names stay so where they are in it."""
        old, kept = self.scene, self.highlight
        now = {node.id: number for number, node in enumerate(scene.nodes)}

        def place(number: int) -> int:
            return now.get(old.nodes[number].id, -1) if 0 <= number < len(old) else -1

        self.scene = scene
        self._style = None
        selected = {place(identity) for identity in kept.selected} - {-1}
        self.highlight = Highlight(-1, place(kept.current), selected)
        if not keep_view:
            self.fit()
        self._describe()
        self.repaint_all()

    def set_positions(self, positions: Points) -> None:
        """Move the nodes but for a dragged one."""
        if self._is_dragging and self._pressed_on >= 0:
            positions = positions.copy()
            positions[self._pressed_on] = self.scene.positions[self._pressed_on]
        self.scene.positions = positions
        if self._is_fitted:
            self.fit()
        self.repaint_all()

    def show_until(self, moment_ms: int | None) -> None:
        """Show what was known at a time."""
        self.scene.show_until(moment_ms)
        self._describe()
        self.repaint_all()

    def set_by_group(self, by_group: bool) -> None:
        """Colour nodes by community rather than by type."""
        self.by_group = by_group
        self._dress()

    def set_matching(self, matching: Mask | None) -> None:
        """Highlight nodes whose names match the typed text; none with ``None``."""
        self.highlight.matching = matching
        self.update()

    def set_lasso(self, on: bool) -> None:
        """Let the pointer draw around nodes instead of moving the graph."""
        self.lasso_mode = on
        self.setCursor(Qt.CursorShape.CrossCursor if on else Qt.CursorShape.ArrowCursor)

    # --- where one is ---

    def set_current(self, number: int, *, reveal: bool = False, tell: bool = True) -> None:
        """Make a node the current one, and the only one selected."""
        if not -1 <= number < len(self.scene):
            return
        changed = number != self.highlight.current
        self.highlight.current = number
        self._select({number} - {-1})
        if number >= 0 and reveal:
            self._reveal(number)
        if changed:
            self._describe()
            if number >= 0:
                QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.words_of(number)))
            if tell:
                self.current_changed.emit(number)
        self.update()

    def select(self, numbers: set[int]) -> None:
        """Select nodes."""
        self._select(numbers)
        self.update()

    def words_of(self, number: int) -> str:
        """Return a node in words."""
        node = self.scene.nodes[number]
        mentions = counted(round(node.weight), self.tr("1 mention"), self.tr("{n} mentions"))
        links = counted(len(self.scene.neighbours(number)), self.tr("1 link"), self.tr("{n} links"))
        return f"{node.name}, {type_label(node.type)}, {mentions}, {links}"

    def fit(self) -> None:
        """Bring all nodes into sight."""
        self._is_fitted = True
        self._view(self.viewport.fitted(self.scene.positions[self.scene.shown_nodes], below=self.foot))

    def zoom(self, steps: float, at: QPointF | None = None) -> None:
        """Zoom in or out around a point, the middle if none."""
        where = at or QPointF(self.width() / 2, self.height() / 2)
        self._is_fitted = False
        self._view(self.viewport.zoomed(STEP**steps, where.x(), where.y()))

    def pan(self, dx: float, dy: float) -> None:
        """Move the graph by some pixels."""
        self._is_fitted = False
        self._view(self.viewport.moved(dx, dy))

    def _view(self, viewport: Viewport) -> None:
        self.viewport = viewport
        if viewport.zoom != self._base_zoom:
            self._timer.start()
        self.update()
        self.viewed.emit()

    def _reveal(self, number: int) -> None:
        x, y = self.viewport.to_screen(self.scene.positions[number])
        inner = QRectF(self.rect()).adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE - self.foot)
        if not inner.contains(float(x), float(y)):
            self._view(self.viewport.centred(*map(float, self.scene.positions[number])))
            self._is_fitted = False

    def _select(self, numbers: set[int]) -> None:
        if numbers != self.highlight.selected:
            self.highlight.selected = numbers
            self.selection_changed.emit(set(numbers))

    def _describe(self) -> None:
        names = counted(int(self.scene.shown_nodes.sum()), self.tr("1 name."), self.tr("{n} names."))
        words = self.tr("{names} Arrow keys go to neighbours, Enter opens the page.").replace("{names}", names)
        if self.highlight.current >= 0:
            words = f"{self.words_of(self.highlight.current)}. {words}"
        self.setAccessibleDescription(words)

    # --- painting ---

    def repaint_all(self) -> None:
        """Paint everything anew at the next occasion."""
        self._timer.stop()
        self._is_fresh = False
        self.update()

    def _dress(self) -> None:
        self._style = None
        self.repaint_all()

    def painter_for(self, viewport: Viewport, *, vector: bool = False, ratio: float = 1.0) -> GraphPainter:
        """Return what paints the scene within a viewport."""
        if self._style is None:
            colours = GraphColours(theme.current().tokens, self.by_group)
            self._style = colours.style(self.scene.kinds, self.scene.groups)
        return GraphPainter(self.scene, viewport, self._style, vector=vector, ratio=ratio)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the prepared picture, and over it what stands out."""
        ground = theme.current().colour("surface")
        painter = QPainter(self)
        painter.fillRect(self.rect(), ground)
        if not self.scene.is_empty:
            self._paint_base(painter)
            if self._has_highlight():
                top = self.painter_for(self.viewport, ratio=self.devicePixelRatioF())
                top.paint_highlight(painter, self.highlight, self._written())
                if self._is_dragging and self._pressed_on >= 0:
                    top.paint_links_of(painter, self._pressed_on)
                    top.paint_nodes(painter, np.array([self._pressed_on]))
        self._paint_lasso(painter)
        if self.hasFocus():
            painter.setPen(QPen(theme.current().colour("accent"), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _has_highlight(self) -> bool:
        shown = self.highlight
        return max(shown.hovered, shown.current) >= 0 or bool(shown.selected) or shown.matching is not None

    def _paint_base(self, painter: QPainter) -> None:
        # What another thread paints is begun before the margin is used up.
        reserve = 0.0 if len(self.scene) <= AT_ONCE else MARGIN / 2
        if not self._is_fresh or (not self._covers(reserve) and self.viewport.zoom == self._base_zoom):
            self._render_base()
        base = self._base
        if base is None:
            return
        # The picture's corner, where the viewport of now has it.
        corner = self.viewport.to_screen(np.array(base.viewport.to_graph(0, 0)))
        scale = self.viewport.zoom / base.viewport.zoom
        if scale == 1.0:
            painter.drawImage(QPointF(round(corner[0]), round(corner[1])), base.image)
            return
        target = QRectF(corner[0], corner[1], base.viewport.width * scale, base.viewport.height * scale)
        painter.drawImage(target, base.image, QRectF(base.image.rect()))

    def _render_base(self) -> None:
        """Paint the picture anew, or begin to where that takes long."""
        if self._renderer.is_busy:
            return  # the next one begins when it is there
        ratio = self.devicePixelRatioF()
        at = beyond(self.viewport)
        without = self._pressed_on if self._is_dragging else -1
        work = (self.painter_for(at, ratio=ratio), at, self.viewport, theme.current().colour("surface"), without)
        self._is_fresh = True
        if len(self.scene) <= AT_ONCE:
            self._base = paint_base(*work)
        else:
            self._renderer.start(*work)

    def _on_renderer_rendered(self, picture: BasePicture) -> None:
        self._base = picture
        self.update()

    def _written(self) -> dict[int, PlacedLabel]:
        """Return the names in the prepared picture where they are in sight now."""
        if self._base is None or self.viewport.zoom != self._base.viewport.zoom:
            return {}
        left, top = self.viewport.to_screen(np.array(self._base.viewport.to_graph(0, 0))).tolist()
        return {
            number: PlacedLabel(label.spot.translated(round(left), round(top)), label.text, label.step)
            for number, label in self._base.labels.items()
        }

    @property
    def _base_zoom(self) -> float:
        return 0.0 if self._base is None else self._base.viewport.zoom

    def _covers(self, reserve: float = 0.0) -> bool:
        """Return whether the picture reaches over all in sight, and some of its size beyond."""
        if self._base is None:
            return False
        at = self._base.viewport
        left, top = self.viewport.to_screen(np.array(at.to_graph(0, 0)))
        across, down = reserve * self.width(), reserve * self.height()
        is_before = left <= -across and top <= -down
        return bool(is_before and left + at.width >= self.width() + across and top + at.height >= self.height() + down)

    def _paint_lasso(self, painter: QPainter) -> None:
        if self._lasso:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.current().colour("accent"), 1.5, Qt.PenStyle.DashLine))
            painter.drawPolyline(QPolygonF(self._lasso))

    # --- pointer ---

    def at(self, where: QPointF) -> int:
        """Return the node at a point of the widget, -1 where there is none."""
        reach = (self.scene.radii * self.viewport.growth * theme.current().scale + REACH) / self.viewport.zoom
        return self.scene.at(self.viewport.to_graph(where.x(), where.y()), reach)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of a node or of the graph."""
        if event.button() not in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            return
        self._pressed = event.position()
        wants_lasso = self.lasso_mode or bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._pressed_on = -1 if wants_lasso else self.at(event.position())
        if wants_lasso:
            self._lasso = [event.position()]
        elif self._pressed_on >= 0:
            x, y = self.scene.positions[self._pressed_on].tolist()
            held = self.viewport.to_graph(event.position().x(), event.position().y())
            self._grip = (x - held[0], y - held[1])

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, draw the lasso, or show what is under the pointer."""
        if self._pressed is None:
            self._hover(self.at(event.position()), event.globalPosition().toPoint())
            return
        moved = event.position() - self._pressed
        if self._lasso:
            self._lasso.append(event.position())
            self.update()
        elif self._pressed_on >= 0:
            if not self._is_dragging and moved.manhattanLength() < _DRAG:
                return
            if not self._is_dragging:
                self._is_dragging = True
                self.highlight.hovered = -1
                self.repaint_all()
            x, y = self.viewport.to_graph(event.position().x(), event.position().y())
            self.scene.positions[self._pressed_on] = (x + self._grip[0], y + self._grip[1])
            self.update()
        else:
            self._is_dragging = self._is_dragging or moved.manhattanLength() >= _DRAG
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.pan(moved.x(), moved.y())
            self._pressed = event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go, or choose what was clicked."""
        if self._pressed is None:
            return
        number, was_dragging, lasso = self._pressed_on, self._is_dragging, self._lasso
        self._pressed, self._pressed_on, self._is_dragging, self._lasso = None, -1, False, []
        self.set_lasso(self.lasso_mode)
        if lasso:
            outline = np.array([self.viewport.to_graph(point.x(), point.y()) for point in lasso])
            self._choose_inside(outline)
        elif was_dragging and number >= 0:
            self.scene.pinned[number] = True
            self._is_fitted = False
            self.repaint_all()
            self.dropped.emit([number])
        elif not was_dragging and event.modifiers() & Qt.KeyboardModifier.ControlModifier and number >= 0:
            self._select(self.highlight.selected ^ {number})
        elif not was_dragging:
            self.set_current(number)
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Draw the graph around a node."""
        number = self.at(event.position())
        if number >= 0:
            self.recentred.emit(number)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the pointer."""
        self.zoom(event.angleDelta().y() / 120, event.position())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """Show nothing under the pointer."""
        super().leaveEvent(event)
        self._hover(-1, QPoint())

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for a menu."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self._menu_at_current()
            return
        number = self.at(QPointF(event.pos()))
        if number >= 0 and number not in self.highlight.selected:
            self.set_current(number)
        self.menu_requested.emit(number, event.globalPos())

    def _menu_at_current(self) -> None:
        number = self.highlight.current
        where = self.rect().center()
        if number >= 0:
            x, y = self.viewport.to_screen(self.scene.positions[number]).tolist()
            where = QPoint(round(x), round(y))
        self.menu_requested.emit(number, self.mapToGlobal(where))

    def _choose_inside(self, outline: Points) -> None:
        numbers = set(self.scene.inside(outline))
        if len(numbers) == 1:
            self.set_current(next(iter(numbers)))
        else:
            self._select(numbers)

    def _hover(self, number: int, where: QPoint) -> None:
        if number == self.highlight.hovered:
            return
        self.highlight.hovered = number
        if number >= 0:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            QToolTip.showText(where, tooltip(self.words_of(number)), self)
        else:
            self.set_lasso(self.lasso_mode)
            QToolTip.hideText()
        self.update()

    # --- keyboard ---

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk along links, zoom, search."""
        key, current = event.key(), self.highlight.current
        if (direction := _DIRECTIONS.get(Qt.Key(key))) is not None:
            self._walk(direction, is_panning=bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current >= 0:
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.recentred.emit(current)
            else:
                self.opened.emit(current)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1)
        elif key == Qt.Key.Key_Minus:
            self.zoom(-1)
        elif key == Qt.Key.Key_0:
            self.fit()
            self.repaint_all()
        elif key == Qt.Key.Key_Slash:
            self.search_requested.emit()
        elif key == Qt.Key.Key_Escape and (current >= 0 or self.highlight.selected):
            self.set_current(-1)
        else:
            super().keyPressEvent(event)

    def _walk(self, direction: tuple[int, int], *, is_panning: bool) -> None:
        if is_panning:
            self.pan(-direction[0] * 60.0, -direction[1] * 60.0)
            return
        current = self.highlight.current
        if current < 0:
            shown = np.flatnonzero(self.scene.shown_nodes)
            self.set_current(int(shown[0]) if len(shown) else -1, reveal=True)
            return
        after = self.scene.toward(current, direction)
        if after >= 0:
            self.set_current(after, reveal=True)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is."""
        super().focusInEvent(event)
        if self.highlight.current < 0 and event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
        ):
            self._walk((1, 0), is_panning=False)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """No longer show it."""
        super().focusOutEvent(event)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the middle in the middle, or everything in sight."""
        super().resizeEvent(event)
        self.viewport = self.viewport.sized(self.width(), self.height())
        if self._is_fitted:
            self.fit()
        self.repaint_all()
