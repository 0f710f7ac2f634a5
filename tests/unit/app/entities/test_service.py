"""Merge, split, rename and relate change what names mean; undo gives exactly what was there before."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.changes import ChangeSet
from app.entities import name_eraser
from app.entities.linking import Linker
from app.entities.model import EntityType
from app.errors import InputError, NotFoundError, StaleError
from app.history import history_repo
from tests.helpers.access import EVERYTHING
from tests.helpers.sample_data import NAUGHTY
from tests.unit.app.entities.conftest import EntityHarness


@pytest.fixture
def talk(harness: EntityHarness) -> EntityHarness:
    harness.say("I met Bob in Berlin.", "Robert Smith called.", "Bob and Alice Jones went to Paris.")
    harness.note("Alice Jones works at Acme GmbH.")
    harness.read_all()
    return harness


def test_a_merge_takes_names_and_mentions_and_its_undo_gives_them_back(talk: EntityHarness) -> None:
    before = talk.picture()
    bob, robert = talk.id("Bob"), talk.id("Robert Smith")
    merged = talk.do(talk.service.merge([bob], robert, actor="person"))
    assert merged.value.mentions == 3
    assert merged.value.aliases == ("Bob", "Robert Smith")
    assert "Bob" not in talk.names()
    assert talk.get(bob).id == robert
    found = talk.rows("SELECT entity_id FROM entity_aliases WHERE alias_key = 'bob'")
    assert found == [(robert,)]
    undone = talk.undo(merged.changes)
    assert talk.picture() == before
    talk.undo(undone)
    assert talk.names()["Robert Smith"] == 3


def test_what_is_said_after_a_merge_means_the_merged_one_and_after_undo_itself(talk: EntityHarness) -> None:
    bob, robert = talk.id("Bob"), talk.id("Robert Smith")
    merged = talk.do(talk.service.merge([bob], robert, actor="person"))
    talk.say("Bob is back.")
    talk.read_all()
    assert talk.names()["Robert Smith"] == 4
    talk.undo(merged.changes)
    assert talk.names()["Bob"] == 3
    assert talk.names()["Robert Smith"] == 1


def test_a_merge_across_types_and_of_what_was_merged(talk: EntityHarness) -> None:
    berlin, paris, acme = (talk.id(name) for name in ("Berlin", "Paris", "Acme GmbH"))
    before = talk.picture()
    first = talk.do(talk.service.merge([berlin], paris, actor="person"))
    second = talk.do(talk.service.merge([paris], acme, actor="person"))
    talk.say("I live in Berlin.")
    talk.read_all()
    assert talk.names()["Acme GmbH"] == 4
    with pytest.raises(NotFoundError, match="merged into another"):
        talk.do(talk.service.rename(paris, "Lutetia", actor="person"))
    with pytest.raises(StaleError):
        talk.undo(first.changes)
    talk.undo(second.changes)
    talk.undo(first.changes)
    assert talk.picture()[0][paris] == before[0][paris]
    assert talk.names()["Berlin"] == 2


def test_a_split_by_name_lets_a_merged_one_stand_again(talk: EntityHarness) -> None:
    before = talk.picture()
    bob, robert = talk.id("Bob"), talk.id("Robert Smith")
    merged = talk.do(talk.service.merge([bob], robert, actor="person"))
    split = talk.do(talk.service.split(robert, aliases=["BOB"], actor="person"))
    assert split.value.id == bob
    assert talk.names()["Bob"] == 2
    talk.undo(split.changes)
    talk.undo(merged.changes)
    assert talk.picture() == before


def test_a_name_merged_across_types_is_split_off_with_its_own_type(talk: EntityHarness) -> None:
    bob, berlin = talk.id("Bob"), talk.id("Berlin")
    talk.do(talk.service.merge([berlin], bob, actor="person"))
    split = talk.do(talk.service.split(bob, aliases=["Berlin"], actor="person"))
    assert (split.value.id, split.value.type, split.value.mentions) == (berlin, "location", 1)


def test_a_split_by_turns_keeps_to_those_turns(talk: EntityHarness) -> None:
    before = talk.picture()
    bob = talk.id("Bob")
    split = talk.do(talk.service.split(bob, owners=[("message", "s#3")], name="Bob from Paris", actor="person"))
    assert split.value.mentions == 1
    assert talk.names()["Bob"] == 1
    talk.say("Bob again.")
    talk.do(talk.sync.start_over())
    talk.read_all()
    assert talk.names()["Bob"] == 2
    assert talk.names()["Bob from Paris"] == 1
    with pytest.raises(InputError, match="decided already"):
        talk.do(talk.service.split(bob, owners=[("message", "s#3")], name="Third Bob", actor="person"))
    talk.undo(split.changes)
    assert talk.names()["Bob"] == 3
    assert "Bob from Paris" not in talk.names()
    assert set(talk.picture()[0]) == set(before[0])


def test_a_rename_keeps_the_old_name_and_can_change_the_type(talk: EntityHarness) -> None:
    acme = talk.id("Acme GmbH")
    before = talk.picture()
    renamed = talk.do(talk.service.rename(acme, "Acme", kind="project", summary="Tools", actor="person"))
    assert (renamed.value.name, renamed.value.type, renamed.value.summary) == ("Acme", "project", "Tools")
    assert renamed.value.aliases == ("Acme", "Acme GmbH")
    talk.note("Acme GmbH again.")
    talk.do(talk.sync.start_over())
    talk.read_all()
    assert talk.names()["Acme"] == 2
    assert "Acme GmbH" not in talk.names()
    talk.undo(renamed.changes)
    assert talk.picture()[0][acme][0] == before[0][acme][0]
    with pytest.raises(InputError, match="Merge the two"):
        talk.do(talk.service.rename(talk.id("Bob"), "alice  JONES", actor="person"))


def test_nothing_takes_a_former_name_with_the_texts_that_say_it(talk: EntityHarness) -> None:
    alice, bob = talk.id("Alice Jones"), talk.id("Bob")
    talk.do(talk.service.rename(alice, "Alice Berg", actor="person"))
    with pytest.raises(InputError, match="Alice Berg is called alice jones too"):
        talk.do(talk.service.rename(bob, "alice jones", actor="person"))
    split = talk.do(talk.service.split(alice, aliases=["Alice Jones"], name="Alice Jones", actor="person"))
    talk.undo(split.changes)
    talk.do(talk.service.rename(alice, "Alice Jones", actor="person"))
    assert talk.names()["Alice Jones"]


@pytest.mark.parametrize("which", range(4))
def test_names_that_one_run_joined_in_a_row_come_apart_together(talk: EntityHarness, which: int) -> None:
    berlin, paris, acme = (talk.id(name) for name in ("Berlin", "Paris", "Acme GmbH"))
    before = talk.picture()
    last = talk.write(history_repo.last_id)
    talk.do(talk.service.merge([berlin], paris, actor="keepsake"))
    talk.do(talk.service.merge([paris], acme, actor="keepsake"))
    talk.write(lambda connection: history_repo.put_in_run(connection, last, "run-joined"))
    joined = talk.picture()
    entry = [row.id for row in talk.do(talk.undoing.history(EVERYTHING)) if row.run_id == "run-joined"][which]
    undone = talk.do(talk.undoing.undo(EVERYTHING, [entry]))
    assert talk.picture() == before
    talk.do(talk.undoing.undo(EVERYTHING, undone.value[:1]))
    assert talk.picture() == joined


def test_relations_follow_a_merge_and_undo(talk: EntityHarness) -> None:
    bob, robert, acme = talk.id("Bob"), talk.id("Robert Smith"), talk.id("Acme GmbH")
    stated = talk.do(talk.service.relate(bob, "works at", acme, actor="person"))
    talk.do(talk.service.relate(bob, "works at", acme, weight=3, actor="person"))
    talk.do(talk.service.merge([bob], robert, actor="person"))
    (relation,) = talk.do(talk.reads.info(EVERYTHING, acme)).relations
    assert (relation.subject_id, relation.predicate, relation.weight) == (robert, "works at", 3.0)
    assert talk.do(talk.reads.info(EVERYTHING, robert)).relations == (relation,)
    with pytest.raises(StaleError):
        talk.undo(stated.changes)
    with pytest.raises(InputError, match="itself"):
        talk.do(talk.service.relate(robert, "knows", robert, actor="person"))
    with pytest.raises(InputError, match="weight"):
        talk.do(talk.service.relate(robert, "knows", acme, weight=float("nan"), actor="person"))


def test_unrelate_and_protect_can_be_undone(talk: EntityHarness) -> None:
    bob, acme = talk.id("Bob"), talk.id("Acme GmbH")
    talk.do(talk.service.relate(bob, "works at", acme, actor="person"))
    before = talk.picture()
    taken = talk.do(talk.service.unrelate(bob, "works at", acme, actor="person"))
    assert talk.do(talk.reads.info(EVERYTHING, bob)).relations == ()
    protected = talk.do(talk.service.protect(bob, actor="person"))
    assert protected.value.protected
    assert talk.do(talk.service.protect(bob, actor="person")).changes.history_ids == ()
    talk.undo(protected.changes)
    talk.undo(taken.changes)
    assert talk.picture() == before
    with pytest.raises(InputError, match="no such relation"):
        talk.do(talk.service.unrelate(bob, "likes", acme, actor="person"))


def test_what_cannot_be_is_refused(talk: EntityHarness) -> None:
    bob, robert = talk.id("Bob"), talk.id("Robert Smith")
    talk.do(talk.service.protect(robert, actor="person"))
    before = talk.picture()
    for wrong in (
        talk.service.merge([bob], bob, actor="person"),
        talk.service.merge([bob], "ent-none", actor="person"),
        talk.service.split(bob, aliases=["Bob"], actor="person"),
        talk.service.split(bob, aliases=["Nobody"], actor="person"),
        talk.service.split(bob, name="Bobby", actor="person"),
        talk.service.split(bob, owners=[("message", "s#1")], actor="person"),
        talk.service.split(bob, owners=[("message", "s#1")], name="Robert Smith", actor="person"),
        talk.service.rename(bob, "x" * 501, actor="person"),
        talk.service.place([(bob, float("inf"), 0.0)], actor="person"),
    ):
        with pytest.raises(InputError):
            talk.do(wrong)
    assert talk.picture() == before


@pytest.mark.parametrize("text", NAUGHTY)
def test_any_text_can_be_a_name_or_is_refused(talk: EntityHarness, text: str) -> None:
    bob = talk.id("Bob")
    try:
        renamed = talk.do(talk.service.rename(bob, f"x{text}", actor="person"))
    except InputError:
        assert len(text) > 400
        return
    assert talk.get(bob).name == renamed.value.name
    talk.undo(renamed.changes)
    assert talk.get(bob).name == "Bob"


NAMES = ("Bob", "Robert Smith", "Alice Jones", "Berlin", "Paris", "Acme GmbH")
Step = tuple[str, int, int]


def attempt(harness: EntityHarness, ids: dict[str, str], step: Step, number: int) -> ChangeSet | None:
    """Do one decision, ``None`` when it is refused."""
    what, first, second = step
    one, other = ids[NAMES[first]], ids[NAMES[second]]
    owner = ("message", f"s#{second % 3 + 1}")
    calls = {
        "merge": lambda: harness.service.merge([one], other, actor="person"),
        "split names": lambda: harness.service.split(one, aliases=[NAMES[second]], actor="person"),
        "split owners": lambda: harness.service.split(one, owners=[owner], name=f"Other {number}", actor="person"),
        "rename": lambda: harness.service.rename(
            one, f"New {number}", kind="project" if second % 2 else None, actor="person"
        ),
        "relate": lambda: harness.service.relate(one, f"p{second}", other, actor="person"),
        "protect": lambda: harness.service.protect(one, actor="person"),
    }
    try:
        return harness.do(calls[what]()).changes
    except InputError:
        return None


steps = st.lists(
    st.tuples(
        st.sampled_from(("merge", "merge", "split names", "split owners", "rename", "relate", "protect")),
        st.integers(0, len(NAMES) - 1),
        st.integers(0, len(NAMES) - 1),
    ),
    min_size=1,
    max_size=8,
)


@example([("merge", 3, 0), ("split names", 0, 3)])
@example([("rename", 0, 1), ("split names", 0, 0)])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(taken=steps)
def test_undoing_decisions_one_by_one_gives_each_state_before(template_db: Path, taken: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(template_db, Path(folder) / "memory.db")
        harness = EntityHarness(Path(folder))
        try:
            harness.say("I met Bob in Berlin.", "Robert Smith called.", "Bob and Alice Jones went to Paris.")
            harness.note("Alice Jones works at Acme GmbH.")
            harness.read_all()
            ids = {name: harness.id(name) for name in NAMES}
            done: list[tuple[tuple[object, ...], ChangeSet]] = []
            for number, step in enumerate(taken):
                before = harness.picture()
                changes = attempt(harness, ids, step, number)
                if changes is None:
                    assert harness.picture() == before
                elif changes.history_ids:
                    done.append((before, changes))
            decided = harness.picture()
            harness.do(harness.sync.start_over())
            harness.read_all()
            assert harness.picture() == decided
            for before, changes in reversed(done):
                harness.undo(changes)
                assert harness.picture() == before
        finally:
            harness.close()


def test_a_split_by_turns_that_do_not_mention_it_is_refused(harness: EntityHarness) -> None:
    harness.say("Bob lives in Paris.", "Nobody is here.")
    harness.read_all()
    for owner in ("nope#1", "s#2"):
        with pytest.raises(InputError, match="mentions it"):
            harness.do(
                harness.service.split(harness.id("Bob"), owners=[("message", owner)], name="Bill", actor="person")
            )
    assert "Bill" not in harness.names()


def _address(talk: EntityHarness, name: str, kind: EntityType) -> str:
    """Return an entity of an address, which no text mentions."""
    return talk.write(lambda connection: Linker(connection, 1).link(name, kind))


def test_what_a_relation_was_once_stated_to_stays_for_its_undo(talk: EntityHarness) -> None:
    bob, address, other = talk.id("Bob"), _address(talk, "bob@ferrous.io", "email"), _address(talk, "x.org", "url")
    talk.do(talk.service.relate(bob, "writes from", address, actor="person"))
    taken = talk.do(talk.service.unrelate(bob, "writes from", address, actor="person"))
    talk.read_all()
    assert talk.rows("SELECT 1 FROM entities WHERE id = ?", (other,)) == []
    talk.undo(taken.changes)
    assert talk.rows("SELECT object_id FROM relations") == [(address,)]


def test_undo_leaves_out_relations_to_what_was_erased_since(talk: EntityHarness) -> None:
    bob, address = talk.id("Bob"), _address(talk, "bob@ferrous.io", "email")
    talk.do(talk.service.relate(bob, "met in", talk.id("Berlin"), actor="person"))
    talk.do(talk.service.relate(bob, "writes from", address, actor="person"))
    taken = talk.do(talk.service.unrelate(bob, "writes from", address, actor="person"))
    talk.write(lambda connection: name_eraser.drop(connection, [(address, "bob@ferrous.io")]))
    talk.undo(taken.changes)
    assert talk.rows("SELECT object_id FROM relations") == [(talk.id("Berlin"),)]
