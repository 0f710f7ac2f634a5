"""What a caller may know: lists, profiles, what a text mentions, and the graph, within the caller's stores."""

from datetime import timedelta

import pytest

from app.core.clock import to_datetime
from app.core.stores import STORES
from app.entities.model import EntityFilter, GraphFilter
from app.errors import NotFoundError
from tests.helpers.sample_data import NAUGHTY
from tests.unit.app.entities.conftest import Desk

SOCIAL = ("social",)
INNER = ("shared", "social")


@pytest.fixture
def shelf(desk: Desk) -> Desk:
    desk.say("Bob met Alice Jones in Berlin.", "Bob is in Paris.")
    desk.clock.ms += 86_400_000
    desk.note("Alice Jones works at Acme GmbH.", title="Work")
    desk.note("Bob lives in Rome.", store="social")
    desk.note("Robert Smith and Bob went to Vienna.", store="shared")
    desk.read_all()
    return desk


def test_a_list_by_type_prefix_text_time_and_order(shelf: Desk) -> None:
    assert next(iter(shelf.names())) == "Bob"
    assert set(shelf.names(types=("location",))) == {"Berlin", "Paris", "Rome", "Vienna"}
    assert set(shelf.names(prefix="al")) == {"Alice Jones"}
    assert set(shelf.names(text="SMITH rob")) == {"Robert Smith"}
    assert set(shelf.names(prefix="jones")) == set()
    noon = to_datetime(shelf.clock.ms) - timedelta(hours=1)
    assert set(shelf.names(until=noon)) == {"Bob", "Alice Jones", "Berlin", "Paris"}
    assert "Berlin" not in shelf.names(since=noon)
    by_name = shelf.do(shelf.reads.listed(EntityFilter(), "name"))
    assert [row.name for row in by_name] == sorted(row.name for row in by_name)
    assert shelf.do(shelf.reads.listed(EntityFilter(), "recent", limit=1))[0].name in {"Bob", "Robert Smith", "Vienna"}
    shelf.do(shelf.service.protect(shelf.id("Rome")))
    assert set(shelf.names(protected=True)) == {"Rome"}


@pytest.mark.parametrize("text", NAUGHTY)
def test_any_text_can_be_looked_for(shelf: Desk, text: str) -> None:
    for stores in (STORES, SOCIAL):
        shelf.names(stores, text=text)
        shelf.names(stores, prefix=text)


def test_others_know_only_what_their_stores_say(shelf: Desk) -> None:
    assert shelf.names(SOCIAL) == {"Bob": 1, "Rome": 1}
    assert shelf.names(INNER) == {"Bob": 2, "Rome": 1, "Robert Smith": 1, "Vienna": 1}
    assert shelf.names(()) == {}
    for hidden in ("Alice Jones", "Berlin", "Acme GmbH"):
        entity = shelf.id(hidden)
        assert shelf.do(shelf.reads.rows([entity], stores=INNER)) == []
        for asked in (
            shelf.reads.info(entity, stores=INNER),
            shelf.reads.graph(entity, 1, 9, GraphFilter(), stores=INNER),
        ):
            with pytest.raises(NotFoundError):
                shelf.do(asked)


def test_a_name_known_only_from_private_talk_stays_hidden_after_a_merge(shelf: Desk) -> None:
    bob, alice = shelf.id("Bob"), shelf.id("Alice Jones")
    shelf.do(shelf.service.merge([bob], alice))
    shelf.do(shelf.service.rename(alice, "Alice the Secret", summary="secret"))
    shelf.do(shelf.service.relate(alice, "hides", shelf.id("Rome")))
    info = shelf.do(shelf.reads.info(alice, stores=SOCIAL))
    assert (info.entity.name, info.entity.aliases, info.entity.summary) == ("Bob", ("Bob",), "")
    assert info.relations == ()
    assert info.facts_total == 1
    assert info.conversations == ()
    assert set(shelf.names(SOCIAL, text="secret")) == set()
    seen = shelf.do(shelf.reads.graph(alice, 2, 50, GraphFilter(), stores=SOCIAL))
    assert {node.name for node in seen.nodes} == {"Bob", "Rome"}
    assert {edge.kind for edge in seen.edges} == {"together"}


