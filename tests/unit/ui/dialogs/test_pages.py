"""Help, shortcuts and about."""

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QListWidget, QTextBrowser
from pytestqt.qtbot import QtBot

from app.exchange.model import ImportReport
from app.host import Host
from app.memories.foreign_record import Problem
from tests.helpers.screen_reader import named, press, words
from tests.unit.ui.conftest import Rest
from ui.actions import Action, Actions
from ui.bridge import Bridge
from ui.dialogs.about import AboutDialog
from ui.dialogs.exchange.import_report import format_name, problem_lines, report_text
from ui.dialogs.help import HelpDialog
from ui.dialogs.shortcuts import ShortcutsDialog
from ui.theme import Scheme, Theme


def page_of(pages: HelpDialog) -> QTextBrowser:
    return named(pages, QTextBrowser, "Help page")


def test_help_lists_pages_by_their_headings_and_follows_links(qtbot: QtBot, look: Theme, tmp_path: Path) -> None:
    (tmp_path / "01-start.md").write_text("# First steps\n\nSee [search](02-search.md).", "utf-8")
    (tmp_path / "02-search.md").write_text("no heading", "utf-8")
    pages = HelpDialog(folder=tmp_path)
    qtbot.addWidget(pages)
    assert [pages.findChild(QListWidget).item(row).text() for row in range(2)] == ["First steps", "02 search"]
    assert "First steps" in page_of(pages).toPlainText()
    page_of(pages).anchorClicked.emit(QUrl("02-search.md"))
    assert page_of(pages).toPlainText() == "no heading"
    with qtbot.waitSignal(pages.place_requested) as requested:
        page_of(pages).anchorClicked.emit(QUrl("keepsake://memory/note-1"))
    assert requested.args == ["keepsake://memory/note-1"]
    assert not pages.open_page("none")


def test_help_without_pages_says_so(qtbot: QtBot, look: Theme, tmp_path: Path) -> None:
    pages = HelpDialog(folder=tmp_path)
    qtbot.addWidget(pages)
    assert "missing" in page_of(pages).toPlainText()


def test_shortcuts_come_from_the_registry(qtbot: QtBot, bridge: Bridge) -> None:
    actions = Actions()
    actions.register(
        Action("file.import", "Import…", dir, shortcut="Ctrl+I", group="file"),
        Action("notes.new", "New note", dir, shortcut="Ctrl+N", group="notes"),
    )
    page = ShortcutsDialog(bridge, actions)
    qtbot.addWidget(page)
    page.bring_to_front()
    assert page.editor.tree.topLevelItemCount() == 2
    qtbot.keyClicks(page.editor.search, "ctrl+n")
    assert page.editor.tree.topLevelItemCount() == 1
    assert page.editor.tree.topLevelItem(0).child(0).text(0) == "New note"
    page.hide()


def test_about_copies_facts_and_no_content(qtbot: QtBot, bridge: Bridge, host: Host, rest: Rest) -> None:
    host.ask("note.save", title="Rose list", content="Red ones.")
    about = AboutDialog(bridge)
    qtbot.addWidget(about)
    about.bring_to_front()
    rest(lambda: "memories: 1\n" in words(about))
    press(about, "Copy debug information")
    text = QGuiApplication.clipboard().text()
    assert "Qt 6." in text
    assert "Rose" not in text
    about.hide()


def test_about_works_when_the_vault_does_not(qtbot: QtBot, bridge: Bridge, host: Host, rest: Rest) -> None:
    host.stop()
    about = AboutDialog(bridge)
    qtbot.addWidget(about)
    about.bring_to_front()
    rest(lambda: "The vault is closed." in words(about))
    about.hide()


def test_report_in_words() -> None:
    problems = (
        Problem('conversations.json, conversation 3 ("Trip"), message 7', "The message has no text."),
        Problem("conversations.json, conversation 41", "Its date is in the year 1970.", lost=False),
    )
    report = ImportReport("/a.zip", "chatgpt", 312, 9041, 0, 12, 0, problems, 2, seconds=14.2)
    title, text = report_text(report)
    assert title == "Imported"
    assert text.startswith("312 conversations · 9,041 messages · in 14 s\n12 were there already")
    assert problem_lines(report)[1].endswith("(repaired)")
    assert format_name("chatgpt") == "ChatGPT export"
    assert format_name("other") == "other"


def test_tables_of_help_are_drawn_with_hairlines(qtbot: QtBot, look: Theme, tmp_path: Path) -> None:
    (tmp_path / "01-start.md").write_text("# First\n\n| a | b |\n|---|---|\n| c | d |\n", "utf-8")
    pages = HelpDialog(folder=tmp_path)
    qtbot.addWidget(pages)
    for scheme in (Scheme.LIGHT, Scheme.DARK):
        look.set_scheme(scheme)
        [table] = page_of(pages).document().rootFrame().childFrames()
        assert table.format().toTableFormat().borderBrush().color() == look.colour("line")
