"""Entity graph: the neighbourhood of an entity or the most mentioned ones, with edges."""

import json
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import apsw

from app.core.clock import to_ms
from app.entities import repo
from app.entities.model import EntityFilter, GraphEdge, GraphFilter, GraphNode, GraphView
from app.entities.queries.cooccurrence import Owner, TimeWindow, neighbours, owners_of, top
from app.entities.queries.entity_lists import ids, rows
from app.entities.queries.profile import visible
from app.entities.queries.visibility import sees_all

MAX_DEPTH = 3
MAX_NODES = 5_000
_CENTRE_OWNERS = 1_000  # latest mentions followed of the centre,
_STEP_OWNERS = 80  # of an entity on the way,
_LEAF_OWNERS = 600  # and of all the leaves together, to count what they share
_WAYS = (12, 6)  # entities followed at the second and the third step


def neighbourhood(
    connection: apsw.Connection, centre: str, depth: int, limit: int, chosen: GraphFilter, stores: Sequence[str]
) -> GraphView:
    """Return an entity with what is mentioned together with it, up to ``depth`` steps away.

    Weights count the latest messages and memories only, a bounded number for each entity.

    Raises:
        NotFoundError: There is no such entity that the caller may know.
    """
    entity = visible(connection, centre, stores)
    window = _window(chosen, stores)
    depths, owners = {entity.id: 0}, dict[Owner, set[str]]()
    frontier, left_out = [entity.id], 0
    for step in range(1, min(max(depth, 1), MAX_DEPTH) + 1):
        counts: dict[str, int] = {}
        for one in frontier:
            found = owners_of(connection, one, window, _CENTRE_OWNERS if step == 1 else _STEP_OWNERS)
            owners.update(found)
            for other, weight in neighbours(found, one).items():
                if other not in depths:
                    counts[other] = counts.get(other, 0) + weight
        for other in _stated_ends(connection, frontier, chosen, stores):
            if other not in depths:
                counts[other] = counts.get(other, 0) + 1
        allowed = _of_types(connection, counts, chosen)
        kept = top(connection, allowed, max(0, limit - len(depths)))
        left_out += len(allowed) - len(kept)
        depths.update((other, step) for other, _ in kept)
        frontier = [other for other, _ in kept[: _WAYS[min(step, len(_WAYS)) - 1]]]
    return _view(connection, depths, owners, left_out, chosen, stores)


def overview(connection: apsw.Connection, limit: int, chosen: GraphFilter, stores: Sequence[str]) -> GraphView:
    """Return the most mentioned entities."""
    wanted = EntityFilter(types=chosen.types, since=chosen.since, until=chosen.until)
    every = ids(connection, wanted, "mentions", stores=stores)
    shown = every[: max(0, limit)]
    return _view(connection, dict.fromkeys(shown, 0), {}, len(every) - len(shown), chosen, stores)


def _view(
    connection: apsw.Connection,
    depths: dict[str, int],
    owners: dict[Owner, set[str]],
    left_out: int,
    chosen: GraphFilter,
    stores: Sequence[str],
) -> GraphView:
    edges = []
    if not chosen.kinds or "together" in chosen.kinds:
        share = max(4, _LEAF_OWNERS // max(1, len(depths)))
        for one in depths:
            owners.update(owners_of(connection, one, _window(chosen, stores), share))
        edges += _together(owners.values(), depths)
    if not chosen.kinds or "stated" in chosen.kinds:
        edges += _stated(connection, depths, stores)
    places = _places(connection, depths)
    nodes = tuple(
        GraphNode(row.id, row.name, row.type, float(row.mentions), depths[row.id], *places.get(row.id, (None, None)))
        for row in rows(connection, list(depths), stores=stores)
    )
    known = {node.id for node in nodes}
    shown = tuple(edge for edge in edges if edge.source in known and edge.target in known)
    return GraphView(nodes, shown, left_out)


def _together(owners: Iterable[set[str]], nodes: dict[str, int]) -> list[GraphEdge]:
    counts: dict[tuple[str, str], int] = {}
    for mentioned in owners:
        for pair in combinations(sorted(mentioned & nodes.keys()), 2):
            counts[pair] = counts.get(pair, 0) + 1
    return [GraphEdge(first, second, float(weight)) for (first, second), weight in sorted(counts.items())]


def _stated(connection: apsw.Connection, nodes: dict[str, int], stores: Sequence[str]) -> list[GraphEdge]:
    edges: dict[tuple[str, str, str], GraphEdge] = {}
    for subject, predicate, target, weight in _relations_of(connection, nodes, stores):
        if subject in nodes and target in nodes and subject != target:
            edges[subject, predicate, target] = GraphEdge(subject, target, weight, "stated", predicate)
    return list(edges.values())


def _stated_ends(
    connection: apsw.Connection, frontier: Sequence[str], chosen: GraphFilter, stores: Sequence[str]
) -> set[str]:
    """Return what stands at the other end of the relations stated of ``frontier``."""
    if chosen.kinds and "stated" not in chosen.kinds:
        return set()
    return {end for subject, _, target, _ in _relations_of(connection, frontier, stores) for end in (subject, target)}


def _relations_of(
    connection: apsw.Connection, wanted: Iterable[str], stores: Sequence[str]
) -> list[tuple[str, str, str, float]]:
    if not sees_all(stores):
        return []
    parts = [part for one in wanted for part in repo.cluster(connection, one)]
    found: list[Any] = connection.execute(
        "SELECT subject_id, predicate, object_id, weight FROM relations WHERE subject_id IN"
        " (SELECT value FROM json_each(?1)) OR object_id IN (SELECT value FROM json_each(?1))",
        (json.dumps(parts),),
    ).fetchall()
    return [(repo.root(connection, row[0]), row[1], repo.root(connection, row[2]), row[3]) for row in found]


def _of_types(connection: apsw.Connection, counts: dict[str, int], chosen: GraphFilter) -> dict[str, int]:
    if not chosen.types:
        return counts
    found: list[Any] = connection.execute(
        "SELECT e.id FROM json_each(?) w CROSS JOIN entities e ON e.id = w.value"
        " WHERE e.type IN (SELECT value FROM json_each(?))",
        (json.dumps(list(counts)), json.dumps(chosen.types)),
    ).fetchall()
    return {row[0]: counts[row[0]] for row in found}


def _places(connection: apsw.Connection, nodes: Iterable[str]) -> dict[str, tuple[float, float]]:
    found = connection.execute(
        "SELECT e.id, e.position_x, e.position_y FROM json_each(?) w CROSS JOIN entities e ON e.id = w.value"
        " WHERE e.position_x IS NOT NULL AND e.position_y IS NOT NULL",
        (json.dumps(list(nodes)),),
    )
    return {row[0]: (row[1], row[2]) for row in found}


def _window(chosen: GraphFilter, stores: Sequence[str]) -> TimeWindow:
    window = TimeWindow(tuple(stores))
    since = window.since_ms if chosen.since is None else to_ms(chosen.since)
    until = window.until_ms if chosen.until is None else to_ms(chosen.until)
    return TimeWindow(window.stores, since, until)
