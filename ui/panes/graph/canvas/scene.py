"""Graph scene: the nodes and links of a view as numpy arrays."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt

from app.entities.communities import communities
from app.entities.layout import GraphLinks, Indices, Mask, Points, strongest
from app.entities.model import GraphNode, GraphView
from ui.panes.graph.entity_types import TYPE_NUMBERS

LEAST_RADIUS, MOST_RADIUS = 4.5, 20.0
_LINKS_EACH = (8, 5, 4)  # drawn of each node at least: in small, middle and large graphs
_SMALL, _MIDDLE = 120, 1_000
_GROUP_LINKS = 10
_ALWAYS = -(1 << 62)


class GraphScene:
    """Nodes and links of a view, numbered in its order.

    Building one of many nodes takes a while: not on the window's thread.

    Args:
        view: What the engine answered.
        centre: The id in the middle, empty for the graph of all names.
    """

    def __init__(self, view: GraphView, centre: str = "") -> None:
        self.nodes: tuple[GraphNode, ...] = view.nodes
        self.left_out = view.left_out
        self.is_drawn = False
        self.places = {node.id: number for number, node in enumerate(view.nodes)}
        self.centre = self.places.get(centre, -1)
        count = len(view.nodes)
        self.kinds: Indices = np.array([TYPE_NUMBERS[node.type] for node in view.nodes], dtype=np.int64)
        self.weights: Points = np.array([node.weight for node in view.nodes], dtype=np.float64)
        self.pinned: Mask = np.array([node.pinned for node in view.nodes], dtype=np.bool_)
        self.since: Indices = np.array([_ms(node.first_at) for node in view.nodes], dtype=np.int64)
        self.stored: Points = np.array(
            [(np.nan, np.nan) if node.x is None or node.y is None else (node.x, node.y) for node in view.nodes],
            dtype=np.float64,
        ).reshape(count, 2)
        self.positions: Points = np.nan_to_num(self.stored)
        top = float(self.weights.max()) if count else 1.0
        self.radii: Points = LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) * np.sqrt(self.weights / max(top, 1.0)) ** 1.2
        self._set_links(view, count)
        self.groups: Indices = communities(count, strongest(self.links, count, _GROUP_LINKS))
        self.shown_nodes: Mask = np.ones(count, dtype=np.bool_)
        self.shown_links: Mask = np.ones(len(self.links.sources), dtype=np.bool_)

    def _set_links(self, view: GraphView, count: int) -> None:
        self.edges = edges = view.edges
        self.links = GraphLinks(
            np.array([self.places[edge.source] for edge in edges], dtype=np.int64),
            np.array([self.places[edge.target] for edge in edges], dtype=np.int64),
            np.array([edge.weight for edge in edges], dtype=np.float64),
        )
        self.link_since: Indices = np.array([_ms(edge.first_at) for edge in edges], dtype=np.int64)
        self.stated: Mask = np.array([edge.kind == "stated" for edge in edges], dtype=np.bool_)
        self.linked: Mask = np.array([edge.kind == "link" for edge in edges], dtype=np.bool_)
        self.labels: tuple[str, ...] = tuple(edge.label for edge in edges)
        each = _LINKS_EACH[0 if count <= _SMALL else 1 if count <= _MIDDLE else 2]
        self.springs = strongest(self.links, count, each)
        links = set(zip(self.springs.sources.tolist(), self.springs.targets.tolist(), strict=True))
        pairs = zip(self.links.sources.tolist(), self.links.targets.tolist(), strict=True)
        self.drawn: Mask = np.array([pair in links for pair in pairs], dtype=np.bool_) | self.stated
        if count <= _MIDDLE:
            self.drawn |= self.linked
        # GraphLinks by node, so that the neighbours of one are a slice.
        self._ends = np.concatenate([self.links.sources, self.links.targets])
        self._order = np.argsort(self._ends, kind="stable")
        self._begins = np.searchsorted(self._ends[self._order], np.arange(count + 1))

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def is_empty(self) -> bool:
        """True if there is no node."""
        return not self.nodes

    def links_of(self, number: int) -> Indices:
        """Return the numbers of the shown links of a node."""
        order = self._order[self._begins[number] : self._begins[number + 1]] % max(1, len(self.links.sources))
        return np.asarray(order[self.shown_links[order]])

    def neighbours(self, number: int) -> Indices:
        """Return the numbers of the shown neighbours of a node."""
        links = self.links_of(number)
        others = self.links.sources[links] + self.links.targets[links] - number
        return np.unique(others[others != number])

    def link_counts(self) -> Indices:
        """Return how many shown neighbours each node has."""
        first, last = self.links.sources[self.shown_links], self.links.targets[self.shown_links]
        keys = np.unique(np.minimum(first, last) * len(self) + np.maximum(first, last))
        count = max(1, len(self))
        return np.bincount(np.concatenate([keys // count, keys % count]), minlength=len(self))

    def show_until(self, moment_ms: int | None) -> None:
        """Show what was known at a time; everything when ``None``."""
        if moment_ms is None:
            self.shown_nodes[:] = True
            self.shown_links[:] = True
        else:
            self.shown_nodes = self.since <= moment_ms
            if self.centre >= 0:
                self.shown_nodes[self.centre] = True
            ends = self.shown_nodes[self.links.sources] & self.shown_nodes[self.links.targets]
            self.shown_links = (self.link_since <= moment_ms) & ends

    def span_ms(self) -> tuple[int, int]:
        """Return the times of the first and the last name or link, else zeros."""
        known = np.concatenate([self.since, self.link_since])
        known = known[known > _ALWAYS]
        return (int(known.min()), int(known.max())) if len(known) else (0, 0)

    def at(self, point: Sequence[float], reach: npt.NDArray[np.float64]) -> int:
        """Return the node at a point of the graph, -1 where there is none.

        Args:
            point: x and y.
            reach: How far from its middle each node counts as hit.
        """
        if self.is_empty:
            return -1
        distance = np.hypot(self.positions[:, 0] - point[0], self.positions[:, 1] - point[1])
        # Of nodes that overlap, the one whose edge is farthest around the point lies in front.
        beyond = np.where(self.shown_nodes, distance - reach, np.inf)
        nearest = int(np.argmin(beyond))
        return nearest if beyond[nearest] <= 0 else -1

    def toward(self, number: int, direction: tuple[int, int]) -> int:
        """Return the neighbour in a direction, else the nearest node there, else -1.

        Args:
            number: Where one is.
            direction: Step across and down, such as ``(1, 0)`` for right.
        """
        everyone = np.flatnonzero(self.shown_nodes)
        for numbers in (self.neighbours(number), everyone):
            wanted = numbers[(numbers != number) & self.shown_nodes[numbers]]
            delta = self.positions[wanted] - self.positions[number]
            length = np.maximum(np.hypot(delta[:, 0], delta[:, 1]), 1e-9)
            ahead = (delta @ np.array(direction, dtype=np.float64)) / length
            fits = ahead > 0.5  # noqa: PLR2004  (within 60 degrees)
            if fits.any():
                cost = np.where(fits, length * (2 - ahead), np.inf)
                return int(wanted[int(np.argmin(cost))])
        return -1

    def inside(self, outline: Points) -> list[int]:
        """Return the shown nodes within a closed outline, given as rows of x and y."""
        x, y = self.positions[:, 0], self.positions[:, 1]
        within = np.zeros(len(self), dtype=np.bool_)
        for (x1, y1), (x2, y2) in zip(outline, np.roll(outline, -1, axis=0), strict=True):
            if y1 == y2:
                continue
            crosses = ((y1 > y) != (y2 > y)) & (x < (x2 - x1) * (y - y1) / (y2 - y1) + x1)
            within ^= crosses
        return [int(node) for node in np.flatnonzero(within & self.shown_nodes)]


def _ms(moment: datetime | None) -> int:
    return _ALWAYS if moment is None else round(moment.timestamp() * 1000)
