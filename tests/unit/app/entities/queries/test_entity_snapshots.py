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
from tests.unit.app.entities.conftest import Desk

NAMES = ("Alice Jones", "Bob Miller", "Carla Weber", "David Frey")
ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["merge", "split", "rename", "relate", "unrelate", "protect", "undo", "say"]),
        st.integers(0, 3),
        st.integers(0, 3),
    ),
    max_size=10,
)


def held(desk: Desk) -> dict[str, Any]:
    """Return the state of every entity."""
    ids = [row[0] for row in desk.rows("SELECT id FROM entities")]

    def work(connection: Any) -> dict[str, Any]:
        return {one: found for one in ids if (found := entity_state.read(connection, one)) is not None}

    return desk.do(desk.store.read(work))


class Played:
    """Decides this and that, and keeps what stood after each decision."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.said = 0
        self.changes: list[Any] = []
        self.ids = [desk.id(name) for name in NAMES]
        self.moments: dict[int, tuple[dict[str, Any], dict[str, int]]] = {}
        self.keep()

    def keep(self) -> None:
        self.moments[self.desk.clock.ms] = (held(self.desk), self.desk.names())

    def play(self, action: str, first: int, second: int) -> None:
        self.desk.clock.ms += 1000
        try:
            self.act(action, self.ids[first], self.ids[second], second)
        except InputError:
            return
        self.keep()

    def act(self, action: str, one: str, other: str, number: int) -> None:
        service, desk = self.desk.service, self.desk
        if action == "say":
            self.said += 1
            desk.say(f"{NAMES[number]} came by.", session=f"later{self.said}")
            desk.read_all()
        elif action == "undo":
            if self.changes:
                self.changes.append(desk.undo(self.changes.pop(-1 - number % len(self.changes))))
        else:
            work = {
                "merge": lambda: service.merge([one], other),
                "split": lambda: service.split(one, owners=[("message", "s#1")], name=f"Other {number}"),
                "rename": lambda: service.rename(one, f"Renamed {number}", summary=f"Known {number}"),
                "relate": lambda: service.relate(one, "knows", other),
                "unrelate": lambda: service.unrelate(one, "knows", other),
                "protect": lambda: service.protect(one, protected=number > 1),
            }[action]
            self.changes.append(desk.do(work()).changes)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(actions=ACTIONS)
def test_every_moment_is_as_it_was(vault_factory: Any, actions: list[tuple[str, int, int]]) -> None:
    desk = vault_factory()
    try:
        desk.say(*(f"{name} was here." for name in NAMES))
        desk.note("Alice Jones met Bob Miller.")
        desk.read_all()
        played = Played(desk)
        for action in actions:
            played.play(*action)
        for moment, (states, names) in played.moments.items():
            assert desk.do(desk.store.read(lambda conn, at=moment: entity_snapshots.states(conn, at))) == states
            rows = desk.do(desk.reads.listed(EntityFilter(), limit=500, as_of=to_datetime(moment)))
            assert {row.name: row.mentions for row in rows} == names
    finally:
        desk.close()


@pytest.fixture(scope="module")
def vault_factory(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return what makes a desk on a vault of its own."""

    def make() -> Desk:
        folder = tmp_path_factory.mktemp("vault")
        folder.chmod(0o700)
        return Desk(folder)

    return make


def test_a_profile_of_the_past_knows_nothing_newer(desk: Desk) -> None:
    desk.say("Alice Jones met Bob Miller.")
    kept, edited = desk.note("Alice Jones keeps bees."), desk.note("Alice Jones grows pears.")
    desk.read_all()
    alice = desk.id("Alice Jones")
    then = to_datetime(desk.clock.ms)
    desk.clock.ms += 400_000
    desk.do(desk.memories.update(edited.id, 1, content="Alice Jones grows plums."))
    desk.note("Alice Jones sings.")
    desk.say("Alice Jones left with Carla Weber.", session="t")
    desk.read_all()
    desk.do(desk.service.rename(alice, "Alice Weber", summary="New"))
    desk.do(desk.sessions.rename("s", "Later title", "person"))
    info = desk.do(desk.reads.info(alice, as_of=then))
    assert (info.entity.name, info.entity.summary, info.entity.mentions) == ("Alice Jones", "", 2)
    assert [fact.id for fact in info.facts] == [kept.id]
    assert [(one.id, one.title) for one in info.conversations] == [("s", "")]
    assert [one.name for one in info.people] == ["Bob Miller"]
    with pytest.raises(NotFoundError):
        desk.do(desk.reads.info(desk.id("Carla Weber"), as_of=then))
    before = to_datetime(desk.clock.ms - 10_000_000)
    assert desk.do(desk.reads.listed(EntityFilter(), as_of=before)) == []


def test_others_see_the_past_of_their_stores(desk: Desk) -> None:
    desk.say("Alice Jones met Bob Miller.")
    desk.note("Bob Miller sings.", store="shared")
    desk.read_all()
    then = to_datetime(desk.clock.ms)
    bob, alice = desk.id("Bob Miller"), desk.id("Alice Jones")
    for stores, names in ((STORES, {"Alice Jones", "Bob Miller"}), (("shared",), {"Bob Miller"}), ((), set())):
        rows = desk.do(desk.reads.listed(EntityFilter(), as_of=then, stores=stores))
        assert {row.name for row in rows} == names
    shown = desk.do(desk.reads.info(bob, as_of=then, stores=("shared",)))
    assert (shown.entity.mentions, shown.conversations, shown.people) == (1, (), ())
    with pytest.raises(NotFoundError):
        desk.do(desk.reads.info(alice, as_of=then, stores=("shared",)))


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"text": "mill"}, {"Bob Miller"}),
        ({"prefix": "ali"}, {"Alice Jones"}),
        ({"types": ("location",)}, set()),
        ({"protected": True}, set()),
    ],
)
def test_filters_of_the_past(desk: Desk, fields: dict[str, Any], names: set[str]) -> None:
    desk.say("Alice Jones met Bob Miller.")
    desk.read_all()
    then = to_datetime(desk.clock.ms)
    desk.clock.ms += 1
    desk.do(desk.service.merge([desk.id("Alice Jones")], desk.id("Bob Miller")))
    rows = desk.do(desk.reads.listed(EntityFilter(**fields), as_of=then))
    assert {row.name for row in rows} == names
    soon = EntityFilter(since=to_datetime(desk.clock.ms))
    assert desk.do(desk.reads.listed(soon, as_of=to_datetime(desk.clock.ms))) == []
