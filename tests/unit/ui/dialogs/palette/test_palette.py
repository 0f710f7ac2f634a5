"""The palette is driven by the keyboard alone."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QListView, QListWidget
from pytestqt.qtbot import QtBot

from app.host import Host
from tests.helpers.screen_reader import named, one_shown
from tests.unit.ui.conftest import Rest
from ui.dialogs.palette.palette import Palette
from ui.dialogs.palette.palette_lookup import PaletteLookup
from ui.dialogs.settings.settings import SettingsDialog
from ui.panes.notes.pane import NotesPane
from ui.panes.pane_commands import PANE_COMMANDS
from ui.panes.schedule.pane import SchedulePane
from ui.shell.navigation import Place
from ui.window import Window


@pytest.fixture
def titles(host: Host) -> dict[str, str]:
    """Save notes, and return their ids by title."""
    named = ("Rose list", "Garden plan", "Kite project", "Reading list 2026", "Roses for the east wall")
    ids = {title: host.ask("note.save", title=title, content=f"About: {title}").id for title in named}
    host.ask("vault.settle", names=True)
    return ids


def typed_in(palette: Palette) -> QLineEdit:
    return named(palette, QLineEdit, "Command or title")


def _titles(palette: Palette) -> list[str]:
    return [entry.title for entry in palette.entries]


def test_command_by_keyboard(window: Window, qtbot: QtBot, rest: Rest) -> None:
    window.registry.run("go.palette")
    palette = window.palette_popup
    assert palette.isVisible()
    qtbot.keyClicks(typed_in(palette), "sched")
    assert _titles(palette)[0] == "Schedule"
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_Return)
    rest(lambda: not palette.isVisible())
    assert window.panes is not None
    assert window.panes.front is not None
    assert window.panes.front.name == "schedule"


@pytest.mark.parametrize("is_built", [False, True])
def test_commands_of_other_panes_bring_them_to_the_front(
    is_built: bool, window: Window, qtbot: QtBot, rest: Rest
) -> None:
    assert window.panes is not None
    while is_built and not window.panes.is_whole("schedule"):
        window.panes.build_part("schedule")
    assert any(pane.name == "schedule" for pane in window.panes.built) is is_built
    palette = window.palette_popup
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(typed_in(palette), "new goal")
    assert _titles(palette)[0] == "New schedule"
    assert palette.entries[0].detail == "Schedule"
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_Return)
    rest(lambda: not palette.isVisible())
    front = window.panes.front
    assert isinstance(front, SchedulePane)
    assert front.editor.isVisible()


def test_every_command_is_listed_before_its_pane_is_built(window: Window, qtbot: QtBot) -> None:
    assert window.panes is not None
    assert [pane.name for pane in window.panes.built] == ["graph"]
    palette = window.palette_popup
    palette.show_commands()
    for specs in PANE_COMMANDS.values():
        for spec in specs:
            if spec.id.startswith("graph."):
                continue
            typed_in(palette).setText(str(spec.title).rstrip("…"))
            assert spec.id in [entry.key for entry in palette.entries], spec.id
    assert [pane.name for pane in window.panes.built] == ["graph"]


def test_a_command_says_what_it_lacks_in_its_pane(window: Window, qtbot: QtBot, rest: Rest) -> None:
    palette = window.palette_popup
    palette.show_commands()
    qtbot.keyClicks(typed_in(palette), "delete conversation")
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_Return)
    words = "Choose in Sessions what ‘Delete conversation’ is for. Then give the command again."
    rest(lambda: words in [toast.notice.text for toast in window.toaster.toasts])
    assert window.panes is not None
    assert window.panes.front is not None
    assert window.panes.front.name == "sessions"


def test_keys_of_a_pane_that_is_not_built_work_where_they_work_everywhere(window: Window, qtbot: QtBot) -> None:
    assert window.panes is not None
    ran: list[str] = []
    window.registry.ran.connect(ran.append)
    qtbot.keyClick(window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier)
    assert ran == ["notes.daily"]
    assert isinstance(window.panes.front, NotesPane)


def test_a_part_of_the_settings_is_found_and_opened(window: Window, qtbot: QtBot) -> None:
    palette = window.palette_popup
    palette.show_commands()
    for typed in ("encrypt", "passphrase"):
        typed_in(palette).setText(typed)
        assert (_titles(palette)[0], palette.entries[0].detail) == ("Encryption", "Settings")
    palette.entries[0].run()
    assert isinstance(window.sheets.front, SettingsDialog)
    assert window.sheets.front.findChild(QListWidget).currentItem().text() == "Encryption"


def test_a_new_note_begins_wherever_one_is(window: Window, qtbot: QtBot) -> None:
    assert window.panes is not None
    both = Qt.KeyboardModifier.ControlModifier
    for pane in ("graph", "schedule", "sessions"):
        window.go(Place(pane))
        qtbot.keyClick(window, Qt.Key.Key_N, both)
        front = window.panes.front
        assert isinstance(front, NotesPane), pane
        assert front.document.isVisible()
        assert front.document.title.hasFocus()


def test_arrows_go_round(window: Window, qtbot: QtBot) -> None:
    palette = window.palette_popup
    palette.show_commands()
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_Up)
    assert one_shown(palette, QListView).currentIndex().row() == len(palette.entries) - 1
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_Down)
    assert one_shown(palette, QListView).currentIndex().row() == 0
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_PageDown)
    assert one_shown(palette, QListView).currentIndex().row() > 1


def test_escape_closes_and_recent_command_leads_next_time(window: Window, qtbot: QtBot, rest: Rest) -> None:
    palette = window.palette_popup
    palette.show_commands()
    qtbot.keyClicks(typed_in(palette), "schedule")
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_Return)
    rest(lambda: not palette.isVisible())
    palette.show_commands()
    assert _titles(palette)[0] == "Schedule"
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_titles_come_from_the_vault(titles: dict[str, str], window: Window, qtbot: QtBot, rest: Rest) -> None:
    palette = window.palette_popup
    window.registry.run("go.jump")
    qtbot.keyClicks(typed_in(palette), "rose")
    rest(lambda: "Rose list" in _titles(palette))
    assert _titles(palette)[-2:] == ["Search everything for ‘rose’", "Create note ‘rose’"]
    with qtbot.waitSignal(palette.navigate) as went:
        palette.navigate.disconnect(window.go)
        qtbot.keyClick(typed_in(palette), Qt.Key.Key_Return)
    assert went.args == [Place("notes", titles["Rose list"])]


@pytest.mark.usefixtures("titles")
def test_exact_title_is_not_created_again(window: Window, qtbot: QtBot, rest: Rest) -> None:
    palette = window.palette_popup
    palette.show_titles()
    qtbot.keyClicks(typed_in(palette), "rose list")
    rest(lambda: "Rose list" in _titles(palette))
    assert _titles(palette)[-1] == "Search everything for ‘rose list’"


def test_enter_right_after_typing_waits_for_the_best_match(
    titles: dict[str, str], window: Window, qtbot: QtBot, rest: Rest
) -> None:
    palette = window.palette_popup
    searched: list[str] = []
    palette.search_requested.disconnect(window.commands.search)
    palette.search_requested.connect(searched.append)
    gone: list[Place] = []
    palette.navigate.disconnect(window.go)
    palette.navigate.connect(gone.append)
    palette.show_commands()
    qtbot.keyClicks(typed_in(palette), "kite project")
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_Return)
    assert palette.isVisible()
    rest(lambda: not palette.isVisible())
    assert (gone, searched) == ([Place("notes", titles["Kite project"])], [])


def test_a_row_that_was_gone_to_is_chosen_at_once(window: Window, qtbot: QtBot) -> None:
    palette = window.palette_popup
    palette.show_commands()
    qtbot.keyClicks(typed_in(palette), "zzzz")
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_Down)
    palette.note_requested.disconnect(window.commands.create_note)
    with qtbot.waitSignal(palette.note_requested, timeout=0):
        qtbot.keyClick(typed_in(palette), Qt.Key.Key_Return)


def test_enter_without_a_match_searches(window: Window, qtbot: QtBot, rest: Rest) -> None:
    palette = window.palette_popup
    palette.search_requested.disconnect(window.commands.search)
    palette.show_titles()
    qtbot.keyClicks(typed_in(palette), "zzzz")
    requested: list[str] = []
    palette.search_requested.connect(requested.append)
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_Return)
    rest(lambda: not palette.isVisible())
    assert requested == ["zzzz"]


def test_places_visited_lead_the_titles(window: Window) -> None:
    palette = window.palette_popup
    palette.remember(Place("notes", "note-9", title="Older"))
    palette.remember(Place("sessions", "ses-9", title="Newer"))
    palette.remember(Place("graph"))
    palette.show_titles()
    assert _titles(palette)[:2] == ["Newer", "Older"]


def test_leaving_the_field_closes_it(window: Window) -> None:
    window.palette_popup.show_commands()
    window.top_bar.field.setFocus()
    assert not window.palette_popup.isVisible()


@pytest.mark.usefixtures("titles")
def test_answer_that_comes_late_is_dropped(window: Window, qtbot: QtBot, rest: Rest) -> None:
    palette = window.palette_popup
    palette.show_titles()
    qtbot.keyClicks(typed_in(palette), "rose")
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_Escape)
    palette.show_commands()
    rest(lambda: palette.findChild(PaletteLookup).is_idle)
    assert "Rose list" not in _titles(palette)


def test_focus_goes_back_to_where_it_was(window: Window, qtbot: QtBot) -> None:
    window.top_bar.field.setFocus()
    window.palette_popup.show_commands()
    qtbot.keyClick(typed_in(window.palette_popup), Qt.Key.Key_Escape)
    assert window.top_bar.field.hasFocus()
