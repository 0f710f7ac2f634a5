"""Frames a second of the graph while panning, and times of its parts, with the raster engine.

Run it with ``python -m tests.bench.graph --json OUT``.
"""

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Callable
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
_SECONDS = 2.0
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
    from ui.panes.graph.canvas.canvas import GraphCanvas
    from ui.panes.graph.canvas.layout_runner import layout_of
    from ui.panes.graph.canvas.scene import GraphScene

    application = make_application()
    view = sample(count)
    scene, scene_ms = _timed(lambda: GraphScene(view))
    positions, layout_ms = _timed(lambda: layout_of(scene, scene.stored).settle())
    scene.positions = positions
    canvas = GraphCanvas()
    canvas.resize(*WINDOW)
    canvas.show()
    canvas.set_scene(scene)
    for _ in range(20):  # nothing is painted before the window is there
        application.processEvents()

    def render() -> None:
        canvas.repaint_all()
        canvas.repaint()

    render_ms = median(_timed(render)[1] for _ in range(5))
    canvas.zoom(4)
    canvas.repaint_all()
    canvas.repaint()
    frames = _pan(canvas, application)
    hover_ms = median(_timed(lambda one=one: _hover(canvas, one))[1] for one in range(8))  # type: ignore[misc]
    canvas.finish()
    canvas.hide()
    canvas.deleteLater()
    seconds = sum(frames)
    return {
        "fps": len(frames) / seconds,
        "worst frame ms": max(frames) * 1e3,
        "render ms": render_ms,
        "hover ms": hover_ms,
        "scene ms": scene_ms,
        "layout ms": layout_ms,
    }


def _pan(canvas: "GraphCanvas", application: Any) -> list[float]:
    """Drag the graph to and fro and return the seconds of each frame, its repainting at the margins included."""
    frames: list[float] = []
    step = 0
    while sum(frames) < _SECONDS:
        begun = time.perf_counter()
        ahead = step // 120 % 2 == 0
        canvas.pan(9.0 if ahead else -9.0, 4.0 if ahead else -4.0)
        canvas.repaint()
        application.processEvents()
        frames.append(time.perf_counter() - begun)
        step += 1
    return frames


def _hover(canvas: "GraphCanvas", number: int) -> None:
    canvas.highlight.hovered = number
    canvas.repaint()


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.perf_counter()
    value = work()
    return value, (time.perf_counter() - begun) * 1e3


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
