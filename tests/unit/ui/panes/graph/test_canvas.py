"""The painted graph at any size: what is hit, what is in sight, names beside nodes, and its list."""

import gc
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from app.entities.model import TYPES, GraphEdge, GraphNode, GraphView
from tests.helpers.sample_data import NAUGHTY
from tests.unit.ui.conftest import Rest
from ui.panes.graph.canvas.canvas import GraphCanvas
from ui.panes.graph.canvas.label_placement import LabelPlacement
from ui.panes.graph.canvas.layout_runner import layout_of
from ui.panes.graph.canvas.scene import GraphScene
from ui.panes.graph.canvas.viewport import Viewport
from ui.panes.graph.graph_files import graphml
from ui.panes.graph.legend import Legend
from ui.panes.graph.name_model import NameModel
from ui.style.design_tokens import contrast
from ui.theme import Scheme, tokens_for

MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def gc_outside_events() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def _view(count: int, *, names: tuple[str, ...] = ()) -> GraphView:
    """Return a wheel: the first node is linked to all others, and each to the next."""
    nodes = [
        GraphNode(
            f"ent-{one}",
            names[one] if one < len(names) else f"Name {one}",
            TYPES[one % len(TYPES)],
            float(count - one),
            first_at=MORNING.replace(day=1 + one % 27),
        )
        for one in range(count)
    ]
    edges = [GraphEdge("ent-0", f"ent-{one}", 2.0, first_at=MORNING) for one in range(1, count)]
    edges += [GraphEdge(f"ent-{one}", f"ent-{one + 1}", 1.0, first_at=MORNING) for one in range(1, count - 1)]
    if count > 2:
        edges.append(GraphEdge("ent-1", "ent-2", 1.0, "stated", "works at", MORNING))
    return GraphView(tuple(nodes), tuple(edges))


def _scene(count: int, **known: Any) -> GraphScene:
    scene = GraphScene(_view(count, **known))
    scene.positions = layout_of(scene, scene.stored).settle()
    return scene


@pytest.fixture
def canvas(qtbot: QtBot, look: object) -> Iterator[GraphCanvas]:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(800, 600)
    canvas.show()
    yield canvas
    canvas.finish()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 40, 900])
def test_a_graph_of_any_size_is_painted(canvas: GraphCanvas, count: int) -> None:
    canvas.set_scene(_scene(count))
    for by_group in (False, True):
        canvas.set_by_group(by_group)
        assert not canvas.grab().isNull()
    canvas.zoom(2)
    canvas.pan(3000, -3000)
    canvas.fit()
    assert not canvas.grab().isNull()


@pytest.mark.parametrize("name", NAUGHTY)
def test_any_name_is_painted_and_saved(canvas: GraphCanvas, name: str) -> None:
    canvas.set_scene(_scene(3, names=(name, name, name)))
    canvas.set_current(0)
    assert not canvas.grab().isNull()
    root = ET.fromstring(graphml(canvas.scene))
    space = "{http://graphml.graphdrawing.org/xmlns}"
    assert len(root.findall(f".//{space}node")) == 3
    assert len(root.findall(f".//{space}edge")) == 4
    said = [data.text for data in root.findall(f".//{space}data") if data.get("key") == "label"]
    assert said == ["works at"]


def test_everything_is_in_sight_after_fitting(canvas: GraphCanvas) -> None:
    scene = _scene(60)
    canvas.set_scene(scene)
    points = canvas.viewport.to_screen(scene.positions)
    assert (points > 0).all()
    assert (points < (800, 600)).all()
    canvas.resize(500, 700)
    points = canvas.viewport.to_screen(scene.positions)
    assert (points > 0).all()
    assert (points < (500, 700)).all()


def test_each_node_is_hit_where_it_is_drawn(canvas: GraphCanvas) -> None:
    scene = _scene(30)
    canvas.set_scene(scene)
    for number, (x, y) in enumerate(canvas.viewport.to_screen(scene.positions).tolist()):
        assert canvas.at(QPointF(x, y)) == number
    assert canvas.at(QPointF(1, 1)) == -1
    scene.show_until(0)
    assert canvas.at(QPointF(*canvas.viewport.to_screen(scene.positions[3]).tolist())) == -1


def test_dragging_copies_the_prepared_picture(canvas: GraphCanvas) -> None:
    canvas.set_scene(_scene(60))
    canvas.grab()
    prepared = canvas._base
    canvas.pan(40, 30)
    canvas.grab()
    assert canvas._base is prepared
    canvas.pan(600, 0)
    canvas.grab()
    assert canvas._base is not prepared


def test_a_large_graph_is_painted_beside_the_window(canvas: GraphCanvas, rest: Rest) -> None:
    canvas.set_scene(_scene(900))
    canvas.grab()
    rest(lambda: canvas._base is not None)
    first = canvas._base
    canvas.pan(2000, 0)
    canvas.grab()
    assert canvas._base is first, "what was there stays until the new picture is"
    rest(lambda: canvas._base is not first)


