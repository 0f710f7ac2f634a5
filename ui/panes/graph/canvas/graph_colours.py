"""Colours of the graph, made from the theme's tokens."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtGui import QColor

from app.entities.layout import Indices
from app.entities.model import TYPES
from ui.panes.graph.entity_types import SERIES, SHAPES
from ui.style.design_tokens import Tokens

GROUPS = 7
"""Communities that have a colour of their own; smaller ones have a lighter one."""
_LIGHT = 0.55
_TYPE_COLOURS = [SERIES[kind] for kind in TYPES]
_TYPE_SHAPES = [SHAPES[kind] for kind in TYPES]


def blended(colour: str, ground: str, share: float) -> QColor:
    """Return a share of a colour on a ground.

    The result is opaque: translucent lines take ten times as long to draw.
    """
    over, under = QColor(colour), QColor(ground)
    return QColor(
        *(
            round(channel * share + other * (1 - share))
            for channel, other in zip(over.getRgb()[:3], under.getRgb()[:3], strict=True)  # type: ignore[index]
        )
    )


@dataclass(frozen=True, slots=True)
class GraphColours:
    """Colours to paint a graph in.

    Args:
        tokens: The theme's colours.
        by_group: Whether nodes are coloured by community rather than by type.
    """

    tokens: Tokens
    by_group: bool = False

    @property
    def ground(self) -> QColor:
        """The ground of the graph."""
        return QColor(self.tokens.surface)

    def link(self, share: float) -> QColor:
        """Return the colour of links; a larger share stands out more."""
        return blended(self.tokens.text, self.tokens.surface, share)

    def accent(self, share: float) -> QColor:
        """Return the colour of highlighted links."""
        return blended(self.tokens.accent, self.tokens.surface, share)

    def inks(self, kinds: Indices, groups: Indices) -> list[str]:
        """Return the colour of each node, ``#rrggbb``."""
        series, ground = self.tokens.series, self.tokens.surface
        if not self.by_group:
            return [series[_TYPE_COLOURS[int(kind)]] for kind in kinds]
        light = [blended(colour, ground, _LIGHT).name() for colour in series[:GROUPS]]
        sizes = np.bincount(groups) if len(groups) else groups
        return [
            series[GROUPS] if sizes[number] <= 1 else series[number] if number < GROUPS else light[number % GROUPS]
            for number in groups.tolist()
        ]

    def style(self, kinds: Indices, groups: Indices) -> "NodeStyle":
        """Return how each node looks."""
        return NodeStyle(self, self.inks(kinds, groups), self.shapes(kinds))

    def shapes(self, kinds: Indices) -> list[str]:
        """Return the outline of each node."""
        return [_TYPE_SHAPES[int(kind)] for kind in kinds]


@dataclass(frozen=True, slots=True)
class NodeStyle:
    """Looks of all nodes of a scene.

    Args:
        colours: The colours of everything else.
        inks: The colour of each node.
        shapes: The outline of each node.
    """

    colours: GraphColours
    inks: list[str]
    shapes: list[str]
