"""Templates, saved filters, calendar, bulk changes, mentions and trash of the Notes pane, over a real vault."""

from datetime import date, datetime
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QInputDialog, QMenu, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.screen_reader import words
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.notes.conftest import OpenNotes
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.bridge import Bridge
from ui.panes.notes.calendar.day_calendar import DayCalendar
from ui.panes.notes.new_notes import NewNotes
from ui.panes.notes.pane import NotesPane
from ui.panes.notes.trash_bar import TrashBar
from ui.panes.pane import Place
from ui.widgets.filter_chip import FilterChip
from ui.widgets.plain_text import PlainMessageBox
from ui.widgets.selection_summary import SelectionSummary

if TYPE_CHECKING:
    from ui.notice import Notice


def _note(host: Host, title: str, content: str = "Text", **known: object) -> str:
    return str(host.ask("note.save", title=title, content=content, **known).id)


def _today() -> date:
    return datetime.now().astimezone().date()


def _answer(pane: NotesPane, text: str) -> None:
    """Write into the question that is open, and accept it."""
    box = next(one for one in pane.findChildren(QInputDialog) if one.isVisible())
    box.setTextValue(text)
    box.accept()


def _pick(pane: NotesPane, words: str) -> None:
    """Choose an entry of the menu that is open."""
    menu = next(one for one in pane.findChildren(QMenu) if one.isVisible())
    entry = next(action for action in menu.actions() if action.text().startswith(words))
    entry.trigger()
    menu.close()


def _undo(host: Host, notice: "Notice") -> None:
    assert notice.history_ids
    host.ask("memory.undo", history_ids=list(notice.history_ids))


# --- templates and daily notes ---


def test_without_templates_the_person_learns_how_to_make_one(
    open_notes: OpenNotes, bridge: Bridge, rest: Rest, notices: "list[Notice]"
) -> None:
    pane = open_notes()
    pane.registry.run("notes.template")
    rest(lambda: not bridge.is_busy)
    assert "#template" in notices[-1].text


def test_a_note_from_a_template_is_opened_and_undone(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]"
) -> None:
    _note(host, "Meeting", "# {{title}}\n\n{{date}}", tags=["template", "talk"])
    pane = open_notes()
    pane.registry.run("notes.template")
    rest(lambda: any(menu.isVisible() for menu in pane.findChildren(QMenu)))
    _pick(pane, "Meeting")
    _answer(pane, "Roof")
    rest(lambda: pane.document.title.text() == "Roof" and not bridge.is_busy)
    assert pane.document.editor.source() == f"# Roof\n\n{_today().isoformat()}"
    assert pane.document.tags.tags == ("talk",)
    identity = pane.controller.id
    _undo(host, notices[-1])
    assert host.ask("note.get", id=identity).deleted_at is not None
    rest(lambda: not bridge.is_busy)


def test_the_daily_note_begins_with_its_template(open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest) -> None:
    first = _note(host, "Old day", "old", tags=["template/daily"])
    second = _note(host, "Day", "## {{date}}", tags=["template"])
    pane = open_notes()
    pane.findChild(NewNotes).set_daily_template(second)
    rest(lambda: "template/daily" in host.ask("note.get", id=second).tags and not bridge.is_busy)
    assert host.ask("note.get", id=first).tags == ("template",)
    pane.registry.run("notes.daily")
    today = _today().isoformat()
    rest(lambda: pane.document.title.text() == today and not bridge.is_busy)
    assert pane.document.editor.source() == f"## {today}"
    assert "daily" in host.ask("note.get", id=host.ask("note.resolve", title=today)).tags
    pane.daily_note()
    rest(lambda: not bridge.is_busy)
    assert len([row for row in host.ask("note.list") if row.title == today]) == 1


def test_without_a_template_the_daily_note_is_kept_only_with_words(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest
) -> None:
    pane = open_notes()
    pane.daily_note()
    rest(lambda: not bridge.is_busy)
    assert pane.document.title.text() == _today().isoformat()
    assert host.ask("note.ids") == []


