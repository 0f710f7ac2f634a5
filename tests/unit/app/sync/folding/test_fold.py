"""Concurrent changes of one row become one row, the same on every device."""

import random
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from app.core.ids import derived_id
from app.errors import InternalError
from app.sync.folding.fold import FoldedRow, fold_row
from app.sync.segments.change import ERASE, Change
from tests.unit.app.sync.devices import ENTITY, MEMORY, Device, exchange

TIMES = count(1_000)


@pytest.fixture
def pair() -> Iterator[tuple[Device, Device]]:
    """Return two devices that both know one note."""
    one, other = Device(1), Device(2)
    add(one, content="title\nold\nend", tags=["x", "y"])
    exchange(one, other)
    yield one, other
    exchange(one, other)
    assert one.folded == other.folded
    for row, changes in one.rows.items():
        shuffled = random.Random(1).sample(changes, len(changes))
        assert fold_row(shuffled) == one.folded[row]


def add(device: Device, target: str = "m", kind: str = "memory", **fields: Any) -> Change:
    state = {**{"memory": MEMORY, "entity": ENTITY}.get(kind, {}), **fields}
    return device.write(next(TIMES), kind, target, "ADD", state)


def edit(device: Device, target: str = "m", **fields: Any) -> Change:
    return device.edit(next(TIMES), target, **fields)


def delete(device: Device, target: str = "m", **options: Any) -> Change:
    return device.write(next(TIMES), "memory", target, "DELETE", None, **options)


def row(devices: tuple[Device, ...], target: str = "m", kind: str = "memory") -> FoldedRow:
    exchange(*devices)
    return devices[0].folded[kind, target]


def value(devices: tuple[Device, ...], name: str, target: str = "m", kind: str = "memory") -> Any:
    state = row(devices, target, kind).state
    assert state is not None
    return state[name]


def test_a_row_has_changes_and_they_are_its_own() -> None:
    device = Device(1)
    with pytest.raises(InternalError):
        fold_row([])
    with pytest.raises(InternalError):
        fold_row([add(device, "a"), add(device, "b")])


def test_changes_that_knew_each_other_are_followed_as_they_are(pair: tuple[Device, Device]) -> None:
    one, other = pair
    edit(one, content="new")
    exchange(one, other)
    drifted = {**MEMORY, "content": "newer", "confidence": 0.4, "mention_count": 7, "tags": ["z"], "tokens": 9}
    last = other.write(next(TIMES), "memory", "m", "UPDATE", drifted, before={**MEMORY, "confidence": 0.5})
    folded = row(pair)
    assert folded.state == last.after == drifted
    assert folded.kept[0].text == "new"  # its writer says to have known it, but read another text


def test_texts_are_merged_by_lines(pair: tuple[Device, Device]) -> None:
    one, other = pair
    edit(one, content="title\nold\nend\nmore")
    edit(other, content="TITLE\nold\nend")
    folded = row(pair)
    assert (folded.state or {})["content"] == "TITLE\nold\nend\nmore"
    assert folded.kept == ()


def test_where_texts_overlap_the_earlier_is_kept_until_it_is_the_text(pair: tuple[Device, Device]) -> None:
    one, other = pair
    mine, yours = edit(one, content="title\nmine\nend"), edit(other, content="title\nyours\nend")
    folded = row(pair)
    assert (folded.state or {})["content"] == "title\nyours\nend"
    assert [(kept.text, kept.place, kept.other) for kept in folded.kept] == [
        ("title\nmine\nend", mine.place, yours.place)
    ]
    edit(one, pinned=True)
    assert len(row(pair).kept) == 1
    edit(other, content="title\nmine\nend")
    assert row(pair).kept == ()


def test_a_wrong_clock_wins_ties_and_nothing_else(pair: tuple[Device, Device]) -> None:
    one, other = pair
    one.skew_ms = 400 * 86_400_000
    edit(one, title="a year ahead")
    edit(other, title="now")
    assert value(pair, "title") == "a year ahead"
    edit(other, title="after it")
    assert value(pair, "title") == "after it"


