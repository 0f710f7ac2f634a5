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

    def __init__(self, desk: MemoryHarness) -> None:
        self.desk = desk
        self.first = self.newest()
        self.ids: list[str] = []
        self.undone: list[int] = []
        self.moments: dict[int, dict[str, Memory | None]] = {desk.clock.ms: {}}
        self.lists: dict[int, list[list[Any]]] = {}
        self.merged_until = 0

    def newest(self) -> int:
        return int(self.desk.rows("SELECT coalesce(max(id), 0) FROM memory_history")[0][0])

    def play(self, action: str, number: int, text: str, pause: int) -> None:
        self.desk.clock.ms += pause
        newest = self.newest()
        try:
            self.act(action, number, text)
        except InputError:  # refused: not found, stale, undone already, not deleted
            return
        if action == "update" and self.newest() == newest:
            self.merge(self.ids[number % len(self.ids)])
        now = self.desk.clock.ms
        self.moments[now] = {one: self.desk.get(one) for one in self.ids}
        self.lists[now] = self.listed()

    def act(self, action: str, number: int, text: str) -> None:
        desk, service = self.desk, self.desk.service
        target = self.ids[number % len(self.ids)] if self.ids else "note-none"
        if action == "save":
            self.ids.append(desk.save(text, title=text[:1], tags=(text[:2],)).id)
        elif action == "fact":
            self.ids.append(desk.save(text, kind="fact", category="c", key=f"k{number % 2}").id)
        elif action == "update":
            desk.do(service.update(target, desk.get(target).version, content=f"{text} {desk.get(target).version}"))
        elif action == "tag":
            desk.do(service.tag_many(self.ids, add=[text[:1]], remove=["x"]))
        elif action == "pin":
            desk.do(service.pin(target, pinned=number > 1))
        elif action == "store":
            desk.do(service.update(target, desk.get(target).version, store=STORES[number % 3]))
        elif action == "undo":
            self.undone += desk.undo(max(self.first + 1, self.newest() - number))
        elif action == "redo" and self.undone:
            desk.undo(self.undone[-1])
        elif action in ("delete", "restore"):
            desk.do(getattr(service, action)(target))

    def merge(self, memory_id: str) -> None:
        """A spell went on: what it wrote in between is not kept, the state before it stands until its end."""
        begun = self.desk.rows("SELECT max(at) FROM memory_history WHERE target = ?", (memory_id,))[0][0]
        before = self.desk.do(self.desk.undoing.history(memory_id, 1))[0].before
        for moment, memories in self.moments.items():
            if begun <= moment < self.desk.clock.ms:
                memories[memory_id] = from_state(before or {})
        self.merged_until = self.desk.clock.ms

    def listed(self, **more: Any) -> list[list[Any]]:
        reads = self.desk.reads
        return [self.desk.do(reads.listed(chosen, order, **more)) for chosen in FILTERS for order in ORDERS]


def test_a_spell_is_as_long_as_the_writer_makes_it() -> None:
    assert MAX_SPELL_MS == EDIT_BURST_MS


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(ACTIONS)
def test_every_moment_is_as_it_was(desk: MemoryHarness, actions: list[tuple[str, int, str, int]]) -> None:
    for row in desk.do(desk.reads.listed(MemoryFilter(), limit=1000)):
        desk.do(desk.service.delete(row.id))
    desk.clock.ms += 1_000_000
    played = Played(desk)
    for action in actions:
        played.play(*action)
    trash = {row.id for row in desk.do(desk.reads.listed(MemoryFilter(deleted=True), limit=1000))} - set(played.ids)
    for moment, stood in played.moments.items():
        for memory_id in played.ids:
            found = desk.read(lambda conn, one=memory_id, at=moment: memory_snapshots.get(conn, one, at))
            assert found == stood.get(memory_id), (moment, memory_id)
        if moment > played.merged_until and moment in played.lists:
            then = played.listed(as_of=to_datetime(moment))
            assert [[row for row in rows if row.id not in trash] for rows in then] == [
                [row for row in rows if row.id not in trash] for rows in played.lists[moment]
            ]


def test_a_text_being_written_is_as_before_until_the_writing_ends(desk: MemoryHarness) -> None:
    note = desk.save("first")
    desk.clock.ms += 400_000
    begun = desk.clock.ms
    desk.do(desk.service.update(note.id, 1, content="second"))
    desk.clock.ms += 60_000
    desk.do(desk.service.update(note.id, 2, content="third"))
    ended = desk.clock.ms
    said = {
        at: desk.do(desk.reads.get(note.id, as_of=to_datetime(at))).content
        for at in (begun - 1, begun, ended - 1, ended, ended + 1)
    }
    assert list(said.values()) == ["first", "first", "first", "third", "third"]


def test_what_a_caller_may_not_see_now_or_then_did_not_exist_for_it(desk: MemoryHarness) -> None:
    opened, closed, gone = desk.save("was private"), desk.save("open", store="shared"), desk.save("x", store="shared")
    then = to_datetime(desk.clock.ms)
    desk.clock.ms += 400_000
    desk.do(desk.service.update(opened.id, 1, store="shared"))
    desk.do(desk.service.update(closed.id, 1, store="private"))
    desk.do(desk.service.delete(gone.id))
    rows = desk.do(desk.reads.listed(MemoryFilter(), as_of=then, stores=("shared",)))
    assert [row.id for row in rows] == [gone.id]
    found = desk.do(desk.reads.fetch([opened.id, closed.id, gone.id], as_of=then, stores=("shared",)))
    assert [memory.id for memory in found.memories] == [gone.id]
    assert found.missing == (opened.id, closed.id)


def test_pages_of_the_past(desk: MemoryHarness) -> None:
    notes = []
    for number in range(5):
        desk.clock.ms += 1000
        notes.append(desk.save(f"note {number}").id)
    then = to_datetime(desk.clock.ms)
    desk.clock.ms += 400_000
    desk.do(desk.service.delete_many(notes[1:3]))
    pages = [desk.do(desk.reads.listed(MemoryFilter(), limit=2, offset=offset, as_of=then)) for offset in (0, 2, 4, 6)]
    assert [row.id for page in pages for row in page] == notes[::-1]