# --- the calendar ---


def test_days_lead_to_daily_notes_notes_and_conversations(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, visited: list[Place]
) -> None:
    made = _note(host, "Roses")
    daily = _note(host, "2026-03-09", "A quiet day")
    said = datetime(2026, 3, 7, 12).astimezone().isoformat()
    host.ask("session.append", messages=[{"role": "user", "content": "Hello", "created_at": said}])
    pane = open_notes()
    calendar = pane.findChild(DayCalendar)
    calendar.sheet.go_to(date(2026, 3, 1))
    rest(lambda: "conversations: 1" in calendar.sheet.words_of(date(2026, 3, 7)))
    calendar.choose(date(2026, 3, 9))
    rest(lambda: pane.controller.id == daily and not bridge.is_busy)
    calendar.choose(date(2026, 3, 7))
    assert visited[-1] == Place("search", extra="kind:message on:2026-03-07")
    calendar.show_today()
    rest(lambda: "notes:" in calendar.sheet.words_of(_today()))
    calendar.choose(_today())
    rest(lambda: set(pane.listing.model.ids) == {made, daily} and not bridge.is_busy)
    assert pane.facets.chosen_day == _today()
    pane.facets.choose_day(date(2026, 3, 9))
    rest(lambda: pane.listing.model.ids == [] and not bridge.is_busy)
    pane.facets.clear()
    rest(lambda: len(pane.listing.model.ids) == 2 and not bridge.is_busy)


def test_the_calendar_is_reached_by_its_command(open_notes: OpenNotes, host: Host) -> None:
    _note(host, "Roses")
    pane = open_notes()
    pane.activateWindow()
    pane.registry.run("notes.calendar")
    assert pane.focusWidget() is pane.findChild(DayCalendar).sheet
    assert pane.findChild(DayCalendar).sheet in pane.regions()


# --- facets and saved filters ---


def test_people_named_in_notes_narrow_the_list(open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest) -> None:
    ines = _note(host, "Soil", "Ask Ines Duarte about it. Ines Duarte knows soil.")
    _note(host, "Other", "Nothing of her")
    host.ask("vault.settle", names=True)
    pane = open_notes()
    (entity,) = [one for one in host.ask("note.entities") if one.name == "Ines Duarte"]
    pane.facets.tree.set_chosen("entity", [entity.id])
    pane.facets.tree.toggled.emit("entity", entity.id, True)
    rest(lambda: pane.listing.model.ids == [ines] and not bridge.is_busy)


def test_a_filter_is_saved_chosen_renamed_and_deleted(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]"
) -> None:
    rose = _note(host, "Roses", "red", tags=["garden"])
    _note(host, "Soil", "dark", tags=["garden"])
    _note(host, "Bread", "red rye")
    pane = open_notes()
    facets = pane.facets
    facets.save()
    assert not [box for box in pane.findChildren(QInputDialog) if box.isVisible()], "there is nothing to save"
    pane.listing.filter.set_text_quietly("red")
    facets.choose_tag("garden")
    rest(lambda: pane.listing.model.ids == [rose] and not bridge.is_busy)
    facets.save()
    _answer(pane, " Red  garden ")
    assert facets.saved.names == ["Red garden"]
    assert facets.tree.chosen("saved") == ("Red garden",)
    state = pane.save_state()
    facets.tree.toggled.emit("saved", "Red garden", False)
    rest(lambda: len(pane.listing.model.ids) == 3 and not bridge.is_busy)
    assert pane.listing.filter.text() == ""
    other = open_notes(state)
    other.facets.tree.toggled.emit("saved", "Red garden", True)
    rest(lambda: other.listing.model.ids == [rose] and not bridge.is_busy)
    other.facets.tree.rename_requested.emit("saved", "Red garden")
    _answer(other, "Red")
    assert other.facets.saved.names == ["Red"]
    other.facets.tree.delete_requested.emit("saved", "Red")
    assert other.facets.saved.names == []
    assert "Its notes stay" in notices[-1].text


