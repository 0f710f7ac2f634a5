"""Entities as of any moment: what was decided and said by then."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.clock import to_datetime
from app.core.stores import STORES
from app.entities import entity_state
from app.entities.model import EntityFilter
from app.entities.queries import entity_snapshots
from app.errors import InputError, NotFoundError
from tests.helpers.access import EVERYTHING
from tests.unit.app.entities.conftest import EntityHarness

NAMES = ("Alice Jones", "Bob Miller", "Carla Weber", "David Frey")
ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["merge", "split", "rename", "relate", "unrelate", "protect", "undo", "say"]),
        st.integers(0, 3),
        st.integers(0, 3),
    ),
    max_size=10,
)


def held(harness: EntityHarness) -> dict[str, Any]:
    """Return the state of every entity."""
    ids = [row[0] for row in harness.rows("SELECT id FROM entities")]

    def work(connection: Any) -> dict[str, Any]:
        return {one: found for one in ids if (found := entity_state.read(connection, one)) is not None}

    return harness.do(harness.store.read(work))


class Played:
    """Decides this and that, and keeps what stood after each decision."""

    def __init__(self, harness: EntityHarness) -> None:
        self.harness = harness
        self.said = 0
        self.changes: list[Any] = []
        self.ids = [harness.id(name) for name in NAMES]
        self.moments: dict[int, tuple[dict[str, Any], dict[str, int]]] = {}
        self.keep()

    def keep(self) -> None:
        self.moments[self.harness.clock.ms] = (held(self.harness), self.harness.names())

    def play(self, action: str, first: int, second: int) -> None:
        self.harness.clock.ms += 1000
        try:
            self.act(action, self.ids[first], self.ids[second], second)
        except InputError:
            return
        self.keep()

    def act(self, action: str, one: str, other: str, number: int) -> None:
        service, harness = self.harness.service, self.harness
        if action == "say":
            self.said += 1
            harness.say(f"{NAMES[number]} came by.", session=f"later{self.said}")
            harness.read_all()
        elif action == "undo":
            if self.changes:
                self.changes.append(harness.undo(self.changes.pop(-1 - number % len(self.changes))))
        else:
            work = {
                "merge": lambda: service.merge([one], other, actor="person"),
                "split": lambda: service.split(
                    one, owners=[("message", "s#1")], name=f"Other {number}", actor="person"
                ),
                "rename": lambda: service.rename(one, f"Renamed {number}", summary=f"Known {number}", actor="person"),
                "relate": lambda: service.relate(one, "knows", other, actor="person"),
                "unrelate": lambda: service.unrelate(one, "knows", other, actor="person"),
                "protect": lambda: service.protect(one, protected=number > 1, actor="person"),
            }[action]
            self.changes.append(harness.do(work()).changes)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(actions=ACTIONS)
def test_every_moment_is_as_it_was(vault_factory: Any, actions: list[tuple[str, int, int]]) -> None:
    harness = vault_factory()
    try:
        harness.say(*(f"{name} was here." for name in NAMES))
        harness.note("Alice Jones met Bob Miller.")
        harness.read_all()
        played = Played(harness)
        for action in actions:
            played.play(*action)
        for moment, (states, names) in played.moments.items():
            assert harness.do(harness.store.read(lambda conn, at=moment: entity_snapshots.states(conn, at))) == states
            rows = harness.do(harness.reads.listed(EVERYTHING, EntityFilter(), limit=500, as_of=to_datetime(moment)))
            assert {row.name: row.mentions for row in rows} == names
    finally:
        harness.close()


@pytest.fixture(scope="module")
def vault_factory(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what makes a harness on a vault of its own."""

    def make() -> EntityHarness:
        folder = tmp_path_factory.mktemp("vault")
        folder.chmod(0o700)
        return EntityHarness(folder)

    return make


def test_a_profile_of_the_past_knows_nothing_newer(harness: EntityHarness) -> None:
    harness.say("Alice Jones met Bob Miller.")
    kept, edited = harness.note("Alice Jones keeps bees."), harness.note("Alice Jones grows pears.")
    harness.read_all()
    alice = harness.id("Alice Jones")
    then = to_datetime(harness.clock.ms)
    harness.clock.ms += 400_000
    harness.do(harness.memories.update(EVERYTHING, edited.id, 1, content="Alice Jones grows plums."))
    harness.note("Alice Jones sings.")
    harness.say("Alice Jones left with Carla Weber.", session="t")
    harness.read_all()
    harness.do(harness.service.rename(alice, "Alice Weber", summary="New", actor="person"))
    harness.do(harness.sessions.rename("s", "Later title", "person"))
    info = harness.do(harness.reads.info(EVERYTHING, alice, as_of=then))
    assert (info.entity.name, info.entity.summary, info.entity.mentions) == ("Alice Jones", "", 2)
    assert [fact.id for fact in info.facts] == [kept.id]
    assert [(one.id, one.title) for one in info.conversations] == [("s", "")]
    assert [one.name for one in info.people] == ["Bob Miller"]
    with pytest.raises(NotFoundError):
        harness.do(harness.reads.info(EVERYTHING, harness.id("Carla Weber"), as_of=then))
    before = to_datetime(harness.clock.ms - 10_000_000)
    assert harness.do(harness.reads.listed(EVERYTHING, EntityFilter(), as_of=before)) == []


def test_others_see_the_past_of_their_stores(harness: EntityHarness) -> None:
    harness.say("Alice Jones met Bob Miller.")
    harness.note("Bob Miller sings.", store="shared")
    harness.read_all()
    then = to_datetime(harness.clock.ms)
    bob, alice = harness.id("Bob Miller"), harness.id("Alice Jones")
    for stores, names in ((STORES, {"Alice Jones", "Bob Miller"}), (("shared",), {"Bob Miller"}), ((), set())):
        rows = harness.do(harness.reads.listed(EVERYTHING.within(stores), EntityFilter(), as_of=then))
        assert {row.name for row in rows} == names
        if stores == ("shared",):
            seen_bob = rows[0].id
    shown = harness.do(harness.reads.info(EVERYTHING.within(("shared",)), seen_bob, as_of=then))
    assert (shown.entity.mentions, shown.conversations, shown.people) == (1, (), ())
    for hidden in (alice, bob):
        with pytest.raises(NotFoundError):
            harness.do(harness.reads.info(EVERYTHING.within(("shared",)), hidden, as_of=then))


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"text": "mill"}, {"Bob Miller"}),
        ({"prefix": "ali"}, {"Alice Jones"}),
        ({"types": ("location",)}, set()),
        ({"protected": True}, set()),
    ],
)
def test_filters_of_the_past(harness: EntityHarness, fields: dict[str, Any], names: set[str]) -> None:
    harness.say("Alice Jones met Bob Miller.")
    harness.read_all()
    then = to_datetime(harness.clock.ms)
    harness.clock.ms += 1
    harness.do(harness.service.merge([harness.id("Alice Jones")], harness.id("Bob Miller"), actor="person"))
    rows = harness.do(harness.reads.listed(EVERYTHING, EntityFilter(**fields), as_of=then))
    assert {row.name for row in rows} == names
    soon = EntityFilter(since=to_datetime(harness.clock.ms))
    assert harness.do(harness.reads.listed(EVERYTHING, soon, as_of=to_datetime(harness.clock.ms))) == []