def test_a_removed_tag_stays_where_it_was_added_meanwhile(pair: tuple[Device, Device]) -> None:
    one, other = pair
    edit(one, tags=["y"])
    edit(other, tags=["x", "y", "z"])
    assert value(pair, "tags") == ["y", "z"]
    edit(one, tags=["y", "z", "x"])
    edit(other, tags=["z"])
    assert value(pair, "tags") == ["z", "x"]


def test_lists_and_attributes_are_merged_item_by_item(pair: tuple[Device, Device]) -> None:
    one, other = pair
    edit(one, people=["Ann"], sources=[{"kind": "message", "id": "s#1"}], attributes={"a": 1, "b": 1}, facts=["f"])
    edit(other, people=["Bob"], sources=[{"kind": "message", "id": "s#2"}], attributes={"b": 2}, facts=["g"])
    assert value(pair, "people") == ["Ann", "Bob"]
    assert value(pair, "sources") == [{"kind": "message", "id": "s#1"}, {"kind": "message", "id": "s#2"}]
    assert value(pair, "attributes") == {"a": 1, "b": 2}
    assert value(pair, "facts") == ["f", "g"]
    edit(one, attributes={"b": 2})
    edit(other, attributes={"a": 1, "b": 2, "c": 3})
    assert value(pair, "attributes") == {"b": 2, "c": 3}


@pytest.mark.parametrize("is_narrower_first", [True, False])
def test_the_narrower_store_holds(pair: tuple[Device, Device], is_narrower_first: bool) -> None:
    one, other = pair if is_narrower_first else pair[::-1]
    writes = [(one, "private"), (other, "social")]
    changes = {store: edit(device, store=store) for device, store in (writes if is_narrower_first else writes[::-1])}
    assert value(pair, "store") == "private"
    (notice,) = row(pair).notices
    assert (notice.reason, notice.place, notice.other, notice.field) == (
        "narrower_holds", changes["private"].place, changes["social"].place, "store",
    )  # fmt: skip
    edit(other, store="social")
    assert value(pair, "store") == "social"
    assert row(pair).notices == ()


def test_a_wider_store_counts_only_against_what_its_writer_knew() -> None:
    one, two, three = devices = Device(1), Device(2), Device(3)
    add(one, store="social")
    exchange(*devices)
    edit(two, store="shared")
    edit(one, store="private")
    exchange(one, three)
    edit(three, store="social")
    assert value(devices, "store") == "shared"


def test_a_confirmation_beats_a_decay_that_did_not_know_it(pair: tuple[Device, Device]) -> None:
    one, other = pair
    edit(one, event="CONFIRM", decay_rate=0.0, confidence=1.0)
    edit(other, event="DECAY", confidence=0.3, decayed_at=5)
    assert value(pair, "confidence") == 1.0
    edit(other, event="DECAY", confidence=0.2, decayed_at=9)
    edit(one, event="DECAY", confidence=0.4, decayed_at=8)
    assert value(pair, "confidence") == 0.2
    edit(other, event="DECAY", confidence=0.1, decayed_at=9)
    edit(one, event="CONFIRM", confidence=1.0)
    assert value(pair, "confidence") == 1.0


def test_counters_add_and_times_go_forward(pair: tuple[Device, Device]) -> None:
    one, other = pair
    edit(one, event="MENTION", mention_count=2, updated_at=9)
    edit(other, event="MENTION", mention_count=2, updated_at=5, version=3)
    assert [value(pair, name) for name in ("mention_count", "updated_at", "version")] == [3, 9, 3]


@pytest.mark.parametrize("is_edit_first", [True, False])
def test_an_edit_brings_back_what_was_deleted_meanwhile(pair: tuple[Device, Device], is_edit_first: bool) -> None:
    one, other = pair
    if is_edit_first:
        edited, deleted = edit(one, content="title\nold\nend\nmore"), delete(other)
    else:
        deleted, edited = delete(one), edit(other, content="title\nold\nend\nmore")
    folded = row(pair)
    assert (folded.state or {})["content"] == "title\nold\nend\nmore"
    assert [(notice.reason, notice.place, notice.other) for notice in folded.notices] == [
        ("edit_kept_row", edited.place, deleted.place)
    ]
    delete(one)
    folded = row(pair)
    assert folded.state is None
    assert (folded.whole or {})["content"] == "title\nold\nend\nmore"
    assert folded.notices == ()