@pytest.mark.parametrize("state", [None, 5, [5], [{"name": 3}], [{"name": "x", "facets": 7}], [{"name": ""}]])
def test_saved_filters_of_other_versions_do_no_harm(open_notes: OpenNotes, state: object) -> None:
    pane = open_notes()
    pane.facets.saved.restore(state)
    for name in pane.facets.saved.names:
        pane.facets.tree.toggled.emit("saved", name, True)
    assert pane.facets.saved.names in ([], ["x"])


# --- bulk ---


def test_several_change_their_store_at_once_and_back(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]"
) -> None:
    ids = [_note(host, f"Note {n}", store="private") for n in range(3)]
    pane = open_notes()
    pane.listing.list.selectAll()
    rest(pane.findChild(SelectionSummary).isVisible)
    pane.findChild(SelectionSummary).button("store").click()
    shared = "Shared"
    _pick(pane, shared)
    rest(lambda: all(host.ask("note.get", id=identity).store == "shared" for identity in ids) and bool(notices))
    assert notices[-1].text == "3 notes are now in the store ‘Shared’"
    _undo(host, notices[-1])
    assert all(host.ask("note.get", id=identity).store == "private" for identity in ids)
    rest(lambda: not bridge.is_busy)


def test_several_are_merged_in_the_order_of_the_list_and_taken_apart_again(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]"
) -> None:
    soil, rose = _note(host, "Soil", "dark"), _note(host, "Roses", "red")
    pane = open_notes()
    pane.listing.list.selectAll()
    rest(pane.findChild(SelectionSummary).isVisible)
    pane.findChild(SelectionSummary).button("merge").click()
    rest(lambda: host.ask("note.ids") == [rose] and bool(notices))
    assert notices[-1].text == "Merged 2 notes into ‘Roses’"
    assert host.ask("note.get", id=rose).content == "red\n\n## Soil\n\ndark"
    _undo(host, notices[-1])
    assert set(host.ask("note.ids")) == {soil, rose}
    rest(lambda: not bridge.is_busy)


def test_facts_among_them_are_not_merged_and_that_is_told(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]"
) -> None:
    ids = {_note(host, "Soil", "dark"), host.ask("fact.remember", content="Roses are red").memory.id}
    pane = open_notes()
    pane.listing.list.selectAll()
    rest(pane.findChild(SelectionSummary).isVisible)
    pane.registry.run("notes.merge")
    rest(lambda: bool(notices) and not bridge.is_busy)
    assert (notices[-1].kind, notices[-1].history_ids) == ("error", ())
    assert set(host.ask("note.ids")) == ids


def test_archived_notes_leave_the_list_and_come_back(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]"
) -> None:
    ids = {_note(host, f"Note {n}") for n in range(3)}
    pane = open_notes()
    gone = list(ids)[:2]
    pane.listing.list.menu_requested.emit(gone, QPoint(5, 5))
    _pick(pane, "Archive")
    rest(lambda: set(pane.listing.model.ids) == ids - set(gone) and not bridge.is_busy)
    assert notices[-1].text == "Archived 2 notes"
    _undo(host, notices[-1])
    rest(lambda: set(pane.listing.model.ids) == ids and not bridge.is_busy)


# --- mentions ---


def test_one_click_links_a_mention_and_undo_takes_it_back(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]", qtbot: QtBot
) -> None:
    naming = _note(host, "Garden", "The soil here is dry.")
    soil = _note(host, "Soil", "Dark")
    pane = open_notes()
    pane.open_place(Place("notes", soil))
    rest(lambda: pane.inspector.mentions.isVisible() and not bridge.is_busy)
    (linker,) = [b for b in pane.inspector.mentions.findChildren(QToolButton) if b.accessibleName().startswith("Link")]
    assert linker.accessibleName() == "Link it in ‘Garden’"
    qtbot.mouseClick(linker, Qt.MouseButton.LeftButton)  # type: ignore[no-untyped-call]
    rest(lambda: not pane.inspector.mentions.isVisible() and not bridge.is_busy)
    assert host.ask("note.get", id=naming).content == "The [[Soil|soil]] here is dry."
    back = [button.accessibleName() for button in pane.inspector.findChildren(QPushButton)]
    assert "Garden" in back
    _undo(host, notices[-1])
    assert host.ask("note.get", id=naming).content == "The soil here is dry."
    rest(lambda: not bridge.is_busy)


