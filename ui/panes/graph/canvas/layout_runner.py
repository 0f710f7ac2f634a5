"""Layout runner: settles the positions of a scene on a thread of its own."""

import threading
import time

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.entities.layout import ForceLayout, Mask, Points, first_positions
from ui.panes.graph.canvas.scene import GraphScene

FRAME_S = 1 / 12
"""Time between two pictures of a layout that is under way."""
QUIET_S = 0.35
"""A layout that is settled by then is shown only when it is."""
SMALL = 240
"""Nodes up to which a new graph begins on a spiral; larger ones begin by community, and so nearly settled."""
_BREATH_S = 0.0005
_END_S = 2.0


class LayoutRunner(QObject):
    """Runs one layout at a time; the one before is given up."""

    moved = Signal(object, object)
    """A scene, and positions on the way."""
    settled = Signal(object, object)
    """A scene, and its final positions."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        """True while a layout is under way."""
        return self._thread is not None and self._thread.is_alive()

    def stop(self) -> None:
        """Give up the layout that is running, and wait for its thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_END_S)
            self._thread = None

    def start(self, scene: GraphScene, *, afresh: bool = False) -> bool:
        """Begin to settle a scene; False where all of its nodes have their places.

        Args:
            scene: What to settle.
            afresh: Move all nodes that nobody pinned, not only new ones.
        """
        self._stop.set()
        known = np.where(scene.pinned[:, None], scene.stored, np.nan) if afresh else scene.stored
        if scene.is_empty or not np.isnan(known).any():
            return False
        stop = self._stop = threading.Event()
        work = (scene, known.copy(), stop)
        self._thread = threading.Thread(target=self._run, args=work, name="graph-layout", daemon=True)
        self._thread.start()
        return True

    def _run(self, scene: GraphScene, known: Points, stop: threading.Event) -> None:
        layout = layout_of(scene, known)
        began = shown = time.monotonic()
        while not layout.is_settled:
            layout.step()
            if stop.is_set():
                return
            now = time.monotonic()
            if now - shown >= FRAME_S and now - began >= QUIET_S:
                shown = now
                self._tell(stop, self.moved, scene, layout.positions.copy())
            time.sleep(_BREATH_S)  # the window's thread waits for the interpreter, too
        self._tell(stop, self.settled, scene, layout.positions)

    @staticmethod
    def _tell(stop: threading.Event, signal: object, scene: GraphScene, positions: Points) -> None:
        if not stop.is_set():
            signal.emit(scene, positions)  # type: ignore[attr-defined]


def layout_of(scene: GraphScene, known: Points) -> ForceLayout:
    """Return the layout of a scene in which known nodes stay where they are.

    Args:
        scene: The nodes and links.
        known: Positions from before, ``nan`` for nodes that are free to move.
    """
    count = len(scene)
    fixed: Mask = np.isfinite(known).all(axis=1).reshape(count)
    start = known.copy()
    if scene.centre >= 0 and not fixed[scene.centre]:
        start[scene.centre], fixed[scene.centre] = 0.0, True
    held = fixed & (np.arange(count) != scene.centre)
    is_new = not held.any()
    if int(held.sum()) < count - int(held.sum()):
        fixed = scene.pinned | (np.arange(count) == scene.centre)  # a few among many find new places with them
    # A centre alone draws nobody to itself: the spiral around it does.
    first = first_positions(count, scene.springs, np.full_like(known, np.nan) if is_new else start, scene.groups)
    if is_new and scene.centre >= 0:
        first[scene.centre] = 0.0
    return ForceLayout(first, scene.springs, fixed, heat=1.0 if is_new and count <= SMALL else 0.5)
