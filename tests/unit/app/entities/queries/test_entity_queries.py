"""What a caller may know: lists, profiles, what a text mentions, and the graph, within the caller's stores."""

from datetime import timedelta

import apsw
import pytest

from app.core.clock import to_datetime
from app.core.stores import STORES
from app.entities.model import EntityFilter, GraphFilter
from app.entities.queries import entity_lists
from app.errors import NotFoundError
from tests.helpers.access import EVERYTHING
from tests.helpers.sample_data import NAUGHTY
from tests.unit.app.entities.conftest import EntityHarness

SOCIAL = ("social",)
INNER = ("shared", "social")


@pytest.fixture
def populated(harness: EntityHarness) -> EntityHarness:
    harness.say("Bob met Alice Jones in Berlin.", "Bob is in Paris.")
    harness.clock.ms += 86_400_000
    harness.note("Alice Jones works at Acme GmbH.", title="Work")
    harness.note("Bob lives in Rome.", store="social")
    harness.note("Robert Smith and Bob went to Vienna.", store="shared")
    harness.read_all()
    return harness


def test_a_list_by_type_prefix_text_time_and_order(populated: EntityHarness) -> None:
    assert next(iter(populated.names())) == "Bob"
    assert set(populated.names(types=("location",))) == {"Berlin", "Paris", "Rome", "Vienna"}
    assert set(populated.names(prefix="al")) == {"Alice Jones"}
    assert set(populated.names(text="SMITH rob")) == {"Robert Smith"}
    assert set(populated.names(prefix="jones")) == set()
    noon = to_datetime(populated.clock.ms) - timedelta(hours=1)
    assert set(populated.names(until=noon)) == {"Bob", "Alice Jones", "Berlin", "Paris"}
    assert "Berlin" not in populated.names(since=noon)
    by_name = populated.do(populated.reads.listed(EVERYTHING, EntityFilter(), "name"))
    assert [row.name for row in by_name] == sorted(row.name for row in by_name)
    assert populated.do(populated.reads.listed(EVERYTHING, EntityFilter(), "recent", limit=1))[0].name in {
        "Bob",
        "Robert Smith",
        "Vienna",
        "Acme GmbH",
    }
    populated.do(populated.service.protect(populated.id("Rome"), actor="person"))
    assert set(populated.names(protected=True)) == {"Rome"}


def test_a_page_is_the_beginning_of_the_whole_list(populated: EntityHarness) -> None:
    populated.do(populated.service.merge([populated.id("Robert Smith")], populated.id("Bob"), actor="person"))
    populated.do(populated.service.protect(populated.id("Rome"), actor="person"))

    def read(connection: apsw.Connection) -> tuple[list[str], list[str], int]:
        everything = EntityFilter()
        whole = entity_lists.ids(connection, everything, stores=STORES)
        pages = [entity_lists.ids(connection, everything, limit=2, offset=at, stores=STORES) for at in range(0, 12, 2)]
        return whole, [one for page in pages for one in page], entity_lists.count(connection, everything, stores=STORES)

    def forget_mentions(connection: apsw.Connection) -> None:
        connection.execute("DELETE FROM mentions WHERE surface LIKE '%rome' OR surface LIKE '%paris'")

    populated.do(populated.store.write(forget_mentions))
    whole, paged, count = populated.do(populated.store.read(read))
    assert paged == whole
    assert count == len(whole) > 4
    assert populated.id("Rome") in whole  # protected, though nothing mentions it any more


@pytest.mark.parametrize("text", NAUGHTY)
def test_any_text_can_be_looked_for(populated: EntityHarness, text: str) -> None:
    for stores in (STORES, SOCIAL):
        populated.names(stores, text=text)
        populated.names(stores, prefix=text)


def test_others_know_only_what_their_stores_say(populated: EntityHarness) -> None:
    assert populated.names(SOCIAL) == {"Bob": 1, "Rome": 1}
    assert populated.names(INNER) == {"Bob": 2, "Rome": 1, "Robert Smith": 1, "Vienna": 1}
    assert populated.names(()) == {}
    for hidden in ("Alice Jones", "Berlin", "Acme GmbH"):
        entity = populated.id(hidden)
        assert populated.do(populated.reads.rows(EVERYTHING.within(INNER), [entity])) == []
        for requests in (
            populated.reads.info(EVERYTHING.within(INNER), entity),
            populated.reads.graph(EVERYTHING.within(INNER), entity, 1, 9, GraphFilter()),
        ):
            with pytest.raises(NotFoundError):
                populated.do(requests)