# --- the trash ---


def test_the_trash_is_emptied_only_after_a_question(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]"
) -> None:
    kept = _note(host, "Kept")
    gone = [_note(host, f"Gone {n}") for n in range(2)]
    for one in gone:
        host.ask("note.delete", id=one)
    pane = open_notes()
    bar = pane.findChild(TrashBar)
    assert not bar.isVisible()
    pane.listing.trash.click()
    rest(lambda: bar.isVisible() and set(pane.listing.model.ids) == set(gone) and pane.controller.id in gone)
    for answer in ("Cancel", "Erase for ever"):
        bar.empty.click()
        rest(lambda: any(box.isVisible() for box in pane.findChildren(PlainMessageBox)))
        box = next(box for box in pane.findChildren(PlainMessageBox) if box.isVisible())
        next(button for button in box.buttons() if button.text().replace("&", "") == answer).click()
        rest(lambda: not bridge.is_busy)
        assert bool(host.ask("note.ids", filter={"deleted": True})) == (answer == "Cancel")
    assert host.ask("note.ids") == [kept]
    assert notices[-1].history_ids == ()
    rest(lambda: "The trash is empty" in words(pane) and not bar.empty.isEnabled())


def test_the_bar_restores_what_is_selected(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest, notices: "list[Notice]"
) -> None:
    gone = _note(host, "Gone")
    _note(host, "Kept")
    host.ask("note.delete", id=gone)
    pane = open_notes()
    pane.listing.trash.click()
    rest(lambda: pane.controller.id == gone and pane.findChild(TrashBar).restore.isEnabled())
    pane.findChild(TrashBar).restore.click()
    rest(lambda: gone in host.ask("note.ids") and bool(notices) and not bridge.is_busy)


# --- the whole ---


def test_everything_that_takes_the_keyboard_has_a_name(
    open_notes: OpenNotes, host: Host, bridge: Bridge, rest: Rest
) -> None:
    fact = host.ask("fact.remember", content="Anna lives in Graz", category="anna", key="home", decay_rate=0.1).memory
    newer = host.ask("fact.correct", id=fact.id, content="Anna lives in Linz").fact.id
    _note(host, "Soil", "Anna lives in Graz")
    pane = open_notes()
    pane.facets.saved.save("All", "x", {})
    pane.open_place(Place("notes", newer))
    rest(lambda: pane.inspector.fact.isVisible() and not bridge.is_busy)
    pane.inspector.fact.correct()
    assert _nameless(pane) == []


def test_a_filter_is_said_over_the_list_and_ended_there(
    host: Host, open_notes: OpenNotes, qtbot: QtBot, rest: Rest
) -> None:
    _note(host, "Rose list")
    host.ask("fact.remember", content="Bram lent the endoscope")
    pane = open_notes()
    rest(lambda: len(pane.listing.model.ids) == 2)
    chip = pane.listing.findChild(FilterChip)
    assert not chip.isVisible()
    pane.facets.tree.set_chosen("kind", ["fact"])
    pane.facets.tree.toggled.emit("kind", "fact", True)
    rest(lambda: len(pane.listing.model.ids) == 1)
    assert chip.isVisible()
    assert chip.text == "Filtered by Facts"
    qtbot.mouseClick(chip.cross, Qt.MouseButton.LeftButton)
    rest(lambda: len(pane.listing.model.ids) == 2)
    assert not chip.isVisible()
    assert pane.facets.tree.chosen("kind") == ()
