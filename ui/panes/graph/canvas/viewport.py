"""Viewport: which part of the graph is in sight, and how large."""

from dataclasses import dataclass, replace

import numpy as np

from app.entities.layout import Points

LEAST, MOST = 0.02, 6.0
MARGIN = 56.0


@dataclass(frozen=True, slots=True)
class Viewport:
    """Part of the graph in sight.

    Args:
        width, height: Size of the picture in pixels.
        x, y: The point of the graph in its middle.
        zoom: Pixels for each unit of the graph.
    """

    width: float
    height: float
    x: float = 0.0
    y: float = 0.0
    zoom: float = 1.0

    @property
    def growth(self) -> float:
        """Factor of the size of nodes; they grow more slowly than distances."""
        return float(min(max(self.zoom**0.35, 0.5), 1.6))

    def to_screen(self, points: Points) -> Points:
        """Return points of the graph as points of the picture."""
        return (points - (self.x, self.y)) * self.zoom + (self.width / 2, self.height / 2)

    def to_graph(self, x: float, y: float) -> tuple[float, float]:
        """Return a point of the picture as a point of the graph."""
        return (x - self.width / 2) / self.zoom + self.x, (y - self.height / 2) / self.zoom + self.y

    def moved(self, dx: float, dy: float) -> "Viewport":
        """Return the viewport after the graph was dragged by some pixels."""
        return replace(self, x=self.x - dx / self.zoom, y=self.y - dy / self.zoom)

    def zoomed(self, factor: float, x: float, y: float) -> "Viewport":
        """Return it nearer or farther, with one point of the picture staying where it is."""
        zoom = min(max(self.zoom * factor, LEAST), MOST)
        there = self.to_graph(x, y)
        moved = replace(self, zoom=zoom)
        after = moved.to_graph(x, y)
        return replace(moved, x=self.x + there[0] - after[0], y=self.y + there[1] - after[1])

    def sized(self, width: float, height: float) -> "Viewport":
        """Return it for a picture of another size, with the same middle."""
        return replace(self, width=width, height=height)

    def centred(self, x: float, y: float) -> "Viewport":
        """Return it with another point in its middle."""
        return replace(self, x=x, y=y)

    def fitted(self, points: Points, *, most: float = 1.25, below: float = 0.0) -> "Viewport":
        """Return it with all of some points in sight.

        Args:
            points: Rows of x and y.
            most: The largest zoom.
            below: Pixels at the foot that something else covers.
        """
        if not len(points):
            return replace(self, x=0.0, y=0.0, zoom=1.0)
        low, high = points.min(axis=0), points.max(axis=0)
        size = np.maximum(high - low, 1.0)
        room = (max(self.width - 2.4 * MARGIN, 40.0), max(self.height - 2 * MARGIN - below, 40.0))
        zoom = min(max(float(min(room[0] / size[0], room[1] / size[1])), LEAST), most)
        middle = (low + high) / 2
        return replace(self, x=float(middle[0]), y=float(middle[1]) + below / 2 / zoom, zoom=zoom)
