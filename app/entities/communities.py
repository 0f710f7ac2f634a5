"""Communities of a graph, found by label propagation."""

import numpy as np
import numpy.typing as npt

from app.entities.layout import GraphLinks

_ROUNDS = 24


def communities(count: int, links: GraphLinks) -> npt.NDArray[np.int64]:
    """Return the number of each node's community, the largest being 0.

    Each node takes the label with the most weight among its neighbours, half of the nodes at a time, so that two
    halves do not swap labels for ever (Raghavan, Albert and Kumara 2007). Ties go to the smaller label: equal graphs
    get equal communities. Nodes without links are each for themselves, after all others.

    Args:
        count: How many nodes there are.
        links: The links between them.
    """
    labels = np.arange(count)
    if not count:
        return labels
    nodes = np.concatenate([links.sources, links.targets])
    others = np.concatenate([links.targets, links.sources])
    weights = np.tile(links.weights, 2)
    # Halves by a mix of the number's bits: neighbours often have neighbouring numbers.
    half = (np.arange(count) * 2_654_435_761 >> 7) & 1
    for turn in range(_ROUNDS):
        moved = False
        for part in ((turn & 1), 1 - (turn & 1)):
            chosen = half[nodes] == part
            fresh = _heaviest(nodes[chosen], labels[others[chosen]], weights[chosen], labels)
            moved = moved or bool((fresh != labels).any())
            labels = fresh
        if not moved:
            break
    return _by_size(labels)


def _heaviest(
    nodes: npt.NDArray[np.int64],
    offered: npt.NDArray[np.int64],
    weights: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int64],
) -> npt.NDArray[np.int64]:
    if not len(nodes):
        return labels
    keys, places = np.unique(nodes * len(labels) + offered, return_inverse=True)
    sums = np.bincount(places.ravel(), weights)
    owners, named = keys // len(labels), keys % len(labels)
    # A label that a node has already is kept where it weighs as much as the best.
    sums = sums + np.where(named == labels[owners], 1e-9 + sums * 0.05, 0.0)
    order = np.lexsort((named, -sums, owners))
    owners, named = owners[order], named[order]
    first = np.concatenate([[True], owners[1:] != owners[:-1]])
    found = labels.copy()
    found[owners[first]] = named[first]
    return found


def _by_size(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    known, places, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.lexsort((known, -sizes))
    rank = np.empty(len(known), dtype=np.int64)
    rank[order] = np.arange(len(known))
    return rank[places.ravel()]