def test_a_name_known_only_from_private_talk_stays_hidden_after_a_merge(populated: EntityHarness) -> None:
    bob, alice = populated.id("Bob"), populated.id("Alice Jones")
    populated.do(populated.service.merge([bob], alice, actor="person"))
    populated.do(populated.service.rename(alice, "Alice the Secret", summary="secret", actor="person"))
    populated.do(populated.service.relate(alice, "hides", populated.id("Rome"), actor="person"))
    (seen_bob,) = populated.do(populated.reads.listed(EVERYTHING.within(SOCIAL), EntityFilter(text="bob")))
    with pytest.raises(NotFoundError):  # the registry's id tells when its row was made
        populated.do(populated.reads.info(EVERYTHING.within(SOCIAL), alice))
    info = populated.do(populated.reads.info(EVERYTHING.within(SOCIAL), seen_bob.id))
    assert (info.entity.name, info.entity.aliases, info.entity.summary) == ("Bob", ("Bob",), "")
    assert info.relations == ()
    assert info.facts_total == 1
    assert info.conversations == ()
    assert set(populated.names(SOCIAL, text="secret")) == set()
    seen = populated.do(populated.reads.graph(EVERYTHING.within(SOCIAL), seen_bob.id, 2, 50, GraphFilter()))
    assert {node.name for node in seen.nodes} == {"Bob", "Rome"}
    assert {edge.kind for edge in seen.edges} == {"together"}


def test_everything_about_one(populated: EntityHarness) -> None:
    info = populated.do(populated.reads.info(EVERYTHING, populated.id("Bob")))
    assert info.entity.mentions == 4
    assert [fact.text for fact in info.facts] == ["Robert Smith and Bob went to Vienna.", "Bob lives in Rome."]
    ((conversation,), total) = info.conversations, info.conversations_total
    assert (conversation.id, conversation.turns, total) == ("s", 2, 1)
    assert {person.name for person in info.people} == {"Alice Jones", "Robert Smith"}
    assert {other.name for other in info.related} == {"Berlin", "Paris", "Rome", "Vienna"}
    assert info.first_at is not None
    assert info.last_at is not None
    assert info.last_at - info.first_at == timedelta(days=1)
    short = populated.do(populated.reads.info(EVERYTHING, populated.id("Bob"), limit=1))
    assert (len(short.facts), short.facts_total) == (1, 2)
    with pytest.raises(NotFoundError):
        populated.do(populated.reads.info(EVERYTHING, "ent-none"))


def test_what_a_text_mentions(populated: EntityHarness) -> None:
    found = populated.do(populated.reads.of(EVERYTHING, "s#1"))
    text = "Bob met Alice Jones in Berlin."
    assert [(one.name, text[one.start : one.start + one.length]) for one in found] == [
        ("Bob", "Bob"),
        ("Alice Jones", "Alice Jones"),
        ("Berlin", "Berlin"),
    ]
    assert populated.do(populated.reads.of(EVERYTHING.within(INNER), "s#1")) == []
    assert populated.do(populated.reads.of(EVERYTHING, "nothing")) == []


def test_a_neighbourhood_by_depth_type_time_and_number(populated: EntityHarness) -> None:
    berlin = populated.id("Berlin")

    def names(depth: int = 1, limit: int = 50, **fields: object) -> set[str]:
        view = populated.do(populated.reads.graph(EVERYTHING, berlin, depth, limit, GraphFilter(**fields)))  # type: ignore[arg-type]
        return {node.name for node in view.nodes}

    assert names() == {"Berlin", "Bob", "Alice Jones"}
    assert names(2) == {"Berlin", "Bob", "Alice Jones", "Paris", "Rome", "Vienna", "Acme GmbH", "Robert Smith"}
    assert names(2, types=("person",)) == {"Berlin", "Bob", "Alice Jones", "Robert Smith"}
    assert names(2, until=to_datetime(populated.clock.ms - 1000)) == {"Berlin", "Bob", "Alice Jones", "Paris"}
    assert len(names(3, 4)) == 4
    view = populated.do(populated.reads.graph(EVERYTHING, berlin, 1, 2, GraphFilter()))
    assert view.left_out == 1
    assert [node.depth for node in view.nodes] == [0, 1]


def test_edges_are_weighed_and_stated_ones_named(populated: EntityHarness) -> None:
    bob, rome, acme = populated.id("Bob"), populated.id("Rome"), populated.id("Acme GmbH")
    populated.say("Bob in Rome again.")
    populated.read_all()
    populated.do(populated.service.relate(rome, "hosts", acme, weight=2, actor="person"))
    view = populated.do(populated.reads.graph(EVERYTHING, rome, 1, 50, GraphFilter()))
    edges = {frozenset((edge.source, edge.target)): edge for edge in view.edges}
    assert edges[frozenset((bob, rome))].weight == 2
    assert edges[frozenset((rome, acme))].label == "hosts"
    stated = populated.do(populated.reads.graph(EVERYTHING, rome, 1, 50, GraphFilter(kinds=("stated",))))
    assert {edge.kind for edge in stated.edges} == {"stated"}


def test_the_whole_graph_shows_the_most_mentioned_and_where_they_were_left(populated: EntityHarness) -> None:
    bob = populated.id("Bob")
    placed = populated.do(populated.service.place([(bob, 1.5, -2.0), ("ent-none", 0, 0)], actor="person"))
    assert placed.changes.areas == frozenset()
    view = populated.do(populated.reads.graph(EVERYTHING, None, 1, 2, GraphFilter()))
    assert next((node.name, node.x, node.y) for node in view.nodes) == ("Bob", 1.5, -2.0)
    assert view.left_out == len(populated.names()) - 2
    assert len(view.edges) == 1
