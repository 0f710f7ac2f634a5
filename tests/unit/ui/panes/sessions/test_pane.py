"""The Sessions pane at work."""

import asyncio
from datetime import timedelta
from typing import Any

from PySide6.QtCore import QDate, QPoint, Qt
from PySide6.QtGui import QAction, QFont, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QMenu, QPushButton
from pytestqt.qtbot import QtBot

from app.errors import NotFoundError
from tests.helpers.loops import RunAsync
from tests.helpers.screen_reader import is_offered, named, press, words
from tests.helpers.vault_filler import NOW, VaultFiller
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane, Settle
from ui.panes.pane import Place
from ui.panes.sessions.transcript.block_metrics import lengths
from ui.theme import Theme

LONG = [("user", f"turn {n} about {'frost' if n % 100 == 7 else 'roses'}") for n in range(1, 10_001)]


def _fill(books: VaultFiller) -> None:
    books.add_session("Garden", [("user", "Frost?"), ("assistant", "**Yes**, see [[Rose list]]")], agent="claude")
    books.add_session("Work", [("user", "SQLite")], agent="codex")


def _top(pane: Any) -> Any:
    return pane.transcript.top_seq()


def test_the_first_conversation_opens_by_itself(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    assert pane.header.title.text() == "Garden"
    assert pane.emitted.places[-1] == Place("sessions", "ses-000000")
    assert pane.current_place() == Place("sessions", "ses-000000")


def test_a_conversation_without_a_title_is_called_by_its_first_words(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    said = "**Which** [[Rose list|roses]] stand the frost of a late spring night, and which of them had better stay in?"
    books.add_session("", [("user", said)])
    pane = open_pane("sessions")
    rest(lambda: bool(pane.header.title.text()))
    called = "Which roses stand the frost of a late spring night, and…"
    assert pane.header.title.text() == called
    assert pane.current_place().title == called
    card = pane.listing.model.card_of("ses-000000")
    assert card.title == called
    assert card.text == "which of them had better stay in?"
    pane.header.edit_title()
    pane.header.title.clear()
    qtbot.keyClick(pane.header.title, Qt.Key.Key_Return)
    assert pane.header.title.text() == called
    assert not connection.requested("session.rename")


def test_the_keyboard_goes_back_to_the_list_after_renaming(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    books.add_session("Roses", [("user", "Which roses?")])
    books.add_session("Kites", [("user", "Which kites?")])
    pane = open_pane("sessions")
    rest(lambda: bool(pane.header.title.text()))
    rows, title = pane.listing.list, pane.header.title
    rows.setFocus()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Escape):
        qtbot.keyClick(rows, Qt.Key.Key_F2)
        assert title.hasFocus()
        qtbot.keyClicks(title, "Tulips")
        qtbot.keyClick(title, key)
        assert rows.hasFocus()
    qtbot.keyClick(rows, Qt.Key.Key_Delete)
    rest(lambda: bool(connection.requested("session.forget")))
    assert len(connection.requested("session.rename")) == 1


def test_a_filter_of_the_menu_is_said_over_the_list(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest, settle: Settle
) -> None:
    books.add_session("Roses", [("user", "Which roses?")])
    pane = open_pane("sessions")
    rest(lambda: bool(pane.header.title.text()))
    chip = pane.listing.filter_chip
    assert not chip.isVisible()
    next(
        one for one in pane.listing.findChildren(QAction) if one.text() == "Only those whose facts are not drawn yet"
    ).setChecked(True)
    assert chip.text == "Filtered by facts not drawn yet"
    qtbot.mouseClick(chip.cross, Qt.MouseButton.LeftButton)
    assert not pane.listing.current_filter.pending
    assert not chip.isVisible()
    settle()


def test_an_empty_vault_teaches_one_action(open_pane: OpenPane, rest: Rest, settle: Settle) -> None:
    pane = open_pane("sessions")
    settle()
    rest(lambda: is_offered(pane, "Import conversations…"))


def test_ten_thousand_turns_open_at_a_hit_and_only_its_pages_are_read(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, rest: Rest
) -> None:
    books.add_session("Long", LONG, identity="ses-long", step=timedelta(minutes=2))
    pane = open_pane("sessions")
    pane.open_place(Place("sessions", "ses-long", "5000"))
    rest(lambda: pane.transcript.current is not None and pane.transcript.current.seq == 5000)
    read = sum(one.get("limit", 0) for name, one in connection.calls if name in ("session.messages", "session.before"))
    assert read < 1000
    assert sum(block.laid_out for block in pane.transcript._blocks) < 60
    assert 4980 < _top(pane) <= 5000


def test_a_message_is_reached_though_the_list_comes_first(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, rest: Rest
) -> None:
    books.add_session("Long", LONG[:1000], identity="ses-long")
    connection.hold("session.get")
    pane = open_pane("sessions")
    pane.open_place(Place("sessions", "ses-long", "500"))
    rest(lambda: pane.listing.model.row_of("ses-long") >= 0)
    connection.release("session.get")
    rest(lambda: pane.pager.find(500) >= 0)


def test_it_reads_on_where_one_scrolls(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], rest: Rest
) -> None:
    books.add_session("Long", LONG[:1000], identity="ses-long")
    pane = open_pane("sessions")
    pane.open_place(Place("sessions", "ses-long", "500"))
    rest(lambda: pane.pager.find(500) >= 0)
    bar = pane.transcript.verticalScrollBar()

    async def story() -> None:
        while _top(pane) > 300:
            before = _top(pane)
            bar.setValue(bar.value() - 700)
            await asyncio.sleep(0.01)
            assert _top(pane) <= before
            assert before - _top(pane) < 40

    run_async(story())
    got = [message.seq for message in pane.pager.messages]
    assert got == list(range(got[0], got[-1] + 1))


def test_dragging_far_begins_anew_there(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    books.add_session("Long", LONG, identity="ses-long")
    pane = open_pane("sessions")
    pane.open_place(Place("sessions", "ses-long"))
    rest(lambda: pane.pager.find(10_000) >= 0)
    bar = pane.transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    pane.grab()
    rest(lambda: pane.pager.messages[0].seq < 6000)
    assert 3500 < _top(pane) < 6500


def test_home_and_end_mean_the_whole_conversation(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    books.add_session("Long", LONG[:2000], identity="ses-long")
    pane = open_pane("sessions")
    rest(lambda: pane.pager.find(2000) >= 0)
    qtbot.keyClick(pane.transcript, Qt.Key.Key_Home)
    rest(lambda: pane.pager.find(1) >= 0 and _top(pane) == 1)
    qtbot.keyClick(pane.transcript, Qt.Key.Key_End)
    rest(lambda: pane.pager.find(2000) >= 0)


def test_finding_counts_marks_and_goes_round(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    books.add_session("Long", LONG[:1000], identity="ses-long")
    pane = open_pane("sessions")
    rest(lambda: pane.pager.find(1000) >= 0)
    pane.registry.run("sessions.find")
    pane.find_bar.box.setText("frost")
    rest(lambda: words(pane.find_bar).endswith("of 10"))
    rest(lambda: pane.transcript.current is not None)
    at = pane.transcript.current.seq
    pane.find_bar.go_next()
    rest(lambda: pane.transcript.current is not None and pane.transcript.current.seq != at)
    block = pane.transcript._blocks[pane.pager.find(pane.transcript.current.seq)]
    assert any(part.matches for part in block.parts)
    pane.find_bar.close_bar()
    assert not any(part.matches for block in pane.transcript._blocks for part in block.parts)


def test_the_calendar_opens_at_the_days_of_the_conversation(
    books: VaultFiller, open_pane: OpenPane, rest: Rest, settle: Settle
) -> None:
    began = NOW - timedelta(days=40)
    books.add_session("Garden", [("user", "a"), ("user", "b"), ("user", "c")], at=began, step=timedelta(days=3))
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 3)
    press(pane.header, "Go to a date")
    settle()
    calendar = pane.header.dates.calendar
    days = [QDate((began + timedelta(days=step)).astimezone().date()) for step in (0, 3, 6)]
    assert (calendar.minimumDate(), calendar.selectedDate()) == (days[0], days[2])
    bold = QFont.Weight.Bold.value
    shown = [day for day in days if day.month() == calendar.monthShown()]
    assert shown
    assert all(calendar.dateTextFormat(day).fontWeight() == bold for day in shown)
    assert calendar.dateTextFormat(days[2].addDays(-1)).fontWeight() != bold
    pane.header.dates.close()


def test_going_to_a_date(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    books.add_session("Long", LONG[:1000], identity="ses-long", at=NOW - timedelta(days=900), step=timedelta(days=1))
    pane = open_pane("sessions")
    rest(lambda: pane.pager.find(1000) >= 0)
    day = (NOW - timedelta(days=500)).date()
    pane.header.date_requested.emit(QDate(day.year, day.month, day.day))
    rest(lambda: pane.transcript.current is not None and 398 <= pane.transcript.current.seq <= 401)


def test_an_agent_s_turn_appears_at_the_end(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    turn = {"role": "assistant", "content": "one more"}
    books.host.ask("session.append", messages=[turn], session="ses-000000")
    rest(lambda: len(pane.pager.messages) == 3)
    rest(lambda: pane.listing.model.value("ses-000000").message_count == 3)


def test_renaming_keeps_a_way_back(books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    qtbot.keyClick(pane.listing.list, Qt.Key.Key_F2)
    pane.header.title.setText("Roses")
    qtbot.keyClick(pane.header.title, Qt.Key.Key_Return)
    rest(lambda: books.session("ses-000000").title == "Roses")
    rest(lambda: bool(pane.emitted.notices))
    books.host.ask("memory.undo", history_ids=list(pane.emitted.notices[-1].history_ids))
    assert books.session("ses-000000").title == "Garden"


def test_deleting_moves_on_and_can_be_undone(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    pane.listing.list.delete_requested.emit(["ses-000000"])
    rest(lambda: pane.header.title.text() == "Work")
    assert [session.title for session in books.sessions()] == ["Work"]
    rest(lambda: bool(pane.emitted.notices))
    books.host.ask("memory.undo", history_ids=list(pane.emitted.notices[-1].history_ids))
    assert len(books.sessions()) == 2
    assert pane.emitted.notices[-1].text == "Deleted ‘Garden’"


def test_a_conversation_with_oneself_exists_from_its_first_word(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    _fill(books)
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    pane.registry.run("sessions.new")
    assert len(books.sessions()) == 2
    pane.composer.field.setPlainText("Buy soil\nand roses")
    qtbot.keyClick(pane.composer.field, Qt.Key.Key_Return)
    rest(lambda: len(books.sessions()) == 3 and len(pane.pager.messages) == 1)
    assert books.sessions()[0].title == "Buy soil"
    assert pane.composer.field.toPlainText() == ""
    assert pane.composer.isVisible()


def test_a_failed_message_stays_typed(
    connection: WatchedConnection, open_pane: OpenPane, rest: Rest, settle: Settle
) -> None:
    pane = open_pane("sessions")
    settle()
    pane.new_session()
    connection.refused["session.append"] = NotFoundError("Gone.")
    pane.composer.field.setPlainText("precious")
    pane.composer.send()
    rest(lambda: bool(pane.emitted.notices))
    assert pane.composer.field.toPlainText() == "precious"
    assert named(pane.composer, QPushButton, "Add").isEnabled()


def test_links_lead_on(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    rose = books.add_note("Rose list", "x")
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    pane.transcript.wiki_clicked.emit("Rose list")
    rest(lambda: pane.emitted.places[-1] == Place("notes", rose))
    pane.transcript.tag_clicked.emit("garden")
    assert pane.emitted.places[-1] == Place("search", extra="tag:garden")
    pane.transcript.wiki_clicked.emit("Nobody")
    rest(lambda: bool(pane.emitted.notices))


def test_tool_answers_fold_and_unfold(books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest) -> None:
    books.add_session("Tools", [("user", "weather?"), ("tool", "frost\n" * 50)])
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    block = pane.transcript._blocks[1]
    before = block.height
    pane.transcript._select_current(2)
    qtbot.keyClick(pane.transcript, Qt.Key.Key_Return)
    assert block.height > before + 200
    qtbot.keyClick(pane.transcript, Qt.Key.Key_Return)
    assert block.height == before


def test_the_menu_of_rows(
    books: VaultFiller, connection: WatchedConnection, open_pane: OpenPane, rest: Rest, settle: Settle
) -> None:
    _fill(books)
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    names = []
    for ids in (["ses-000000"], ["ses-000000", "ses-000001"]):
        pane.listing.list.menu_requested.emit(ids, QPoint(5, 5))
        menu = next(one for one in pane.findChildren(QMenu) if one.isVisible())
        actions = {action.text(): action for action in menu.actions() if not action.isSeparator()}
        menu.close()
        names.append(list(actions))
    assert [entries[0] for entries in names] == ["Copy link", "Draw facts from 2 conversations now"]
    assert names[0][1:] == [
        "Draw facts from it now",
        "Summarise older messages now",
        "Condense all but the latest messages",
        "Export as Markdown…",
        "Export as JSONL…",
        "Rename",
        "Delete",
        "Erase for ever…",
    ]
    assert names[1][1:] == ["Delete 2 conversations", "Erase for ever…"]
    actions["Delete 2 conversations"].trigger()
    settle()
    assert connection.requested("session.forget_many") == [{"sessions": ["ses-000000", "ses-000001"]}]


def test_what_turns_are_made_of_grows_with_the_text(
    books: VaultFiller, open_pane: OpenPane, look: Theme, rest: Rest
) -> None:
    books.add_session("Tools", [("user", "weather?"), ("tool", "frost")])
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    rows = {}
    for scale in (1.0, 2.0, 1.0):
        look.set_scale(scale)
        pane.grab()
        fold = pane.transcript._blocks[1].parts[0]
        rows[scale] = (fold.height, lengths().icon, lengths().face)
        assert QFontMetrics(look.font("small")).height() < fold.height
    assert rows == {1.0: (30, 13, 28), 2.0: (60, 26, 40)}


def test_a_menu_copies_a_message(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    pane.transcript.menu_requested.emit(pane.pager.messages[1], pane.mapToGlobal(pane.rect().center()))
    menu = next(one for one in pane.findChildren(QMenu) if one.isVisible())
    actions = {action.text(): action for action in menu.actions()}
    actions["Copy message"].trigger()
    assert QGuiApplication.clipboard().text() == "**Yes**, see [[Rose list]]"
    actions["Copy link to message"].trigger()
    assert QGuiApplication.clipboard().text() == "keepsake://session/ses-000000#2"
    menu.close()


def test_widths_order_and_the_open_one_come_back(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    pane.open_place(Place("sessions", "ses-000001"))
    rest(lambda: pane.header.title.text() == "Work")
    again = open_pane("sessions", pane.save_state())
    rest(lambda: again.header.title.text() == "Work")
    assert again.listing.list.current_id() == "ses-000001"


def test_filters_ask_the_engine(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    pane.listing.filter.setText("work")
    rest(lambda: list(pane.listing.model.ids) == ["ses-000001"])
    pane.listing.filter.setText("nothing at all")
    rest(lambda: not pane.listing.model.ids)
    assert pane.listing.isVisible()
    pane.listing.filter.clear()
    rest(lambda: len(pane.listing.model.ids) == 2)


def test_a_pane_in_the_back_refreshes_when_it_comes_forward(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], rest: Rest, settle: Settle
) -> None:
    _fill(books)
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    settle()
    pane.hide()
    books.host.ask("session.append", messages=[{"role": "user", "content": "x"}], title="Third")
    settle()
    assert len(pane.listing.model.ids) == 2
    pane.show()
    pane.shown()
    rest(lambda: len(pane.listing.model.ids) == 3)


def _marked(pane: Any) -> list[str]:
    return [
        cursor.selectedText() for block in pane.transcript._blocks for part in block.parts for cursor in part.matches
    ]


def test_a_hit_opens_with_its_words_marked_and_n_goes_on(
    books: VaultFiller, open_pane: OpenPane, qtbot: QtBot, rest: Rest
) -> None:
    turns = [("user", f"ta {n}" if n % 50 == 10 else f"tard {n}") for n in range(1, 201)]
    books.add_session("Long", turns, identity="ses-long")
    pane = open_pane("sessions")
    pane.open_place(Place("sessions", "ses-long", "60", words=("ta",)))
    rest(lambda: bool(_marked(pane)) and not pane.bridge.is_busy)
    assert set(_marked(pane)) == {"ta"}
    assert pane.transcript.hasFocus()
    qtbot.keyClick(pane.transcript, Qt.Key.Key_N)
    assert pane.transcript.current.seq == 110
    qtbot.keyClick(pane.transcript, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert pane.transcript.current.seq == 60
    assert pane.find_bar.isHidden()


def test_a_hit_of_the_open_conversation_is_marked_too(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("sessions")
    rest(lambda: len(pane.pager.messages) == 2)
    pane.open_place(Place("sessions", "ses-000000", "1", words=("frost",)))
    rest(lambda: _marked(pane) == ["Frost"])
    assert pane.transcript.hasFocus()
    pane.open_place(Place("sessions", "ses-000001"))
    rest(lambda: len(pane.pager.messages) == 1)
    assert _marked(pane) == []


def test_finding_takes_the_place_of_marked_words(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    _fill(books)
    pane = open_pane("sessions")
    pane.open_place(Place("sessions", "ses-000000", "1", words=("frost",)))
    rest(lambda: _marked(pane) == ["Frost"])
    pane.find_bar.open_bar("es")
    pane.find_bar.box.search_now()
    rest(lambda: _marked(pane) == ["es"])
    pane.find_bar.close_bar()
    assert _marked(pane) == []
