"""Help, shortcuts and about."""

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.errors import MachineError
from tests.unit.ui.conftest import Rest
from tests.unit.ui.fake_backend import FakeBackend
from ui.actions import Action, Actions
from ui.bridge import Bridge
from ui.dialogs.about import AboutDialog
from ui.dialogs.help import HelpDialog
from ui.dialogs.import_report import format_name, problem_lines, report_text
from ui.dialogs.shortcuts import ShortcutsDialog
from ui.theme import Scheme, Theme


def test_help_lists_pages_by_their_headings_and_follows_links(qtbot: QtBot, look: Theme, tmp_path: Path) -> None:
    (tmp_path / "01-start.md").write_text("# First steps\n\nSee [search](02-search.md).", "utf-8")
    (tmp_path / "02-search.md").write_text("no heading", "utf-8")
    pages = HelpDialog(folder=tmp_path)
    qtbot.addWidget(pages)
    assert [pages._list.item(row).text() for row in range(2)] == ["First steps", "02 search"]
    assert "First steps" in pages._page.toPlainText()
    pages._on_anchor_clicked(QUrl("02-search.md"))
    assert pages._page.toPlainText() == "no heading"
    with qtbot.waitSignal(pages.place_requested) as requested:
        pages._on_anchor_clicked(QUrl("keepsake://memory/note-1"))
    assert requested.args == ["keepsake://memory/note-1"]
    assert not pages.open_page("none")


def test_help_without_pages_says_so(qtbot: QtBot, look: Theme, tmp_path: Path) -> None:
    pages = HelpDialog(folder=tmp_path)
    qtbot.addWidget(pages)
    assert "missing" in pages._page.toPlainText()


def test_shortcuts_come_from_the_registry(qtbot: QtBot, fake_bridge: Bridge) -> None:
    actions = Actions()
    actions.register(
        Action("file.import", "Import…", dir, shortcut="Ctrl+I", group="file"),
        Action("notes.new", "New note", dir, shortcut="Ctrl+N", group="notes"),
    )
    page = ShortcutsDialog(fake_bridge, actions)
    qtbot.addWidget(page)
    page.bring_to_front()
    assert page.editor.tree.topLevelItemCount() == 2
    qtbot.keyClicks(page.editor.search, "ctrl+n")
    assert page.editor.tree.topLevelItemCount() == 1
    assert page.editor.tree.topLevelItem(0).child(0).text(0) == "New note"
    page.hide()


def test_about_copies_facts_and_no_content(qtbot: QtBot, fake_bridge: Bridge, backend: FakeBackend, rest: Rest) -> None:
    about = AboutDialog(fake_bridge)
    qtbot.addWidget(about)
    about.bring_to_front()
    rest(lambda: "memories: 41208" in about._debug.toPlainText())
    about._on_copy_clicked()
    text = QGuiApplication.clipboard().text()
    assert "Qt 6." in text
    assert "Rose" not in text
    about.hide()


def test_about_works_when_the_vault_does_not(
    qtbot: QtBot, fake_bridge: Bridge, backend: FakeBackend, rest: Rest
) -> None:
    backend.refuse["vault.status"] = MachineError("The vault is closed.")
    about = AboutDialog(fake_bridge)
    qtbot.addWidget(about)
    about.bring_to_front()
    rest(lambda: "The vault is closed." in about._debug.toPlainText())
    about.hide()


def test_report_in_words(backend: FakeBackend) -> None:
    report = backend.exchange_import("/a.zip")
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
        [table] = pages._page.document().rootFrame().childFrames()
        assert table.format().toTableFormat().borderBrush().color() == look.colour("line")
