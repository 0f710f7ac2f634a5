"""The graph: names that match, what was known by a time, and the places that a person or a layout gave."""

from datetime import timedelta

import apsw
import pytest

from app.core.clock import to_datetime
from app.core.stores import STORES
from app.entities.model import GraphEdge, GraphFilter, GraphView
from app.entities.queries import graph
from app.errors import InputError
from app.memories.queries.title_links import links_of_titles
from tests.helpers.access import EVERYTHING
from tests.unit.app.entities.conftest import EntityHarness

DAY_MS = 86_400_000


@pytest.fixture
def talk(harness: EntityHarness) -> EntityHarness:
    harness.say("Bob met Alice Jones in Berlin.", "Bob is in Paris.")
    harness.clock.ms += DAY_MS
    harness.say("Bob met Alice Jones in Rome.", "Carla Weber knows Bob.")
    harness.read_all()
    return harness


def _graph(talk: EntityHarness, centre: str | None = None, **fields: object) -> GraphView:
    chosen = GraphFilter(**fields)  # type: ignore[arg-type]
    return talk.do(talk.reads.graph(EVERYTHING, centre, 1, 100, chosen))


def test_only_names_that_match_are_drawn_and_the_middle_always(talk: EntityHarness) -> None:
    bob = talk.id("Bob")
    assert {node.name for node in _graph(talk, bob, text="jones").nodes} == {"Bob", "Alice Jones"}
    assert {node.name for node in _graph(talk, text="jones AL").nodes} == {"Alice Jones"}
    assert _graph(talk, text="nobody").nodes == ()


def test_names_and_counts_are_those_of_then(talk: EntityHarness) -> None:
    noon = to_datetime(talk.clock.ms) - timedelta(hours=12)
    talk.do(talk.service.relate(talk.id("Bob"), "knows", talk.id("Carla Weber"), actor="person"))
    bob = talk.id("Bob")
    then = {node.name: node.weight for node in _graph(talk, bob, until=noon).nodes}
    assert then == {"Bob": 2.0, "Alice Jones": 1.0, "Berlin": 1.0, "Paris": 1.0}
    now = _graph(talk, bob)
    assert {node.name: node.weight for node in now.nodes}["Bob"] == 4.0
    assert any(edge.kind == "stated" for edge in now.edges)
    assert {node.name for node in _graph(talk, until=noon).nodes} == set(then)


def test_nodes_and_edges_say_since_when_they_are_known(talk: EntityHarness) -> None:
    view = _graph(talk)
    first, second = to_datetime(talk.clock.ms - DAY_MS), to_datetime(talk.clock.ms)
    since = {node.name: node.first_at for node in view.nodes}
    assert since["Bob"] == first
    assert since["Rome"] == second
    names = {node.id: node.name for node in view.nodes}
    edges = {frozenset((names[edge.source], names[edge.target])): edge for edge in view.edges}
    assert edges[frozenset(("Bob", "Alice Jones"))].first_at == first
    assert edges[frozenset(("Bob", "Alice Jones"))].weight == 2.0
    assert edges[frozenset(("Bob", "Carla Weber"))].first_at == second


def test_each_graph_has_its_own_places(talk: EntityHarness) -> None:
    bob, alice = talk.id("Bob"), talk.id("Alice Jones")
    talk.do(talk.service.place([(alice, 1.5, -2.0), ("ent-none", 0, 0)], actor="person"))
    talk.do(talk.service.place([(alice, 30.0, 40.0)], centre=bob, actor="person"))
    assert _places(_graph(talk))["Alice Jones"] == (1.5, -2.0, False)
    assert _places(_graph(talk, bob))["Alice Jones"] == (30.0, 40.0, False)
    assert _places(_graph(talk, alice))["Alice Jones"] == (None, None, False)


@pytest.mark.parametrize("around", [False, True])
def test_what_is_pinned_stays_until_it_is_let_go(talk: EntityHarness, around: bool) -> None:
    alice = talk.id("Alice Jones")
    centre = talk.id("Bob") if around else None

    def place(x: float, pinned: bool | None) -> tuple[float | None, float | None, bool]:
        talk.do(talk.service.place([(alice, x, 0.0)], centre=centre, pinned=pinned, actor="person"))
        return _places(_graph(talk, centre))["Alice Jones"]

    assert place(1.0, True) == (1.0, 0.0, True)
    assert place(2.0, None) == (1.0, 0.0, True)
    assert place(3.0, True) == (3.0, 0.0, True)
    assert place(3.0, False) == (3.0, 0.0, False)
    assert place(4.0, None) == (4.0, 0.0, False)


