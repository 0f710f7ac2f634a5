"""As of any moment: exactly the vault that stood then, whatever was done since."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.clock import to_datetime
from app.core.stores import STORES
from app.errors import InputError
from app.history.as_of import MAX_SPELL_MS
from app.memories.model import Memory, MemoryFilter, MemoryOrder
from app.memories.queries import memory_snapshots
from app.memories.state_codec import from_state
from app.memories.writer import EDIT_BURST_MS
from tests.helpers.access import EVERYTHING
from tests.unit.app.memories.conftest import MemoryHarness

ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(
            ["save", "fact", "update", "update", "tag", "delete", "restore", "pin", "store", "undo", "redo"]
        ),
        st.integers(0, 3),
        st.sampled_from(["a #x", "b #y [[L]]", "c", "é Straße \u2028"]),
        st.sampled_from([0, 1, 60_000, 400_000]),
    ),
    max_size=16,
)
FILTERS = (
    MemoryFilter(),
    MemoryFilter(text="STRASSE"),
    MemoryFilter(text="straße É"),
    MemoryFilter(tags=("x",)),
    MemoryFilter(kinds=("fact",), pinned=True),
    MemoryFilter(stores=("shared",)),
    MemoryFilter(deleted=True),
)
ORDERS: tuple[MemoryOrder, ...] = ("recent", "oldest", "title", "created")


class Played:
    """Plays actions and keeps what stood after each."""

    def __init__(self, harness: MemoryHarness) -> None:
        self.harness = harness
        self.first = self.newest()
        self.ids: list[str] = []
        self.undone: list[int] = []
        self.moments: dict[int, dict[str, Memory | None]] = {harness.clock.ms: {}}
        self.lists: dict[int, list[list[Any]]] = {}
        self.merged_until = 0

    def newest(self) -> int:
        return int(self.harness.rows("SELECT coalesce(max(id), 0) FROM memory_history")[0][0])

    def play(self, action: str, number: int, text: str, pause: int) -> None:
        self.harness.clock.ms += pause
        newest = self.newest()
        try:
            self.act(action, number, text)
        except InputError:  # refused: not found, stale, undone already, not deleted
            return
        if action == "update" and self.newest() == newest:
            self.merge(self.ids[number % len(self.ids)])
        now = self.harness.clock.ms
        self.moments[now] = {identity: self.harness.get(identity) for identity in self.ids}
        self.lists[now] = self.listed()

    def act(self, action: str, number: int, text: str) -> None:
        harness, service = self.harness, self.harness.service
        target = self.ids[number % len(self.ids)] if self.ids else "note-none"
        if action == "save":
            self.ids.append(harness.save(text, title=text[:1], tags=(text[:2],)).id)
        elif action == "fact":
            self.ids.append(harness.save(text, kind="fact", category="c", key=f"k{number % 2}").id)
        elif action == "update":
            harness.do(
                service.update(
                    EVERYTHING, target, harness.get(target).version, content=f"{text} {harness.get(target).version}"
                )
            )
        elif action == "tag":
            harness.do(service.tag_many(EVERYTHING, self.ids, add=[text[:1]], remove=["x"]))
        elif action == "pin":
            harness.do(service.pin(EVERYTHING, target, pinned=number > 1))
        elif action == "store":
            harness.do(service.update(EVERYTHING, target, harness.get(target).version, store=STORES[number % 3]))
        elif action == "undo":
            self.undone += harness.undo(max(self.first + 1, self.newest() - number))
        elif action == "redo" and self.undone:
            harness.undo(self.undone[-1])
        elif action in ("delete", "restore"):
            harness.do(getattr(service, action)(EVERYTHING, target))

    def merge(self, memory_id: str) -> None:
        """A spell went on: what it wrote in between is not kept, the state before it stands until its end."""
        begun = self.harness.rows("SELECT max(at) FROM memory_history WHERE target = ?", (memory_id,))[0][0]
        before = self.harness.do(self.harness.undoing.history(EVERYTHING, memory_id, 1))[0].before
        for moment, memories in self.moments.items():
            if begun <= moment < self.harness.clock.ms:
                memories[memory_id] = from_state(before or {})
        self.merged_until = self.harness.clock.ms

    def listed(self, **more: Any) -> list[list[Any]]:
        reads = self.harness.reads
        return [
            self.harness.do(reads.listed(EVERYTHING, chosen, order, **more)) for chosen in FILTERS for order in ORDERS
        ]


def test_a_spell_is_as_long_as_the_writer_makes_it() -> None:
    assert MAX_SPELL_MS == EDIT_BURST_MS


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(ACTIONS)
def test_every_moment_is_as_it_was(harness: MemoryHarness, actions: list[tuple[str, int, str, int]]) -> None:
    for row in harness.do(harness.reads.listed(EVERYTHING, MemoryFilter(), limit=1000)):
        harness.do(harness.service.delete(EVERYTHING, row.id))
    harness.clock.ms += 1_000_000
    played = Played(harness)
    for action in actions:
        played.play(*action)
    trash = {
        row.id for row in harness.do(harness.reads.listed(EVERYTHING, MemoryFilter(deleted=True), limit=1000))
    } - set(played.ids)
    for moment, stood in played.moments.items():
        for memory_id in played.ids:
            found = harness.read(
                lambda conn, one=memory_id, at=moment: memory_snapshots.get(conn, one, at, stores=STORES)
            )
            assert found == stood.get(memory_id), (moment, memory_id)
        if moment > played.merged_until and moment in played.lists:
            then = played.listed(as_of=to_datetime(moment))
            assert [[row for row in rows if row.id not in trash] for rows in then] == [
                [row for row in rows if row.id not in trash] for rows in played.lists[moment]
            ]


def test_a_text_being_written_is_as_before_until_the_writing_ends(harness: MemoryHarness) -> None:
    note = harness.save("first")
    harness.clock.ms += 400_000
    begun = harness.clock.ms
    harness.do(harness.service.update(EVERYTHING, note.id, 1, content="second"))
    harness.clock.ms += 60_000
    harness.do(harness.service.update(EVERYTHING, note.id, 2, content="third"))
    ended = harness.clock.ms
    said = {
        at: harness.do(harness.reads.get(EVERYTHING, note.id, as_of=to_datetime(at))).content
        for at in (begun - 1, begun, ended - 1, ended, ended + 1)
    }
    assert list(said.values()) == ["first", "first", "first", "third", "third"]


def test_what_a_caller_may_not_see_now_or_then_did_not_exist_for_it(harness: MemoryHarness) -> None:
    opened, closed, gone = (
        harness.save("was private"),
        harness.save("open", store="shared"),
        harness.save("x", store="shared"),
    )
    then = to_datetime(harness.clock.ms)
    harness.clock.ms += 400_000
    harness.do(harness.service.update(EVERYTHING, opened.id, 1, store="shared"))
    harness.do(harness.service.update(EVERYTHING, closed.id, 1, store="private"))
    harness.do(harness.service.delete(EVERYTHING, gone.id))
    rows = harness.do(harness.reads.listed(EVERYTHING.within(("shared",)), MemoryFilter(), as_of=then))
    assert [row.id for row in rows] == [gone.id]
    found = harness.do(harness.reads.fetch(EVERYTHING.within(("shared",)), [opened.id, closed.id, gone.id], as_of=then))
    assert [memory.id for memory in found.memories] == [gone.id]
    assert found.missing == (opened.id, closed.id)


def test_pages_of_the_past(harness: MemoryHarness) -> None:
    notes = []
    for number in range(5):
        harness.clock.ms += 1000
        notes.append(harness.save(f"note {number}").id)
    then = to_datetime(harness.clock.ms)
    harness.clock.ms += 400_000
    harness.do(harness.service.delete_many(EVERYTHING, notes[1:3]))
    pages = [
        harness.do(harness.reads.listed(EVERYTHING, MemoryFilter(), limit=2, offset=offset, as_of=then))
        for offset in (0, 2, 4, 6)
    ]
    assert [row.id for page in pages for row in page] == notes[::-1]
