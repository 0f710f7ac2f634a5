"""Entity graph: the neighbourhood of an entity or the most mentioned ones, with edges."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import apsw

from app.core.clock import optional_datetime, to_datetime, to_ms
from app.core.stores import sees_all
from app.entities import repo
from app.entities.model import EntityFilter, EntityRow, GraphEdge, GraphFilter, GraphNode, GraphView
from app.entities.queries.cooccurrence import (
    Owner,
    TimeWindow,
    entities_among,
    entity_counts,
    owners_of,
    short_owners,
    top,
)
from app.entities.queries.entity_lists import chosen_handles, count, matching, rows_of
from app.entities.queries.linked_notes import TitleLinks, edges_of_links
from app.entities.queries.profile import located
from app.entities.queries.visibility import handle_column, within

MAX_DEPTH = 3
MAX_NODES = 20_000
_CENTRE_OWNERS = 1_000  # latest mentions followed of the centre,
_STEP_OWNERS = 80  # of an entity on the way,
_LEAF_OWNERS = 600  # and of all the leaves together, to count what they share
_OVERVIEW_OWNERS = 4_000  # latest mentions followed of all nodes, where there is no centre
_MAX_NAMED = 300  # mentions of a text that leads further away from the centre
MAX_PAIRS = 200_000  # pairs of names counted for edges
_WAYS = (12, 6)  # entities followed at the second and the third step


@dataclass(slots=True)
class _Gathered:
    """Nodes found so far by handle, and the messages and memories that join them.

    Args:
        budget: Mentions to follow of all nodes together for their edges.
        centre: The centre, empty for the graph of all names.
        depths: Steps of each node from the centre.
        title_links: Finds links between notes.
        times: When each message and memory that was followed was written, in milliseconds.
        left_out: Nodes that the limit kept away.
    """

    budget: int
    title_links: TitleLinks
    centre: str = ""
    depths: dict[str, int] = field(default_factory=dict)
    times: dict[Owner, int] = field(default_factory=dict)
    left_out: int = 0


def neighbourhood(
    connection: apsw.Connection,
    centre: str,
    depth: int,
    limit: int,
    chosen: GraphFilter,
    stores: Sequence[str],
    *,
    title_links: TitleLinks,
) -> GraphView:
    """Return an entity with what is joined to it, up to ``depth`` steps away.

    Joined is what is mentioned in the same texts, what somebody stated and what note links join.

    Weights count the latest messages and memories only, a bounded number for each entity.

    Raises:
        NotFoundError: There is no such entity that the caller may know.
    """
    start, _ = located(connection, centre, stores)
    window = _window(chosen, stores)
    found = _Gathered(_LEAF_OWNERS, title_links, start, {start: 0})
    depths, frontier = found.depths, [start]
    for step in range(1, min(max(depth, 1), MAX_DEPTH) + 1):
        followed = Counter[Owner]()
        for one in frontier:
            owners = owners_of(connection, one, window, _CENTRE_OWNERS if step == 1 else _STEP_OWNERS)
            found.times.update(owners)
            followed.update(owners.keys())
        if step > 1:  # what stands far away in a long list is no company of the centre
            short = short_owners(connection, followed, _MAX_NAMED, stores)
            followed = Counter({owner: times for owner, times in followed.items() if owner in short})
        counts = Counter(entity_counts(connection, followed, stores))
        counts.update(_stated_ends(connection, frontier, chosen, stores))
        counts.update(_linked_ends(connection, frontier, chosen, window, title_links))
        for known in depths:
            counts.pop(known, None)
        allowed = _allowed(connection, counts, chosen, stores)
        kept = top(connection, allowed, max(0, limit - len(depths)), stores)
        found.left_out += len(allowed) - len(kept)
        depths.update((other, step) for other, _ in kept)
        frontier = [other for other, _ in kept[: _WAYS[min(step, len(_WAYS)) - 1]]]
    return _view(connection, found, chosen, stores)


def overview(
    connection: apsw.Connection, limit: int, chosen: GraphFilter, stores: Sequence[str], *, title_links: TitleLinks
) -> GraphView:
    """Return the most mentioned entities."""
    wanted = EntityFilter(text=chosen.text, types=chosen.types, since=chosen.since, until=chosen.until)
    shown = chosen_handles(connection, wanted, "mentions", limit=max(0, limit), stores=stores)
    every = count(connection, wanted, stores=stores)
    found = _Gathered(_OVERVIEW_OWNERS, title_links, depths=dict.fromkeys(shown, 0), left_out=every - len(shown))
    return _view(connection, found, chosen, stores)


def _view(connection: apsw.Connection, found: _Gathered, chosen: GraphFilter, stores: Sequence[str]) -> GraphView:
    edges, depths, window = [], found.depths, _window(chosen, stores)
    if not chosen.kinds or "together" in chosen.kinds:
        share = max(4, found.budget // max(1, len(depths)))
        for one in depths:
            found.times.update(owners_of(connection, one, window, share))
        edges += _together(connection, found, stores)
    if not chosen.kinds or "stated" in chosen.kinds:
        edges += _stated(connection, depths, chosen, stores)
    if not chosen.kinds or "link" in chosen.kinds:
        edges += edges_of_links(connection, depths, window, found.title_links)
    is_bounded = chosen.since is not None or chosen.until is not None
    count_all = is_bounded or not sees_all(stores)
    mentioned = _mentioned(connection, depths, window) if count_all else _first_mentioned(connection, depths)
    # Where names stand follows from all of them, and from what the person looked at and moved.
    places = _places(connection, found.centre, depths) if sees_all(stores) else {}

    def node(handle: str, row: EntityRow) -> GraphNode:
        mentions, first = mentioned.get(handle, (0, None))
        x, y, pinned = places.get(handle, (None, None, False))
        weight = float(mentions if is_bounded else row.mentions)
        return GraphNode(row.id, row.name, row.type, weight, depths[handle], x, y, pinned, optional_datetime(first))

    listed = rows_of(connection, list(depths), stores=stores)
    nodes = tuple(node(handle, row) for handle, row in listed.items())
    kept = (edge for edge in edges if edge.source in listed and edge.target in listed)
    if sees_all(stores):  # handles are ids
        return GraphView(nodes, tuple(kept), found.left_out)
    shown = tuple(replace(edge, source=listed[edge.source].id, target=listed[edge.target].id) for edge in kept)
    return GraphView(nodes, shown, found.left_out)


def _together(connection: apsw.Connection, found: _Gathered, stores: Sequence[str]) -> list[GraphEdge]:
    """Return an edge between every two nodes that a text names.

    A long list of names joins each of them with all others, which says least and costs most: texts that name few are
    counted first, and those that would exceed the bound are not.
    """
    counts: dict[tuple[str, str], int] = {}
    first: dict[tuple[str, str], int] = {}
    pairs = 0
    named = entities_among(connection, found.times, found.depths, stores)
    for owner, mentioned in sorted(named.items(), key=lambda item: (len(item[1]), item[0])):
        at = found.times[owner]
        pairs += len(mentioned) * (len(mentioned) - 1) // 2
        if pairs > MAX_PAIRS:
            break
        for pair in combinations(sorted(mentioned), 2):
            counts[pair] = counts.get(pair, 0) + 1
            first[pair] = min(first.get(pair, at), at)
    return [
        GraphEdge(pair[0], pair[1], float(weight), first_at=to_datetime(first[pair]))
        for pair, weight in sorted(counts.items())
    ]


def _stated(
    connection: apsw.Connection, nodes: dict[str, int], chosen: GraphFilter, stores: Sequence[str]
) -> list[GraphEdge]:
    edges: dict[tuple[str, str, str], GraphEdge] = {}
    for subject, predicate, target, weight, at in _relations_of(connection, nodes, chosen, stores):
        if subject in nodes and target in nodes and subject != target:
            edges[subject, predicate, target] = GraphEdge(subject, target, weight, "stated", predicate, to_datetime(at))
    return list(edges.values())


def _stated_ends(
    connection: apsw.Connection, frontier: Sequence[str], chosen: GraphFilter, stores: Sequence[str]
) -> set[str]:
    """Return what stands at the other end of the relations stated of ``frontier``."""
    if chosen.kinds and "stated" not in chosen.kinds:
        return set()
    found = _relations_of(connection, frontier, chosen, stores)
    return {end for subject, _, target, *_ in found for end in (subject, target)}


def _linked_ends(
    connection: apsw.Connection,
    frontier: Sequence[str],
    chosen: GraphFilter,
    window: TimeWindow,
    title_links: TitleLinks,
) -> set[str]:
    """Return the entities that note links join to ``frontier``."""
    if chosen.kinds and "link" not in chosen.kinds:
        return set()
    found = edges_of_links(connection, frontier, window, title_links, is_outward=True)
    return {end for edge in found for end in (edge.source, edge.target)}


def _relations_of(
    connection: apsw.Connection, wanted: Iterable[str], chosen: GraphFilter, stores: Sequence[str]
) -> list[tuple[str, str, str, float, int]]:
    if not sees_all(stores):
        return []
    parts = [part for one in wanted for part in repo.cluster(connection, one)]
    found: list[Any] = connection.execute(
        "SELECT subject_id, predicate, object_id, weight, created_at FROM relations WHERE (subject_id IN"
        " (SELECT value FROM json_each(?1)) OR object_id IN (SELECT value FROM json_each(?1)))"
        " AND (?2 IS NULL OR created_at < ?2) ORDER BY created_at, source",
        (json.dumps(parts), None if chosen.until is None else to_ms(chosen.until)),
    ).fetchall()
    return [(repo.root(connection, row[0]), row[1], repo.root(connection, row[2]), row[3], row[4]) for row in found]


def _allowed(
    connection: apsw.Connection, counts: dict[str, int], chosen: GraphFilter, stores: Sequence[str]
) -> dict[str, int]:
    if not chosen.types and not chosen.text:
        return counts
    wanted = EntityFilter(text=chosen.text, types=chosen.types)
    return {one: counts[one] for one in matching(connection, list(counts), wanted, stores=stores)}


def _mentioned(
    connection: apsw.Connection, nodes: Iterable[str], window: TimeWindow
) -> dict[str, tuple[int, int | None]]:
    """Return the count of each node's mentions within ``window``, and the time of the first."""
    handle = handle_column(window.stores)
    found: list[Any] = connection.execute(
        f"SELECT {handle}, count(*), min(m.at) FROM json_each(?) w CROSS JOIN mentions m ON {handle} = w.value"
        f" WHERE m.at >= ? AND m.at < ? AND {within(window.stores)} GROUP BY {handle}",
        (json.dumps(list(nodes)), window.since_ms, window.until_ms),
    ).fetchall()
    return {row[0]: (row[1], row[2]) for row in found}


