"""The palette over a real vault: every note, conversation, tag and name is found by keyboard."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListView
from pytestqt.qtbot import QtBot

from app.host import Host
from app.store.store import DATABASE
from tests.helpers.screen_reader import one_shown
from tests.unit.ui.conftest import Rest
from tests.unit.ui.dialogs.palette.test_palette import typed_in
from ui import theme
from ui.actions import Actions
from ui.bridge import Bridge
from ui.dialogs.palette.palette import Palette
from ui.dialogs.palette.palette_lookup import PaletteLookup
from ui.process.error_reporter import ErrorReporter
from ui.shell.navigation import Place
from ui.window import Window
from ui.window_state import WindowState


@pytest.fixture
def palette(
    qtbot: QtBot, host: Host, bridge: Bridge, look: theme.Theme, tmp_path: Path, rest: Rest
) -> Iterator[Palette]:
    """Return the palette of a window on a real host."""
    state = WindowState(tmp_path)
    state.keep("window/pane", "graph")
    window = Window(Actions(), state, ErrorReporter())
    qtbot.addWidget(window)
    window.resize(1200, 800)
    window.show()
    window.attach(bridge)
    rest(lambda: "session" in window.status_line.text)
    made = window.palette_popup
    made.navigate.disconnect(window.go)
    yield made
    window.shut_down()
    rest(lambda: not bridge.is_busy)


def _type(palette: Palette, qtbot: QtBot, rest: Rest, text: str) -> list[str]:
    """Open the palette with Ctrl+K, type, wait for the vault's answer and return the titles."""
    palette.show_commands()
    qtbot.keyClicks(typed_in(palette), text)
    rest(lambda: palette.findChild(PaletteLookup).is_idle)
    return [entry.title for entry in palette.entries]


def _enter(palette: Palette, qtbot: QtBot) -> object:
    with qtbot.waitSignal(palette.navigate) as went:
        qtbot.keyClick(typed_in(palette), Qt.Key.Key_Return)
    return went.args[0] if went.args else None


def test_an_old_note_is_found_among_many_with_its_word_in_the_text(
    palette: Palette, host: Host, qtbot: QtBot, rest: Rest
) -> None:
    old = host.ask("note.save", title="The east wall", content="Roses.")
    for number in range(60):
        host.ask("note.save", title=f"Day {number}", content="wall to wall")
    assert _type(palette, qtbot, rest, "wall")[0] == "The east wall"
    assert _enter(palette, qtbot) == Place("notes", old.id)


def test_untitled_conversations_go_by_their_first_words(palette: Palette, host: Host, qtbot: QtBot, rest: Rest) -> None:
    host.ask("session.append", messages=[{"role": "user", "content": "Which **roses** like shade?"}], session="ses-1")
    assert _type(palette, qtbot, rest, "roses")[0] == "Which roses like shade?"
    assert _enter(palette, qtbot) == Place("sessions", "ses-1")


def test_a_tag_leads_to_a_search(palette: Palette, host: Host, qtbot: QtBot, rest: Rest) -> None:
    host.ask("note.save", title="Rose list", content="Buy two #garden/roses")
    assert "#garden" in _type(palette, qtbot, rest, "#gard")
    assert _enter(palette, qtbot) == Place("search", extra="tag:garden")


def test_a_known_name_leads_to_a_search(palette: Palette, host: Host, qtbot: QtBot, rest: Rest) -> None:
    host.ask("note.save", title="Contacts", content="Write to Dr. Ines Duarte about the wall.")
    rest(lambda: bool(host.ask("entity.list")))
    assert _type(palette, qtbot, rest, "ines du")[0] == "Ines Duarte"
    assert palette.entries[0].detail == "Person"
    assert _enter(palette, qtbot) == Place("search", extra='entity:"Ines Duarte"')


def test_a_typo_is_forgiven_in_notes_conversations_and_names(
    palette: Palette, host: Host, qtbot: QtBot, rest: Rest
) -> None:
    for title in ("Lunch with Brennan", "Bremen", "Greenhouse"):
        host.ask("note.save", title=title, content="")
    host.ask("session.append", messages=[{"role": "user", "content": "Ask Brennan about it"}], session="ses-1")
    host.ask("note.save", title="Contacts", content="Write to Dr. Aoife Brennan about the wall.")
    rest(lambda: bool(host.ask("entity.list")))
    for typed in ("brenan", "brennann", "bernnan", "brenn"):
        found = _type(palette, qtbot, rest, typed)
        assert {"Lunch with Brennan", "Ask Brennan about it"} <= set(found), typed
    assert _type(palette, qtbot, rest, "lunch brenan")[0] == "Lunch with Brennan"
    assert "Aoife Brennan" in _type(palette, qtbot, rest, "aoife brenan")
    assert _type(palette, qtbot, rest, "grenhouse")[0] == "Greenhouse"


