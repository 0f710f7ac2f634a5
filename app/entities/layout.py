"""Graph layout: positions of nodes from the links between them, by simulated forces.

Links pull like springs, nodes push each other away with a force of one over the distance, and a weak pull holds
the whole together. Few nodes push each other pair by pair; many push through a grid: their number in each cell,
convolved with the force (a particle-mesh method), and neighbours within a cell one by one. networkx takes 29 s for
5,000 nodes, rustworkx 5 s, and igraph, which is fast, is under the GPL. Nothing is random: equal graphs get
equal positions.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

LINK = 70.0
"""Length of a link that nothing pulls at."""
_PUSH = 220.0
_PULL = (0.026, 0.046)  # towards the middle, across and down: windows are wide
_ALONE = 2.6  # how much harder what has no links to the rest is pulled
_FRICTION = 0.6
_COLD = 0.012
_STEPS, _STEPS_OF_MANY = 240, 110
_PAIRWISE = 240  # nodes up to which each pushes each
_CELLS = 96  # of the grid, along each side
_NEAR = 10  # followers in the order of cells that a node pushes one by one
_FASTEST = 60.0  # pixels in one step
_GROUP_LINKS = 4
_GOLDEN = np.pi * (3 - np.sqrt(5))


@dataclass(frozen=True, slots=True)
class GraphLinks:
    """GraphLinks between nodes, which are numbered from 0.

    Args:
        sources: One end of each.
        targets: The other end.
        weights: How strong each is, above 0.
    """

    sources: Indices
    targets: Indices
    weights: Points

    @classmethod
    def of(cls, pairs: "list[tuple[int, int, float]]") -> "GraphLinks":
        """Return links from ends and weights."""
        table = np.array(pairs, dtype=np.float64).reshape(-1, 3)
        return cls(table[:, 0].astype(np.int64), table[:, 1].astype(np.int64), table[:, 2])

    def degrees(self, count: int) -> Indices:
        """Return the number of links of each of ``count`` nodes."""
        return np.bincount(self.sources, minlength=count) + np.bincount(self.targets, minlength=count)


def strongest(links: GraphLinks, count: int, each: int) -> GraphLinks:
    """Return the links that are among the ``each`` strongest of one of their ends.

    A weight counts in proportion to those of both ends, so that a name which is everywhere does not draw in the rest.
    """
    if not len(links.sources):
        return links
    total = np.bincount(links.sources, links.weights, count) + np.bincount(links.targets, links.weights, count)
    share = links.weights / np.sqrt(total[links.sources] * total[links.targets])
    ends = np.concatenate([links.sources, links.targets])
    places = np.tile(np.arange(len(links.sources)), 2)
    order = np.lexsort((places, -np.tile(share, 2), ends))
    sorted_ends = ends[order]
    begins = np.searchsorted(sorted_ends, sorted_ends)
    kept = np.unique(places[order][np.arange(len(order)) - begins < each])
    return GraphLinks(links.sources[kept], links.targets[kept], share[kept])


def first_positions(count: int, links: GraphLinks, known: Points, groups: Indices | None = None) -> Points:
    """Return positions to begin with.

    Args:
        count: How many nodes there are, the most important first.
        links: The links between them.
        known: Positions from before, ``nan`` for new nodes.
        groups: The community of each node; those of a large graph then begin together.

    Returns:
        The known positions. New nodes stand beside their placed neighbours, or on a spiral from the middle outwards.
    """
    numbers = np.arange(count)
    radius = LINK * 0.55 * np.sqrt(numbers + 0.5)
    spiral = np.column_stack([np.cos(numbers * _GOLDEN) * radius * 1.3, np.sin(numbers * _GOLDEN) * radius])
    placed: Mask = np.isfinite(known).all(axis=1, keepdims=False).reshape(count)
    if not placed.any():
        return spiral if groups is None or count <= _PAIRWISE else _grouped(count, links, groups)
    positions = np.where(placed[:, None], known, np.nan_to_num(known[placed].mean(axis=0)) + spiral)
    sums, neighbours = np.zeros((count, 2)), np.zeros(count)
    for one, other in ((links.sources, links.targets), (links.targets, links.sources)):
        fresh = ~placed[one] & placed[other]
        np.add.at(sums, one[fresh], known[other[fresh]])
        np.add.at(neighbours, one[fresh], 1)
    near = neighbours > 0
    aside = np.column_stack([np.cos(numbers * _GOLDEN), np.sin(numbers * _GOLDEN)]) * LINK * 0.7
    positions[near] = (sums[near] / neighbours[near, None]) + aside[near]
    return positions


def _grouped(count: int, links: GraphLinks, groups: Indices) -> Points:
    """Return positions with each group together, near the groups it is linked to."""
    known = int(groups.max()) + 1
    first, last = groups[links.sources], groups[links.targets]
    across = first != last
    keys, places = np.unique(
        np.minimum(first, last)[across] * known + np.maximum(first, last)[across], return_inverse=True
    )
    weights = np.bincount(places.ravel(), links.weights[across], len(keys)).astype(np.float64)
    between = GraphLinks(keys // known, keys % known, weights)
    between = strongest(between, known, _GROUP_LINKS)
    spiral = first_positions(known, between, np.full((known, 2), np.nan))
    middles = ForceLayout(spiral, between, np.zeros(known, dtype=np.bool_)).settle()
    sizes = np.bincount(groups, minlength=known)
    # As far apart as all of them need beside each other.
    wide = np.sqrt((middles * middles).sum(axis=1).mean()) or 1.0
    middles = middles * (LINK * 0.75 * np.sqrt(float(count)) / wide)
    order = np.argsort(groups, kind="stable")
    rank = np.empty(count, dtype=np.int64)
    rank[order] = np.arange(count) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    radius = LINK * 0.4 * np.sqrt(rank + 0.5)
    around = np.column_stack([np.cos(rank * _GOLDEN), np.sin(rank * _GOLDEN)]) * radius[:, None]
    return np.asarray(middles[groups] + around)


class ForceLayout:
    """Forces that settle step by step.

    Args:
        positions: Where the nodes stand, one row of x and y each.
        links: The links between them.
        fixed: Nodes that stay where they are.
        heat: How much they move at first, 1 for a new graph.
    """

    def __init__(self, positions: Points, links: GraphLinks, fixed: Mask, heat: float = 1.0) -> None:
        self.positions = positions.copy()
        self._links = links
        self._free = ~fixed
        self._speed = np.zeros_like(self.positions)
        count = len(positions)
        self._pull = np.where(_apart(count, links), _ALONE, 1.0)[:, None] * np.array(_PULL)
        degrees = np.maximum(links.degrees(count), 1).astype(np.float64)
        top = links.weights.max() if len(links.weights) else 1.0
        strength = 0.35 + 0.65 * links.weights / top
        self._strength = strength / np.minimum(degrees[links.sources], degrees[links.targets])
        self._bias = degrees[links.sources] / (degrees[links.sources] + degrees[links.targets])
        self._mass = 0.6 + np.sqrt(degrees) * 0.4
        self._heat = heat
        steps = _STEPS if count <= _PAIRWISE else _STEPS_OF_MANY
        self._cooling = 1 - _COLD ** (1 / steps)

    @property
    def is_settled(self) -> bool:
        """True once nothing moves any more."""
        return self._heat < _COLD or not self._free.any()

    def step(self) -> None:
        """Move every free node by the forces on it."""
        self._heat *= 1 - self._cooling
        speed = self._speed
        self._attract(speed)
        speed += self._repulsion() * self._heat
        speed -= self.positions * self._pull * self._heat
        speed *= _FRICTION
        length = np.hypot(speed[:, 0], speed[:, 1])
        speed *= np.minimum(1.0, _FASTEST / np.maximum(length, 1e-9))[:, None]
        speed[~self._free] = 0
        self.positions += speed

    def settle(self) -> Points:
        """Take all steps and return the positions."""
        while not self.is_settled:
            self.step()
        return self.positions

    def _attract(self, speed: Points) -> None:
        sources, targets = self._links.sources, self._links.targets
        if not len(sources):
            return
        ahead = self.positions + speed
        delta = ahead[targets] - ahead[sources]
        length = np.maximum(np.hypot(delta[:, 0], delta[:, 1]), 1e-6)
        delta *= ((length - LINK) / length * self._heat * self._strength)[:, None]
        count = len(self.positions)
        for axis in (0, 1):
            speed[:, axis] -= np.bincount(targets, delta[:, axis] * self._bias, count)
            speed[:, axis] += np.bincount(sources, delta[:, axis] * (1 - self._bias), count)

    def _repulsion(self) -> Points:
        if len(self.positions) <= _PAIRWISE:
            return _pairwise(self.positions, self._mass)
        return _by_grid(self.positions, self._mass)


def _apart(count: int, links: GraphLinks) -> Mask:
    """Return which nodes have no way to the largest connected part."""
    if not count:
        return np.zeros(0, dtype=np.bool_)
    part = np.arange(count)
    while len(links.sources):
        before = part.copy()
        least = np.minimum(part[links.sources], part[links.targets])
        np.minimum.at(part, links.sources, least)
        np.minimum.at(part, links.targets, least)
        part = part[part]
        if (part == before).all():
            break
    return np.asarray(part != np.bincount(part).argmax())


def _pairwise(positions: Points, mass: Points) -> Points:
    """Return the push on each node by each other; the reference for ``_by_grid``."""
    dx = positions[:, 0][:, None] - positions[:, 0]
    dy = positions[:, 1][:, None] - positions[:, 1]
    square = dx * dx + dy * dy
    square += 25.0  # nodes in one place part gently
    push = _PUSH * mass / square
    # Two in exactly one place have no direction: the order of nodes gives one.
    numbers = np.arange(len(positions))
    dx += (dx == 0) * np.sign(numbers[:, None] - numbers) * 0.5
    return np.column_stack([(dx * push).sum(axis=1), (dy * push).sum(axis=1)])


def _by_grid(positions: Points, mass: Points) -> Points:
    """Return about the same push in time linear in the number of nodes."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    side = max(float((high - low).max()), 1.0) / (_CELLS - 2)
    at = (positions - low) / side + 0.5
    cell = at.astype(np.int64)
    part = at - cell
    flat = cell[:, 0] * _CELLS + cell[:, 1]
    density = np.zeros(_CELLS * _CELLS)
    corners = []
    for right in (0, 1):
        for below in (0, 1):
            share = (part[:, 0] if right else 1 - part[:, 0]) * (part[:, 1] if below else 1 - part[:, 1])
            place = flat + right * _CELLS + below
            corners.append((place, share))
            density += np.bincount(place, mass * share, _CELLS * _CELLS)
    size = 2 * _CELLS
    spectrum = np.fft.rfft2(density.reshape(_CELLS, _CELLS), (size, size))
    found = np.zeros_like(positions)
    for axis, kernel in enumerate(_kernels()):
        field = np.fft.irfft2(spectrum * kernel, (size, size))[:_CELLS, :_CELLS].ravel()
        for place, share in corners:
            found[:, axis] += field[place] * share
    found *= _PUSH / side
    return found + _near(positions, mass, flat, side)


