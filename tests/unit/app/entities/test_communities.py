"""Communities by label propagation: found, ordered by size, equal for equal graphs."""

import numpy as np
import pytest

from app.entities.communities import communities
from app.entities.layout import GraphLinks


def _cliques(*sizes: int, bridge: float = 0.2) -> tuple[int, GraphLinks]:
    pairs, first = [], 0
    for size in sizes:
        pairs += [(first + one, first + other, 1.0) for one in range(size) for other in range(one)]
        if first:
            pairs.append((first - 1, first, bridge))
        first += size
    return first, GraphLinks.of(pairs)


@pytest.mark.parametrize("sizes", [(5, 5), (4, 9, 6), (12, 3, 3, 3)])
def test_cliques_are_found_and_the_largest_is_first(sizes: tuple[int, ...]) -> None:
    count, links = _cliques(*sizes)
    found = communities(count, links)
    assert sorted(np.bincount(found).tolist(), reverse=True) == sorted(sizes, reverse=True)
    assert np.bincount(found).argmax() == 0
    assert (communities(count, links) == found).all()


def test_nodes_without_links_are_each_for_themselves() -> None:
    assert communities(0, GraphLinks.of([])).tolist() == []
    assert len(set(communities(4, GraphLinks.of([])).tolist())) == 4


def test_two_that_are_linked_do_not_swap_for_ever() -> None:
    assert communities(2, GraphLinks.of([(0, 1, 1.0)])).tolist() == [0, 0]