def test_everything_about_one(shelf: Desk) -> None:
    info = shelf.do(shelf.reads.info(shelf.id("Bob")))
    assert info.entity.mentions == 4
    assert [fact.text for fact in info.facts] == ["Robert Smith and Bob went to Vienna.", "Bob lives in Rome."]
    ((conversation,), total) = info.conversations, info.conversations_total
    assert (conversation.id, conversation.turns, total) == ("s", 2, 1)
    assert {person.name for person in info.people} == {"Alice Jones", "Robert Smith"}
    assert {other.name for other in info.related} == {"Berlin", "Paris", "Rome", "Vienna"}
    assert info.first_at is not None
    assert info.last_at is not None
    assert info.last_at - info.first_at == timedelta(days=1)
    short = shelf.do(shelf.reads.info(shelf.id("Bob"), limit=1))
    assert (len(short.facts), short.facts_total) == (1, 2)
    with pytest.raises(NotFoundError):
        shelf.do(shelf.reads.info("ent-none"))


def test_what_a_text_mentions(shelf: Desk) -> None:
    found = shelf.do(shelf.reads.of("s#1"))
    text = "Bob met Alice Jones in Berlin."
    assert [(one.name, text[one.start : one.start + one.length]) for one in found] == [
        ("Bob", "Bob"),
        ("Alice Jones", "Alice Jones"),
        ("Berlin", "Berlin"),
    ]
    assert shelf.do(shelf.reads.of("s#1", stores=INNER)) == []
    assert shelf.do(shelf.reads.of("nothing")) == []


def test_a_neighbourhood_by_depth_type_time_and_number(shelf: Desk) -> None:
    berlin = shelf.id("Berlin")

    def names(depth: int = 1, limit: int = 50, **fields: object) -> set[str]:
        view = shelf.do(shelf.reads.graph(berlin, depth, limit, GraphFilter(**fields)))  # type: ignore[arg-type]
        return {node.name for node in view.nodes}

    assert names() == {"Berlin", "Bob", "Alice Jones"}
    assert names(2) == {"Berlin", "Bob", "Alice Jones", "Paris", "Rome", "Vienna", "Acme GmbH", "Robert Smith"}
    assert names(2, types=("person",)) == {"Berlin", "Bob", "Alice Jones", "Robert Smith"}
    assert names(2, until=to_datetime(shelf.clock.ms - 1000)) == {"Berlin", "Bob", "Alice Jones", "Paris"}
    assert len(names(3, 4)) == 4
    view = shelf.do(shelf.reads.graph(berlin, 1, 2, GraphFilter()))
    assert view.left_out == 1
    assert [node.depth for node in view.nodes] == [0, 1]


def test_edges_are_weighed_and_stated_ones_named(shelf: Desk) -> None:
    bob, rome, acme = shelf.id("Bob"), shelf.id("Rome"), shelf.id("Acme GmbH")
    shelf.say("Bob in Rome again.")
    shelf.read_all()
    shelf.do(shelf.service.relate(rome, "hosts", acme, weight=2))
    view = shelf.do(shelf.reads.graph(rome, 1, 50, GraphFilter()))
    edges = {frozenset((edge.source, edge.target)): edge for edge in view.edges}
    assert edges[frozenset((bob, rome))].weight == 2
    assert edges[frozenset((rome, acme))].label == "hosts"
    stated = shelf.do(shelf.reads.graph(rome, 1, 50, GraphFilter(kinds=("stated",))))
    assert {edge.kind for edge in stated.edges} == {"stated"}


def test_the_whole_graph_shows_the_most_mentioned_and_where_they_were_left(shelf: Desk) -> None:
    bob = shelf.id("Bob")
    placed = shelf.do(shelf.service.place([(bob, 1.5, -2.0), ("ent-none", 0, 0)]))
    assert placed.changes.areas == frozenset()
    view = shelf.do(shelf.reads.graph(None, 1, 2, GraphFilter()))
    assert next((node.name, node.x, node.y) for node in view.nodes) == ("Bob", 1.5, -2.0)
    assert view.left_out == len(shelf.names()) - 2
    assert len(view.edges) == 1