def test_two_deletions_are_one_and_counting_is_no_edit(pair: tuple[Device, Device]) -> None:
    one, other = pair
    delete(one)
    edit(other, event="MENTION", mention_count=2)
    delete(other)
    assert row(pair).state is None
    restored = {**MEMORY, "content": "title\nold\nend", "tags": ["x", "y"], "version": 4}
    one.write(next(TIMES), "memory", "m", "RESTORE", restored)
    assert row(pair).state == restored


def test_a_restored_note_keeps_what_was_written_meanwhile(pair: tuple[Device, Device]) -> None:
    one, other = pair
    state = one.state("memory", "m")
    delete(one)
    one.write(next(TIMES), "memory", "m", "RESTORE", state)
    edit(other, content="title\nnew\nend", tags=["x"])
    folded = row(pair)
    assert folded.kept == ()
    assert (folded.state or {})["content"] == "title\nnew\nend"
    assert (folded.state or {})["tags"] == ["x"]


def test_two_deletions_that_each_knew_one_edit_delete(pair: tuple[Device, Device]) -> None:
    one, other = pair
    edit(one, title="A")
    edit(other, content="title\nnew\nend")
    delete(one)
    delete(other)
    assert row(pair).state is None


def test_a_tag_of_a_fact_that_is_superseded_by_derivation_does_not_delete_it(pair: tuple[Device, Device]) -> None:
    one, _ = pair
    derived = {**(one.state("memory", "m") or {}), "deleted_at": 4, "superseded_by": "other"}
    one.write(next(TIMES), "memory", "m", "UPDATE", {**derived, "tags": ["z"]}, before=derived)
    assert row(pair).is_live
    assert value(pair, "tags") == ["z"]


ARCHIVED = {"content": "", "attributes": {}, "deleted_at": 7, "archived_at": 7, "reason": "old"}


def test_an_archived_note_is_there_with_its_text(pair: tuple[Device, Device]) -> None:
    one, other = pair
    archived = edit(one, event="ARCHIVE", **ARCHIVED)
    assert row(pair).state == archived.after
    assert (row(pair).whole or {})["content"] == "title\nold\nend"
    restored = {**MEMORY, "content": "title\nold\nend", "tags": ["x", "y"]}
    other.write(next(TIMES), "memory", "m", "RESTORE", restored)
    assert row(pair).state == restored


def test_an_edit_takes_a_note_out_of_the_archive(pair: tuple[Device, Device]) -> None:
    one, other = pair
    edit(one, event="ARCHIVE", **ARCHIVED)
    edit(other, content="title\nnew\nend")
    folded = row(pair)
    assert folded.is_live
    assert (folded.state or {})["content"] == "title\nnew\nend"
    assert "archived_at" not in (folded.state or {})


def test_forgetting_for_ever_beats_everything_by_any_clock(pair: tuple[Device, Device]) -> None:
    one, other = pair
    one.skew_ms = -900
    other.skew_ms = 400 * 86_400_000
    edit(other, content="later", title="secret")
    one.write(next(TIMES), "memory", "m", ERASE, None)
    edit(other, content="later still")
    folded = row(pair)
    assert (folded.state, folded.whole, folded.kept, folded.is_erased) == (None, None, (), True)


def test_an_undo_takes_back_its_change_alone(pair: tuple[Device, Device]) -> None:
    one, other = pair
    begun = one.state("memory", "m")
    edited = edit(one, content="title\nold\nend\nmore", tags=["x", "y", "z"], title="A")
    exchange(*pair)
    undone = other.write(next(TIMES), "memory", "m", "UPDATE", begun, undoes=(1_000, edited.place.n))
    edit(one, content="TITLE\nold\nend\nmore", tags=["x", "y", "z", "w"])
    assert value(pair, "content") == "TITLE\nold\nend"
    assert value(pair, "tags") == ["x", "y", "w"]
    assert value(pair, "title") == ""
    one.write(next(TIMES), "memory", "m", "UPDATE", edited.after, undoes=(2_000, undone.place.n))
    assert row(pair).state == edited.after


