"""Frames a second of the graph while panning, and times of its parts, with the raster engine.

A frame counts when it was painted within the pan's own time and shows the graph up to every edge.

Run it with ``python -m tests.bench.graph --json OUT``.
"""

import argparse
import json
import math
import os
import random
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from app.entities.model import TYPES, GraphEdge, GraphNode, GraphView

if TYPE_CHECKING:
    from ui.panes.graph.canvas.canvas import GraphCanvas

SIZES = (1_000, 5_000, 20_000)
GOALS = {1_000: 60, 5_000: 30, 20_000: 15}
WINDOW = (1400, 900)
_LINKS_EACH = 2
_SECONDS = 4.0
_REST_S = 2.0
_ROUND_S = 4.0
_PIXELS_A_SECOND = 800.0
_MOST_FPS = 120
_GROUP = 60


def main(argv: list[str]) -> int:
    """Measure and print; with ``--json`` also write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    found = {str(size): measure(size) for size in SIZES}
    for size, figures in found.items():
        sys.stdout.write(f"{size:>7}  " + "  ".join(f"{name} {value:,.1f}" for name, value in figures.items()) + "\n")
    if options.json:
        fps = {"graph_fps": {size: figures["fps"] for size, figures in found.items()}}
        options.json.write_text(json.dumps({**fps, "parts": found}, indent=1), encoding="utf-8")
    return int(any(found[str(size)]["fps"] < goal for size, goal in GOALS.items()))


def sample(count: int) -> GraphView:
    """Return a graph of ``count`` names in groups, with a few known to everybody."""
    chance = random.Random(5)
    nodes = tuple(
        GraphNode(f"ent-{one}", f"Name {one}", TYPES[one % 4], 2_000.0 / (one + 1) ** 0.6) for one in range(count)
    )
    pairs: set[tuple[int, int]] = set()
    for one in range(1, count):
        group = one // _GROUP * _GROUP
        for _ in range(_LINKS_EACH):
            far = chance.random() < 0.1
            other = chance.randrange(one) if far else chance.randrange(group, min(group + _GROUP, count))
            if other != one:
                pairs.add((min(one, other), max(one, other)))
    edges = tuple(GraphEdge(f"ent-{a}", f"ent-{b}", 1.0 + chance.randrange(4)) for a, b in sorted(pairs))
    return GraphView(nodes, edges)


def measure(count: int) -> dict[str, float]:
    """Return frames a second while panning, and the milliseconds of each part."""
    from ui.app import make_application
    from ui.panes.graph.canvas.base_picture import beyond, paint_base
    from ui.panes.graph.canvas.layout_runner import layout_of
    from ui.panes.graph.canvas.scene import GraphScene
    from ui.theme import current

    application = make_application()
    view = sample(count)
    scene, scene_ms = _timed(lambda: GraphScene(view))
    positions, layout_ms = _timed(lambda: layout_of(scene, scene.stored).settle())
    scene.positions = positions
    canvas = _counting_canvas()
    canvas.resize(*WINDOW)
    canvas.show()
    canvas.set_scene(scene)
    canvas.zoom(4)
    _run_events(application, _REST_S)

    def render() -> None:
        at = beyond(canvas.viewport)
        paint_base(canvas.painter_for(at), at, canvas.viewport, current().colour("surface"), -1)

    render_ms = median(_timed(render)[1] for _ in range(5))
    canvas.frames.clear()
    seconds = _pan(canvas, application)
    whole = [moment for moment, is_whole in canvas.frames if is_whole]
    gaps = [after - before for before, after in pairwise(whole)]
    hover_ms = median(_timed(lambda one=one: _hover(canvas, one))[1] for one in range(8))  # type: ignore[misc]
    canvas.finish()
    canvas.hide()
    canvas.deleteLater()
    return {
        "fps": len(whole) / seconds,
        "frames with a bare edge": len(canvas.frames) - len(whole),
        "longest between frames ms": max(gaps, default=seconds) * 1e3,
        "render ms": render_ms,
        "hover ms": hover_ms,
        "scene ms": scene_ms,
        "layout ms": layout_ms,
    }


def _counting_canvas() -> Any:
    """Return a canvas that notes when it painted, and whether its picture reached over all that was in sight."""
    from ui.panes.graph.canvas.canvas import GraphCanvas

    class CountingCanvas(GraphCanvas):
        def __init__(self) -> None:
            super().__init__()
            self.frames: list[tuple[float, bool]] = []

        def paintEvent(self, event: Any) -> None:
            super().paintEvent(event)
            self.frames.append((time.perf_counter(), self._covers()))

    return CountingCanvas()


def _pan(canvas: Any, application: Any) -> float:
    """Drag the graph round in a circle and return the seconds it took.

    The hand has the same speed whatever the machine paints, and a screen that shows 120 frames a second: a faster one
    would only keep the thread that paints the picture from its work.
    """
    begun = last = time.perf_counter()
    while (now := time.perf_counter()) - begun < _SECONDS:
        turn = 2 * math.pi * (now - begun) / _ROUND_S
        way = _PIXELS_A_SECOND * (now - last)
        canvas.pan(way * math.cos(turn), way * math.sin(turn))
        last = now
        application.processEvents()
        time.sleep(max(0.0, 1 / _MOST_FPS - (time.perf_counter() - now)))
    return time.perf_counter() - begun


def _run_events(application: Any, seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        application.processEvents()
        time.sleep(0.005)


def _hover(canvas: "GraphCanvas", number: int) -> None:
    canvas.highlight.hovered = number
    canvas.repaint()


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.perf_counter()
    value = work()
    return value, (time.perf_counter() - begun) * 1e3


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