def _first_mentioned(connection: apsw.Connection, nodes: Iterable[str]) -> dict[str, tuple[int, int | None]]:
    """Return the time of each entity's first mention, without counting them all."""
    found: list[Any] = connection.execute(
        "SELECT w.value, (SELECT min(m.at) FROM mentions m WHERE m.entity_id = w.value) FROM json_each(?) w",
        (json.dumps(list(nodes)),),
    ).fetchall()
    return {row[0]: (0, row[1]) for row in found}


def _places(
    connection: apsw.Connection, centre: str, nodes: Iterable[str]
) -> dict[str, tuple[float | None, float | None, bool]]:
    wanted = json.dumps(list(nodes))
    if centre:
        found: list[Any] = connection.execute(
            "SELECT p.entity_id, p.x, p.y, p.pinned FROM json_each(?) w CROSS JOIN graph_positions p"
            " ON p.entity_id = w.value AND p.centre_id = ?",
            (wanted, centre),
        ).fetchall()
    else:
        found = connection.execute(
            "SELECT e.id, e.position_x, e.position_y, e.position_pinned FROM json_each(?) w"
            " CROSS JOIN entities e ON e.id = w.value WHERE e.position_x IS NOT NULL AND e.position_y IS NOT NULL",
            (wanted,),
        ).fetchall()
    return {row[0]: (row[1], row[2], bool(row[3])) for row in found}


def _window(chosen: GraphFilter, stores: Sequence[str]) -> TimeWindow:
    window = TimeWindow(tuple(stores))
    since = window.since_ms if chosen.since is None else to_ms(chosen.since)
    until = window.until_ms if chosen.until is None else to_ms(chosen.until)
    return TimeWindow(window.stores, since, until)