def test_the_undo_of_a_deletion_keeps_the_newer_text(pair: tuple[Device, Device]) -> None:
    one, other = pair
    edit(one, content="title\nnew\nend")
    delete(one)
    deleted = delete(other)
    exchange(*pair)
    undone = one.write(next(TIMES), "memory", "m", "RESTORE", deleted.before, undoes=(2_000, deleted.place.n))
    folded = row(pair)
    assert folded.state == undone.after
    assert [kept.text for kept in folded.kept] == ["title\nnew\nend"]


def test_two_undos_of_one_change_are_one(pair: tuple[Device, Device]) -> None:
    one, other = pair
    begun = one.state("memory", "m")
    edited = edit(one, title="A", mention_count=4)
    exchange(*pair)
    name = (1_000, edited.place.n)
    undone = one.write(next(TIMES), "memory", "m", "UPDATE", begun, undoes=name)
    other.write(next(TIMES), "memory", "m", "UPDATE", begun, undoes=name)
    assert row(pair).state == begun
    one.write(next(TIMES), "memory", "m", "UPDATE", edited.after, undoes=(1_000, undone.place.n))
    assert row(pair).state == edited.after


def test_a_row_may_begin_with_what_all_devices_had(pair: tuple[Device, Device]) -> None:
    one, other = pair
    edit(one, tags=["y"], content="TITLE\nold\nend")
    edit(other, tags=["x", "y", "z"], title="A", content="title\nold\nEND")
    exchange(*pair)
    since = [change for change in one.rows["memory", "m"] if change.event != "ADD"]
    assert fold_row(since).state == row(pair).state


def test_two_imports_of_one_note_are_one() -> None:
    one, other = devices = Device(1), Device(2)
    add(one, content="a\nb", tags=["x"], store="private")
    add(other, content="a\nb", tags=["y"])
    assert value(devices, "content") == "a\nb"
    assert value(devices, "tags") == ["x", "y"]
    assert value(devices, "store") == "private"
    assert row(devices).kept == ()


def test_a_conversation_is_registers_and_a_scratchpad() -> None:
    one, other = devices = Device(1), Device(2)
    one.write(next(TIMES), "session", "s", "RENAME", {"title": "A"}, before={"title": ""})
    exchange(*devices)
    for device, fields in (
        (one, {"title": "B"}),
        (other, {"forgotten_at": 4, "title": "C"}),
        (one, {"scratchpad": ["a"]}),
        (other, {"scratchpad": ["b"]}),
        (one, {"summary": "long", "summary_upper_seq": 9}),
        (other, {"summary": "short", "summary_upper_seq": 3}),
    ):
        known = device.state("session", "s") or {}
        before = {name: known.get(name) for name in fields}
        device.write(next(TIMES), "session", "s", "UPDATE", fields, before=before)
    assert row(devices, "s", "session").state == {
        "title": "C", "forgotten_at": 4, "scratchpad": ["a", "b"], "summary": "long", "summary_upper_seq": 9,
    }  # fmt: skip


def test_an_entity_keeps_the_names_and_relations_of_both() -> None:
    one, other = devices = Device(1), Device(2)
    add(one, "e", "entity", name="Ann", aliases=["Ann"], relations=[["knows", "b", 1, "", 1]])
    exchange(*devices)
    edit(one, "e", kind="entity", aliases=["Ann", "Anna"], relations=[["knows", "b", 2, "", 1]])
    edit(other, "e", kind="entity", aliases=["Ann", "Annie"], relations=[["knows", "b", 1, "", 1], ["likes", "c", 1]])
    assert value(devices, "aliases", "e", "entity") == ["Ann", "Anna", "Annie"]
    assert value(devices, "relations", "e", "entity") == [["knows", "b", 2, "", 1], ["likes", "c", 1]]
    assert value(devices, "aliases", "e", "entity") == ["Ann", "Anna", "Annie"]


