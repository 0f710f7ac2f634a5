"""Positions of a graph: settled, equal for equal graphs, and stable for what has its place."""

import numpy as np
import pytest

from app.entities import layout
from app.entities.layout import ForceLayout, GraphLinks, first_positions, strongest


def _two_rings(each: int) -> GraphLinks:
    """Return two rings of nodes with one link between them."""
    pairs = [(side * each + one, side * each + (one + 1) % each, 1.0) for side in (0, 1) for one in range(each)]
    pairs += [(side * each + one, side * each + (one + 2) % each, 1.0) for side in (0, 1) for one in range(each)]
    return GraphLinks.of([*pairs, (0, each, 1.0)])


def _settled(count: int, links: GraphLinks, known: np.ndarray | None = None) -> np.ndarray:
    start = np.full((count, 2), np.nan) if known is None else known
    fixed = np.isfinite(start).all(axis=1)
    return ForceLayout(first_positions(count, links, start), links, fixed).settle()


@pytest.mark.parametrize("count", [0, 1, 2, 7, 400])
def test_any_graph_settles(count: int) -> None:
    positions = _settled(count, GraphLinks.of([]))
    assert positions.shape == (count, 2)
    assert np.isfinite(positions).all()
    if count > 1:
        distances = np.hypot(*(positions[:, None] - positions).transpose(2, 0, 1)) + np.eye(count) * 1e6
        assert distances.min() > 5


def test_equal_graphs_get_equal_positions() -> None:
    links = _two_rings(40)
    assert (_settled(80, links) == _settled(80, links)).all()


def test_what_is_linked_stands_closer_than_what_is_not() -> None:
    positions = _settled(60, _two_rings(30))
    middles = positions[:30].mean(axis=0), positions[30:].mean(axis=0)
    within = np.hypot(*(positions[:30] - middles[0]).T).mean()
    assert np.hypot(*(middles[0] - middles[1])) > within


def test_nodes_with_a_place_stay_there_and_new_ones_come_near_their_neighbours() -> None:
    links = _two_rings(20)
    known = _settled(40, links)
    before = known.copy()
    known[5] = np.nan
    after = _settled(40, links, known)
    stay = np.arange(40) != 5
    assert (after[stay] == before[stay]).all()
    assert np.hypot(*(after[5] - before[[4, 6]].mean(axis=0))) < 4 * layout.LINK


def test_nodes_in_one_place_part() -> None:
    start = np.zeros((12, 2))
    positions = ForceLayout(start, GraphLinks.of([]), np.zeros(12, dtype=np.bool_)).settle()
    assert len({tuple(row) for row in positions.round(1).tolist()}) == 12


def test_the_grid_pushes_about_as_each_pair_would() -> None:
    points = np.random.default_rng(3).normal(size=(700, 2)) * 900
    mass = np.random.default_rng(4).uniform(0.5, 3, 700)
    exact, fast = layout._pairwise(points, mass), layout._by_grid(points, mass)
    error = np.hypot(*(exact - fast).T).mean() / np.hypot(*exact.T).mean()
    assert error < 0.1


def test_a_large_graph_begins_with_its_groups_together() -> None:
    links = _two_rings(200)
    groups = np.repeat([0, 1], 200)
    start = first_positions(400, links, np.full((400, 2), np.nan), groups)
    spread = np.hypot(*(start[:200] - start[:200].mean(axis=0)).T).mean()
    assert np.hypot(*(start[:200].mean(axis=0) - start[200:].mean(axis=0))) > spread / 2


def test_the_strongest_links_of_each_node_are_kept() -> None:
    hub = [(0, one, 1.0) for one in range(1, 30)]
    kept = strongest(GraphLinks.of([*hub, (1, 2, 5.0), (3, 4, 5.0)]), 30, 1)
    pairs = set(zip(kept.sources.tolist(), kept.targets.tolist(), strict=True))
    assert {(1, 2), (3, 4)} <= pairs
    assert all((0, one) in pairs for one in range(5, 30)), "a node with one link keeps it"
    assert (0, 1) not in pairs
