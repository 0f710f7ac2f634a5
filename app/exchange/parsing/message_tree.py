"""Conversations kept as trees of edits and retries: which branch was the one in use."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.memories.foreign_record import Problem
from app.sentence import Sentence, joined


@dataclass(frozen=True, slots=True)
class Branch:
    """Nodes in use, first to last.

    ``broken`` says that the way to the first one is interrupted.
    """

    nodes: tuple[str, ...]
    broken: bool = False


def branch(parents: Mapping[str, str | None], moments: Mapping[str, float | None], leaf: str) -> Branch:
    """Follow the branch that ends in ``leaf`` up to its root.

    Args:
        parents: Each node's parent, ``None`` for a root, in file order.
        moments: When each node was made; decides when ``leaf`` names no node, then the latest end of a branch is taken.
        leaf: The node the conversation stood at.
    """
    if not parents:
        return Branch(())
    if len(parents) > 1 and not any(parent in parents for parent in parents.values()):
        return Branch(tuple(sorted(parents, key=lambda node: moments.get(node) or 0.0)))
    at: str | None = leaf if leaf in parents else _latest_leaf(parents, moments)
    way: dict[str, None] = {}
    while at is not None and at in parents and at not in way:
        way[at] = None
        at = parents[at]
    return Branch(tuple(reversed(way)), broken=at is not None)


def _latest_leaf(parents: Mapping[str, str | None], moments: Mapping[str, float | None]) -> str:
    inner = set(parents.values())
    leaves = [node for node in parents if node not in inner] or list(parents)
    order = {node: place for place, node in enumerate(parents)}
    return max(leaves, key=lambda node: (moments.get(node) or 0.0, order[node]))


def apart(parents: Mapping[str, str | None], used: Branch) -> set[str]:
    """Return the nodes that nothing joins to the branch in use."""
    joined = set(used.nodes)
    branches: set[str] = set()
    for node in parents:
        way: dict[str, None] = {}
        at: str | None = node
        while at is not None and at in parents and at not in joined and at not in branches and at not in way:
            way[at] = None
            at = parents[at]
        (joined if at in joined else branches).update(way)
    return branches


def replaced_messages(place: str, number: int, hint: str = "") -> Problem:
    """Return the remark about messages of a conversation that an edit or a retry replaced.

    Args:
        place: The conversation, for a person.
        number: How many messages they are.
        hint: A sentence about how they can be had, ``""`` for none.
    """
    sentence = Sentence("What an edit or a retry replaced was left out.")
    return Problem(place, joined((sentence, hint)), lost=False, foreign=True, count=number)


def other_branches(
    parents: Mapping[str, str | None], moments: Mapping[str, float | None], used: Branch
) -> list[tuple[str | None, Branch]]:
    """Return the branches that are not in use, each from where it leaves the others.

    Args:
        parents: Each node's parent, ``None`` for a root, in file order.
        moments: When each node was made.
        used: The branch in use.

    Returns:
        The node after which a branch begins, ``None`` for none, and the nodes that only it has.
    """
    seen, inner = set(used.nodes), set(parents.values())
    branches: list[tuple[str | None, Branch]] = []
    for leaf in parents:
        if leaf in inner or leaf in seen:
            continue
        way = branch(parents, moments, leaf)
        fresh = tuple(node for node in way.nodes if node not in seen)
        seen |= {*fresh}
        if fresh:
            before = parents[fresh[0]]
            branches.append((before if before in parents else None, Branch(fresh, way.broken)))
    return branches