_KERNELS: list[npt.NDArray[np.complex128]] = []


def _kernels() -> list[npt.NDArray[np.complex128]]:
    """Return the transformed push of one cell on all others, across and down."""
    if not _KERNELS:
        steps = np.fft.fftfreq(2 * _CELLS, 1 / (2 * _CELLS))
        across, down = np.meshgrid(steps, steps, indexing="ij")
        square = across * across + down * down + 1.0
        _KERNELS.extend(np.fft.rfft2(one / square) for one in (across, down))
    return _KERNELS


def _near(positions: Points, mass: Points, flat: Indices, side: float) -> Points:
    """Return the push by close nodes, for which the grid is too coarse."""
    order = np.lexsort((positions[:, 0], flat))
    there, weight = positions[order], mass[order]
    push = np.zeros_like(there)
    for step in range(1, _NEAR + 1):
        delta = there[step:] - there[:-step]
        square = (delta * delta).sum(axis=1)
        delta[square == 0, 0] = 0.5
        # What the grid has of it already grows with the distance; beyond a cell or two it is all there.
        force = _PUSH * (1 / (square + 25.0) - 1 / (square + side * side))
        force = np.where((square < 4 * side * side) & (force > 0), force, 0.0)
        push[step:] += delta * (force * weight[:-step])[:, None]
        push[:-step] -= delta * (force * weight[step:])[:, None]
    found = np.empty_like(push)
    found[order] = push
    return found