def test_facts_and_observations_are_found_and_called_so(palette: Palette, host: Host, qtbot: QtBot, rest: Rest) -> None:
    host.ask("note.save", title="Wall", content="Endoscope of the garden")
    fact = host.ask("fact.remember", content="Bram lent the endoscope until Friday").memory
    assert _type(palette, qtbot, rest, "endoscope")[0] == "Bram lent the endoscope until Friday"
    assert palette.entries[0].detail == "Fact"
    assert _enter(palette, qtbot) == Place("notes", fact.id)
    palette.remember(Place("notes", fact.id, title="Bram lent the endoscope", kind="fact"))
    palette.show_commands()
    assert ("Bram lent the endoscope", "Fact") in [(entry.title, entry.detail) for entry in palette.entries]


def test_what_was_opened_lately_leads(palette: Palette, host: Host, qtbot: QtBot, rest: Rest) -> None:
    for title in ("Soil north", "Soil south"):
        host.ask("note.save", title=title, content="")
    south = host.ask("note.titles", prefix="Soil south")[0]
    palette.remember(Place("notes", south.memory_id, title="Soil south"))
    assert _type(palette, qtbot, rest, "soil")[:2] == ["Soil south", "Soil north"]


def test_only_the_newest_text_is_answered(palette: Palette, host: Host, qtbot: QtBot, rest: Rest) -> None:
    host.ask("note.save", title="Rose list", content="")
    host.ask("note.save", title="Kite plan", content="")
    palette.show_commands()
    qtbot.keyClicks(typed_in(palette), "rose")
    palette.findChild(PaletteLookup)._start()
    typed_in(palette).setText("kite")
    answers: list[set[str]] = []
    palette.findChild(PaletteLookup).found.connect(lambda targets: answers.append({target.title for target in targets}))
    rest(lambda: palette.findChild(PaletteLookup).is_idle)
    assert answers == [{"Kite plan"}]


def test_the_chosen_row_stays_when_answers_come(palette: Palette, host: Host, qtbot: QtBot, rest: Rest) -> None:
    host.ask("note.save", title="Import of roses", content="")
    palette.show_commands()
    qtbot.keyClicks(typed_in(palette), "import")
    qtbot.keyClick(typed_in(palette), Qt.Key.Key_Down)
    chosen = one_shown(palette, QListView).currentIndex().data()
    rest(lambda: palette.findChild(PaletteLookup).is_idle)
    assert "Import of roses" in [entry.title for entry in palette.entries]
    assert one_shown(palette, QListView).currentIndex().data() == chosen


def test_the_palette_does_not_offer_itself(palette: Palette, qtbot: QtBot, rest: Rest) -> None:
    titles = _type(palette, qtbot, rest, "palette")
    assert "Command palette" not in titles
    assert {"Theme: dark", "Theme: light"} <= set(_type(palette, qtbot, rest, "theme"))


def test_twenty_thousand_notes(palette: Palette, host: Host, vault: Path, qtbot: QtBot, rest: Rest) -> None:
    host.ask("note.save", title="The greenhouse keeper", content="")
    _copy_notes(vault / DATABASE, 20_000)
    assert _type(palette, qtbot, rest, "keeper")[0] == "The greenhouse keeper"
    assert _type(palette, qtbot, rest, "day 19999")[0] == "Day 19999 of the garden"
    assert _type(palette, qtbot, rest, "kepeer")[0] == "The greenhouse keeper"


def _copy_notes(database: Path, count: int) -> None:
    """Copy the one note of a vault ``count`` times, each with its own id and title."""
    connection = apsw.Connection(str(database))
    connection.set_busy_timeout(10_000)
    # The whole transaction waits for the host's writers; one that begins with a read could not wait any more.
    connection.transaction_mode = "IMMEDIATE"
    with connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(memories)") if not row[5]]
        values = {"id": "'note-' || n", "title": "'Day ' || n || ' of the garden'"}
        values["title_key"] = "lower('Day ' || n || ' of the garden')"
        chosen = [values.get(column, column) for column in columns]
        connection.execute(
            "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)"
            f" INSERT INTO memories ({', '.join(columns)}) SELECT {', '.join(chosen)} FROM memories, numbers",
            (count,),
        )
    connection.close()