def test_bad_places_are_refused(talk: EntityHarness) -> None:
    for positions in ([(talk.id("Bob"), float("nan"), 0.0)], [("e", 0.0, 0.0)] * 20_001):
        with pytest.raises(InputError):
            talk.do(talk.service.place(positions, actor="person"))
    talk.do(talk.service.place([(talk.id("Bob"), 1.0, 1.0)], centre="ent-none", actor="person"))


def test_others_see_only_what_their_stores_say(talk: EntityHarness) -> None:
    talk.note("Bob lives in Vienna.", store="social")
    talk.read_all()
    found = talk.do(talk.reads.graph(EVERYTHING.within(("social",)), None, 1, 100, GraphFilter()))
    assert {node.name: node.weight for node in found.nodes} == {"Bob": 1.0, "Vienna": 1.0}
    first = {
        node.name: node.first_at
        for node in talk.do(talk.reads.graph(EVERYTHING.within(STORES), None, 1, 9, GraphFilter())).nodes
    }
    assert next(node.first_at for node in found.nodes if node.name == "Bob") != first["Bob"]


def test_where_names_stand_is_told_to_full_trust_alone(talk: EntityHarness) -> None:
    talk.note("Bob lives in Vienna.", store="social")
    talk.read_all()
    bob = talk.id("Bob")
    talk.do(talk.service.place([(bob, 1.0, 2.0)], pinned=True, actor="person"))
    assert _places(_graph(talk))["Bob"] == (1.0, 2.0, True)
    found = talk.do(talk.reads.graph(EVERYTHING.within(("social",)), None, 1, 100, GraphFilter()))
    assert _places(found)["Bob"] == (None, None, False)


def _places(view: GraphView) -> dict[str, tuple[float | None, float | None, bool]]:
    return {node.name: (node.x, node.y, node.pinned) for node in view.nodes}


def _steps(talk: EntityHarness, centre: str | None, depth: int) -> tuple[GraphView, int]:
    """Return a graph, and the thousands of instructions that the database ran for it."""

    def work(connection: apsw.Connection) -> tuple[GraphView, int]:
        steps = 0

        def count() -> bool:
            nonlocal steps
            steps += 1
            return False

        connection.set_progress_handler(count, 1_000)
        try:
            if centre is None:
                return graph.overview(connection, 100, GraphFilter(), STORES, title_links=links_of_titles), steps
            return graph.neighbourhood(
                connection, centre, depth, 100, GraphFilter(), STORES, title_links=links_of_titles
            ), steps
        finally:
            connection.set_progress_handler(None)

    return talk.do(talk.store.read(work))


@pytest.fixture
def lists(harness: EntityHarness) -> EntityHarness:
    """Return a vault of twenty notes that each name a thousand addresses, the same hundred of them every time."""

    def write(connection: apsw.Connection) -> None:
        names = [f"site{number}" for number in range(100)] + [f"n{note}-{k}" for note in range(20) for k in range(900)]
        connection.executemany(
            "INSERT INTO entities (id, canonical_name, name_key, type, created_at, updated_at)"
            " VALUES (?1, ?1, ?1, 'url', 1, 1)",
            [(f"{name}",) for name in names],
        )
        for note in range(20):
            connection.executemany(
                "INSERT INTO mentions (owner_kind, owner_id, start, surface, entity_id, at)"
                " VALUES ('memory', ?, ?, 'url:' || ?3, ?3, ?)",
                [
                    (f"note-{note}", place, name, note)
                    for place, name in enumerate(names[:100] + names[100 + note * 900 : 1_000 + note * 900])
                ],
            )

    harness.write(write)
    return harness


@pytest.mark.parametrize(("centre", "depth"), [(None, 1), ("site0", 1), ("site0", 2), ("n1-0", 3)])
def test_a_text_that_names_thousands_is_read_once_for_all(lists: EntityHarness, centre: str | None, depth: int) -> None:
    view, thousands = _steps(lists, centre, depth)
    assert len(view.nodes) == 100
    assert thousands < 3_000, "some hundred instructions for each of the 20,000 mentions"