def test_of_two_decisions_about_a_proposal_the_first_stands() -> None:
    one, other = devices = Device(1), Device(2)
    waiting = {"state": "waiting", "note": "", "run": ""}
    first = one.write(next(TIMES), "proposal", "p", "ACCEPT", {**waiting, "state": "accepted"}, before=waiting)
    second = other.write(next(TIMES), "proposal", "p", "REJECT", {**waiting, "state": "rejected"}, before=waiting)
    folded = row(devices, "p", "proposal")
    assert (folded.state or {})["state"] == "accepted"
    assert [(notice.reason, notice.place, notice.other) for notice in folded.notices] == [
        ("decided_before", first.place, second.place)
    ]
    other.write(next(TIMES), "proposal", "p", "UPDATE", waiting)
    assert value(devices, "state", "p", "proposal") == "waiting"


def test_of_two_trusts_the_lower_holds() -> None:
    one, other = devices = Device(1), Device(2)
    agent = {"name": "robin", "trust": "familiar", "stores": [], "revoked_at": None, "review": False}
    one.write(next(TIMES), "agent", "a", "ADD", agent)
    exchange(*devices)
    edit(one, "a", kind="agent", trust="public", stores=["shared"], revoked_at=9, name="rob")
    edit(other, "a", kind="agent", trust="full", stores=["shared", "social"], review=True, name="bob")
    assert row(devices, "a", "agent").state == {
        "name": "bob", "trust": "public", "stores": ["shared"], "revoked_at": 9, "review": True,
    }  # fmt: skip


def test_a_schedule_is_registers() -> None:
    one, other = devices = Device(1), Device(2)
    one.write(next(TIMES), "schedule", "s", "ADD", {"name": "Roses", "goal": "Water"})
    exchange(*devices)
    one.write(next(TIMES), "schedule", "s", "UPDATE", {"status": "paused"}, before={"status": "active"})
    other.write(next(TIMES), "schedule", "s", "RENAME", {"name": "Red"}, before={"name": "Roses"})
    assert row(devices, "s", "schedule").state == {"name": "Red", "goal": "Water", "status": "paused"}
    other.write(next(TIMES), "schedule", "s", "DELETE", None)
    assert row(devices, "s", "schedule").state is None
    one.write(next(TIMES), "schedule", "s", "RESTORE", {"name": "Red", "goal": "Water"})
    assert value(devices, "status", "s", "schedule") == "paused"


@pytest.fixture
def derived(pair: tuple[Device, Device]) -> str:
    """Return the id of a digest that both devices made without knowing of each other."""
    target = derived_id("digest", 1, "the same observations")
    for number, device in enumerate(pair):
        add(device, target, content=f"what follows\n{number}")
    return target


def test_what_two_devices_made_of_the_same_is_one_row_without_a_kept_text(
    pair: tuple[Device, Device], derived: str
) -> None:
    folded = row(pair, derived)
    assert folded.state is not None
    assert folded.state["content"] == "what follows\n0"
    assert (folded.kept, folded.notices) == ((), ())


@pytest.mark.parametrize("where", [0, 1])
def test_who_takes_away_what_two_devices_made_takes_it_away_for_both(
    pair: tuple[Device, Device], derived: str, where: int
) -> None:
    delete(pair[where], derived)
    assert row(pair, derived).state is None


@pytest.mark.parametrize("where", [0, 1])
def test_what_two_devices_made_comes_back_and_is_edited_like_any_row(
    pair: tuple[Device, Device], derived: str, where: int
) -> None:
    delete(pair[where], derived)
    exchange(*pair)
    pair[1].write(next(TIMES), "memory", derived, "RESTORE", {**MEMORY, "content": "again"})
    assert value(pair, "content", derived) == "again"
    edit(pair[0], derived, content="again and again")
    assert value(pair, "content", derived) == "again and again"


def test_an_edit_of_what_two_devices_made_keeps_it(pair: tuple[Device, Device], derived: str) -> None:
    edit(pair[1], derived, tags=["mine"])
    delete(pair[0], derived)
    assert value(pair, "tags", derived) == ["mine"]


def test_a_note_that_two_devices_made_under_one_name_needs_both_deleted(pair: tuple[Device, Device]) -> None:
    for device in pair:
        add(device, "n", content="by a person")
    delete(pair[0], "n")
    assert row(pair, "n").state is not None
