"""The graph: names that match, what was known by a time, and the places that a person or a layout gave."""

from datetime import timedelta

import pytest

from app.core.clock import to_datetime
from app.core.stores import STORES
from app.entities.model import GraphFilter, GraphView
from app.errors import InputError
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
    return talk.do(talk.reads.graph(centre, 1, 100, chosen))


def test_only_names_that_match_are_drawn_and_the_middle_always(talk: EntityHarness) -> None:
    bob = talk.id("Bob")
    assert {node.name for node in _graph(talk, bob, text="jones").nodes} == {"Bob", "Alice Jones"}
    assert {node.name for node in _graph(talk, text="jones AL").nodes} == {"Alice Jones"}
    assert _graph(talk, text="nobody").nodes == ()


def test_names_and_counts_are_those_of_then(talk: EntityHarness) -> None:
    noon = to_datetime(talk.clock.ms) - timedelta(hours=12)
    talk.do(talk.service.relate(talk.id("Bob"), "knows", talk.id("Carla Weber")))
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
    talk.do(talk.service.place([(alice, 1.5, -2.0), ("ent-none", 0, 0)]))
    talk.do(talk.service.place([(alice, 30.0, 40.0)], centre=bob))
    assert _places(_graph(talk))["Alice Jones"] == (1.5, -2.0, False)
    assert _places(_graph(talk, bob))["Alice Jones"] == (30.0, 40.0, False)
    assert _places(_graph(talk, alice))["Alice Jones"] == (None, None, False)


@pytest.mark.parametrize("around", [False, True])
def test_what_is_pinned_stays_until_it_is_let_go(talk: EntityHarness, around: bool) -> None:
    alice = talk.id("Alice Jones")
    centre = talk.id("Bob") if around else None

    def place(x: float, pinned: bool | None) -> tuple[float | None, float | None, bool]:
        talk.do(talk.service.place([(alice, x, 0.0)], centre=centre, pinned=pinned))
        return _places(_graph(talk, centre))["Alice Jones"]

    assert place(1.0, True) == (1.0, 0.0, True)
    assert place(2.0, None) == (1.0, 0.0, True)
    assert place(3.0, True) == (3.0, 0.0, True)
    assert place(3.0, False) == (3.0, 0.0, False)
    assert place(4.0, None) == (4.0, 0.0, False)


def test_bad_places_are_refused(talk: EntityHarness) -> None:
    for positions in ([(talk.id("Bob"), float("nan"), 0.0)], [("e", 0.0, 0.0)] * 20_001):
        with pytest.raises(InputError):
            talk.do(talk.service.place(positions))
    talk.do(talk.service.place([(talk.id("Bob"), 1.0, 1.0)], centre="ent-none"))


def test_others_see_only_what_their_stores_say(talk: EntityHarness) -> None:
    talk.note("Bob lives in Vienna.", store="social")
    talk.read_all()
    found = talk.do(talk.reads.graph(None, 1, 100, GraphFilter(), stores=("social",)))
    assert {node.name: node.weight for node in found.nodes} == {"Bob": 1.0, "Vienna": 1.0}
    first = {
        node.name: node.first_at for node in talk.do(talk.reads.graph(None, 1, 9, GraphFilter(), stores=STORES)).nodes
    }
    assert next(node.first_at for node in found.nodes if node.name == "Bob") != first["Bob"]


def test_where_names_stand_is_told_to_full_trust_alone(talk: EntityHarness) -> None:
    talk.note("Bob lives in Vienna.", store="social")
    talk.read_all()
    bob = talk.id("Bob")
    talk.do(talk.service.place([(bob, 1.0, 2.0)], pinned=True))
    assert _places(_graph(talk))["Bob"] == (1.0, 2.0, True)
    found = talk.do(talk.reads.graph(None, 1, 100, GraphFilter(), stores=("social",)))
    assert _places(found)["Bob"] == (None, None, False)


def _places(view: GraphView) -> dict[str, tuple[float | None, float | None, bool]]:
    return {node.name: (node.x, node.y, node.pinned) for node in view.nodes}