def test_the_wheel_zooms_around_the_pointer(canvas: GraphCanvas) -> None:
    canvas.set_scene(_scene(20))
    there = canvas.viewport.to_graph(200, 150)
    event = QWheelEvent(
        QPointF(200, 150), canvas.mapToGlobal(QPointF(200, 150)), QPointF(0, 0).toPoint(), QPointF(0, 240).toPoint(),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    zoom = canvas.viewport.zoom
    canvas.wheelEvent(event)
    assert canvas.viewport.zoom > zoom
    assert canvas.viewport.to_graph(200, 150) == pytest.approx(there)


def test_the_pointer_says_what_it_is_on(canvas: GraphCanvas) -> None:
    canvas.set_scene(_scene(12))
    spot = QPointF(*canvas.viewport.to_screen(canvas.scene.positions[2]).tolist())
    canvas.mouseMoveEvent(
        QMouseEvent(
            QEvent.Type.MouseMove,
            spot,
            canvas.mapToGlobal(spot),
            Qt.MouseButton.NoButton,
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
        )
    )
    assert canvas.highlight.hovered == 2
    assert canvas.words_of(2) == "Name 2, Place, 10 mentions, 3 links"
    assert not canvas.grab().isNull()


def test_current_and_selected_names_survive_another_scene(canvas: GraphCanvas) -> None:
    canvas.set_scene(_scene(12))
    canvas.set_current(4)
    canvas.select({4, 9})
    canvas.set_scene(_scene(6))
    assert canvas.highlight.current == 4
    assert canvas.highlight.selected == {4}


def test_what_came_later_is_not_there_yet() -> None:
    scene = _scene(20)
    scene.show_until(round(MORNING.replace(day=5).timestamp() * 1000))
    assert np.flatnonzero(scene.shown_nodes).tolist() == [0, 1, 2, 3, 4]
    assert set(scene.neighbours(0).tolist()) == {1, 2, 3, 4}
    assert scene.link_counts()[0] == 4
    scene.show_until(None)
    assert scene.shown_nodes.all()


def test_arrow_keys_lead_to_neighbours_first() -> None:
    view = GraphView(
        tuple(
            GraphNode(f"ent-{one}", f"N{one}", "person", 1.0, x=x, y=y)
            for one, (x, y) in enumerate([(0.0, 0.0), (50.0, 0.0), (200.0, 0.0), (0.0, 90.0)])
        ),
        (GraphEdge("ent-0", "ent-2", 1.0),),
    )
    scene = GraphScene(view)
    assert scene.toward(0, (1, 0)) == 2
    assert scene.toward(0, (0, 1)) == 3
    assert scene.toward(0, (-1, 0)) == -1


def test_labels_never_overlap() -> None:
    room = LabelPlacement(400, 300, QRectF(0, 0, 400, 300))
    points = np.random.default_rng(1).uniform(0, 300, (200, 2))
    spots = [spot for x, y in points.tolist() if (spot := room.place(x, y, 4, 60, 14)) is not None]
    assert len(spots) > 10
    for number, one in enumerate(spots):
        assert QRectF(0, 0, 400, 300).contains(one)
        assert not any(one.intersects(other) for other in spots[:number])


@pytest.mark.parametrize("count", [0, 1, 30])
def test_the_list_is_a_sound_model(count: int, qtbot: QtBot) -> None:
    del qtbot
    model = NameModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_scene(_scene(count))
    assert model.rowCount() == count
    for column in range(model.columnCount()):
        for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
            model.sort(column, order)
    model.set_scene(_scene(5))
    assert sorted(model.number_at(row) for row in range(5)) == list(range(5))
    assert [model.row_of(model.number_at(row)) for row in range(5)] == list(range(5))
    assert model.number_at(9) == -1
    del tester


def test_the_legend_names_types_and_groups(qtbot: QtBot, look: object) -> None:
    legend = Legend()
    qtbot.addWidget(legend)
    legend.show_types({"person": 3, "location": 1}, ("date",))
    assert [entry.words for entry in legend.entries] == ["People 3", "Places 1", "Dates"]
    assert [button.accessibleName() for button in legend.buttons] == ["Hide People 3", "Hide Places 1", "Show Dates"]
    with qtbot.waitSignal(legend.toggled) as emitted:
        legend.buttons[2].click()
    assert emitted.args == ["date"]
    legend.show_groups(_scene(20))
    assert legend.entries[0].words.startswith("Around Name 0")


def test_colours_of_nodes_stand_out_from_the_ground() -> None:
    for scheme in (Scheme.LIGHT, Scheme.DARK):
        for high in (False, True):
            tokens = tokens_for(scheme, high)
            assert min(contrast(colour, tokens.surface) for colour in tokens.series) >= 3


def test_a_viewport_maps_there_and_back() -> None:
    viewport = Viewport(800, 600, 12.0, -7.0, 1.7)
    x, y = viewport.to_screen(np.array([30.0, 40.0]))
    assert viewport.to_graph(float(x), float(y)) == pytest.approx((30.0, 40.0))
    assert viewport.fitted(np.zeros((0, 2))).zoom == 1.0
    assert viewport.zoomed(1e9, 0, 0).zoom < 10