def test_texts_that_name_few_are_joined_before_long_lists(
    lists: EntityHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists.write(
        lambda connection: connection.executemany(
            "INSERT INTO mentions (owner_kind, owner_id, start, surface, entity_id, at)"
            " VALUES ('memory', 'note-short', ?, ?, ?, 1)",
            [(0, "url:site0", "site0"), (1, "url:site1", "site1")],
        )
    )
    monkeypatch.setattr(graph, "MAX_PAIRS", 10)
    view, _ = _steps(lists, None, 1)
    assert [(edge.source, edge.target, edge.weight) for edge in view.edges] == [("site0", "site1", 1.0)]


def _links(view: GraphView) -> dict[tuple[str, str], GraphEdge]:
    names = {node.id: node.name for node in view.nodes}
    found = (((names[edge.source], names[edge.target]), edge) for edge in view.edges if edge.kind == "link")
    return {(min(pair), max(pair)): edge for pair, edge in found}


@pytest.fixture
def linked(harness: EntityHarness) -> EntityHarness:
    """Return a vault in which notes about people link to one another, but never name both in a text."""
    harness.say("Alice Jones met Carla Weber in Rome.", "Bob Miller is in Paris.", session="first")
    harness.read_all()
    harness.note("Likes tea. See [[bob|him]].", title="Alice Jones")
    harness.note("Plays chess.", title="Bobby", attributes={"aliases": ["bob"]})
    harness.note("Bob Miller knows [[Alice Jones]] and [[Carla Weber]].", title="Groceries")
    harness.read_all()
    harness.do(harness.service.merge([harness.id("Bobby")], harness.id("Bob Miller"), actor="person"))
    harness.read_all()
    return harness


def test_a_note_link_joins_the_names_that_the_notes_are_about(linked: EntityHarness) -> None:
    found = _links(_graph(linked))
    assert list(found) == [("Alice Jones", "Bob Miller")], "the note about groceries is about no name"
    edge = found["Alice Jones", "Bob Miller"]
    alice = next(row[0] for row in linked.rows("SELECT id FROM memories WHERE title = 'Alice Jones'"))
    assert (edge.weight, edge.notes, edge.label) == (1.0, (alice,), "")


@pytest.mark.parametrize("centre", ["Alice Jones", "Bob Miller"])
def test_links_and_backlinks_lead_from_the_middle(linked: EntityHarness, centre: str) -> None:
    view = _graph(linked, linked.id(centre), kinds=("link",))
    assert ("Alice Jones", "Bob Miller") in _links(view)
    assert {edge.kind for edge in view.edges} == {"link"}
    assert not _links(_graph(linked, linked.id(centre), kinds=("together",)))


def test_links_count_notes_within_the_times(linked: EntityHarness) -> None:
    linked.clock.ms += DAY_MS
    linked.note("Brother of [[Alice Jones]]; [[alice jones|she]] sings.", title="Bob Miller")
    linked.read_all()
    now = _links(_graph(linked))["Alice Jones", "Bob Miller"]
    assert now.weight == len(now.notes) == 2
    then = _links(_graph(linked, until=to_datetime(linked.clock.ms)))["Alice Jones", "Bob Miller"]
    assert then.weight == 1
    assert then.first_at == now.first_at == to_datetime(linked.clock.ms - DAY_MS)


def test_a_deleted_note_joins_nothing(linked: EntityHarness) -> None:
    alice = next(row[0] for row in linked.rows("SELECT id FROM memories WHERE title = 'Alice Jones'"))
    linked.do(linked.memories.delete(EVERYTHING, alice))
    assert not _links(_graph(linked))


@pytest.mark.parametrize(("first", "second"), [("private", "social"), ("social", "private"), ("private", "private")])
def test_links_from_and_to_other_stores_are_not_told(harness: EntityHarness, first: str, second: str) -> None:
    harness.note("Alice Jones met Bob Miller in Vienna.", store="social")
    harness.note("See [[Bob Miller]].", title="Alice Jones", store=first)
    harness.note("Plays chess.", title="Bob Miller", store=second)
    harness.read_all()
    narrow = EVERYTHING.within(("social",))
    for centre in (None, next(row.id for row in harness.listed(("social",)) if row.name == "Bob Miller")):
        found = harness.do(harness.reads.graph(narrow, centre, 1, 100, GraphFilter()))
        assert {"Alice Jones", "Bob Miller"} <= {node.name for node in found.nodes}
        assert not _links(found)
    assert _links(_graph(harness))


def test_links_within_the_callers_stores_are_told(harness: EntityHarness) -> None:
    made = harness.note("Alice Jones likes tea. See [[Bob Miller]].", title="Alice Jones", store="social")
    harness.note("Bob Miller plays chess.", title="Bob Miller", store="social")
    harness.read_all()
    found = _links(harness.do(harness.reads.graph(EVERYTHING.within(("social",)), None, 1, 100, GraphFilter())))
    assert found["Alice Jones", "Bob Miller"].notes == (made.id,)
