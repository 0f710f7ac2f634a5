"""Attachments, tasks, links, outline and renaming on the page, over a real vault."""

import asyncio
import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, QMimeData, QObject, Qt, QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QMessageBox

from app.host import Host
from tests.helpers.screen_reader import words
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.test_every_pane import _nameless
from ui.actions import Actions
from ui.bridge import Bridge
from ui.notice import Notice
from ui.panes.notes.pane import NotesPane
from ui.panes.pane import Place
from ui.widgets.text.markdown_editor import MarkdownEditor

PLAN = """---
area: "[[Soil]]"
---
# Plan

- [ ] Prune
- [x] Weed
> 1. [ ] Sow

## Beds

See [soil](Soil.md) and [gone](Gone.md), [papers](attachments/papers.pdf).
"""
IMAGE = QTextDocument.ResourceType.ImageResource.value


@pytest.fixture
def notices() -> list[Notice]:
    """Return what collects the notices of the pane."""
    return []


@pytest.fixture
def pane(qtbot: Any, host: Host, bridge: Bridge, look: object, rest: Rest, notices: list[Notice]) -> Iterator[Any]:
    """Return the pane with the plan open, beside a note that it links to."""
    host.ask("note.save", title="Soil", content="Back to [[Plan]].")
    plan = host.ask("note.save", content=PLAN)
    actions = Actions()
    pane = NotesPane(bridge, actions)
    actions.setParent(pane)
    actions.register(*pane.commands())
    actions.set_pane("notes")
    pane.notice.connect(notices.append)
    pane.navigate.connect(pane.open_place)
    bridge.changed.connect(pane.refresh)
    qtbot.addWidget(pane)
    pane.resize(1500, 900)
    pane.show()
    pane.shown()
    pane.open_place(Place("notes", plan.id))
    rest(lambda: pane.controller.memory is not None and pane.controller.memory.id == plan.id)
    pane.document.set_mode("split")
    rest(lambda: bool(pane.editing.outline.headings) and not bridge.is_busy)
    yield pane
    rest(lambda: not bridge.is_busy)


def stored(host: Host, pane: Any) -> str:
    text: str = host.ask("note.get", id=pane.controller.memory.id).content
    return text


def opened(pane: Any, title: str) -> bool:
    return pane.controller.memory is not None and pane.controller.memory.title == title


def picture(path: Path, width: int = 60) -> Path:
    image = QImage(width, 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.darkGreen)
    image.save(str(path))
    return path


# --- attachments ---


def test_bad_files_are_refused_in_words_and_write_nothing(
    pane: Any, host: Host, rest: Rest, notices: list[Notice], tmp_path: Path
) -> None:
    (tmp_path / "run.exe").write_bytes(b"MZ")
    (tmp_path / "broken.png").write_bytes(b"nothing")
    (tmp_path / "empty.pdf").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    names = ("run.exe", "broken.png", "empty.pdf", "folder", "gone.png")
    pane.editing.attachments.attach([str(tmp_path / name) for name in names])
    rest(lambda: len(notices) == len(names))
    assert all(notice.kind == "error" and name in notice.text for notice, name in zip(notices, names, strict=True))
    pane.editing.attachments.attach(["x"] * 50)
    assert "too many" in notices[-1].text
    assert pane.document.editor.source() == PLAN
    assert host.ask("attachment.list") == []


def test_a_dropped_picture_is_kept_linked_and_shown(pane: Any, host: Host, rest: Rest, tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(picture(tmp_path / "My rose.png", 3000)))])
    editor = pane.document.editor
    assert editor.canInsertFromMimeData(data)
    editor.go_to_line(10)
    editor.insertFromMimeData(data)
    rest(lambda: "![My-rose](attachments/My-rose.png)" in editor.source())
    address = QUrl("picture:My-rose.png")
    rest(lambda: pane.document.preview.page.document().resource(IMAGE, address) is not None)
    assert 'width="' in pane.document.preview._shown
    rest(lambda: "My-rose.png" in stored(host, pane))
    editor.undo()
    assert editor.source() == PLAN


def test_a_pasted_picture_becomes_a_file(pane: Any, host: Host, rest: Rest) -> None:
    data = QMimeData()
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(0)
    data.setImageData(image)
    pane.document.editor.insertFromMimeData(data)
    rest(lambda: "](attachments/picture-" in pane.document.editor.source())
    (kept,) = host.ask("attachment.list")
    assert (kept.kind, QImage(kept.path).size().toTuple()) == ("picture", (30, 20))


def test_text_with_a_picture_of_it_is_pasted_as_text(pane: Any, host: Host) -> None:
    data = QMimeData()
    data.setText("cells")
    data.setImageData(QImage(3, 3, QImage.Format.Format_RGB32))
    pane.document.editor.insertFromMimeData(data)
    assert "cells" in pane.document.editor.source()
    assert host.ask("attachment.list") == []


def test_a_link_is_not_written_into_another_note(
    pane: Any, host: Host, rest: Rest, notices: list[Notice], tmp_path: Path
) -> None:
    pane.editing.attachments.attach([str(picture(tmp_path / "rose.png"))])
    pane.controller.begin()
    rest(lambda: bool(notices))
    assert "Another note was opened" in notices[-1].text
    assert pane.document.editor.source() == ""


def test_pictures_that_cannot_be_shown_say_why(pane: Any, host: Host, vault: Path, rest: Rest, tmp_path: Path) -> None:
    host.ask("attachment.add", path=str(picture(tmp_path / "a.png")))
    folder = vault / "attachments"
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "out.png").symlink_to(tmp_path / "a.png")
    lines = [f"![{name}](attachments/{name}.png)" for name in ("broken", "out", "gone")]
    lines.append("![web](https://example.org/x.png) ![file](file:///etc/hostname) ![up](../x.png)")
    pane.document.editor.set_source("\n\n".join(lines))
    pane.document.editor.edited.emit()
    page = pane.document.preview.page

    def is_said() -> bool:
        text = page.toPlainText()
        return "damaged" in text and "leads out" in text and "no such file" in text

    rest(is_said)
    assert "<img" not in pane.document.preview._shown
    assert "web: not shown" in page.toPlainText()
    (folder / "gone.png").unlink(missing_ok=True)
    host.ask("attachment.add", name="gone.png", data=base64.b64encode((tmp_path / "a.png").read_bytes()).decode())
    rest(lambda: "picture:gone.png" in pane.document.preview._shown)


def test_opening_an_attachment_asks_first(pane: Any, host: Host, rest: Rest, notices: list[Notice]) -> None:
    pane.document.preview.attachment_clicked.emit("attachments/papers.pdf")
    rest(lambda: bool(notices))
    assert "papers.pdf" in notices[-1].text
    host.ask("attachment.add", name="papers.pdf", data="JVBERi0xLjQ=")
    pane.document.preview.page.anchorClicked.emit(QUrl("attachments/papers.pdf"))
    rest(lambda: bool(pane.findChildren(QMessageBox)))
    pane.findChildren(QMessageBox)[0].reject()


# --- tasks ---


@pytest.mark.parametrize(
    ("line", "before", "after"),
    [(5, "- [ ] Prune", "- [x] Prune"), (6, "- [x] Weed", "- [ ] Weed"), (7, "[ ] S", "[x] S")],
)
def test_a_tick_changes_one_letter_and_can_be_undone(
    pane: Any, host: Host, rest: Rest, line: int, before: str, after: str
) -> None:
    pane.document.preview.page.anchorClicked.emit(QUrl(f"task:{line}"))
    assert pane.document.editor.source() == PLAN.replace(before, after)
    rest(lambda: stored(host, pane) == PLAN.replace(before, after))
    pane.document.editor.undo()
    assert pane.document.editor.source() == PLAN


@pytest.mark.parametrize("line", [0, 3, 4, 999, 2**31])
def test_ticking_what_is_no_task_changes_nothing(pane: Any, line: int) -> None:
    pane.document.preview.page.anchorClicked.emit(QUrl(f"task:{line}"))
    assert pane.document.editor.source() == PLAN


def test_tasks_of_a_deleted_note_stay(pane: Any, host: Host, rest: Rest) -> None:
    host.ask("note.delete", id=pane.controller.memory.id)
    rest(lambda: pane.document.editor.isReadOnly() or pane.controller.memory is None or not opened(pane, "Plan"))
    pane.document.preview.page.anchorClicked.emit(QUrl("task:5"))
    assert "- [x] Prune" not in pane.document.editor.source()


def test_undo_in_the_preview_takes_a_tick_back(pane: Any, qtbot: Any) -> None:
    pane.document.set_mode("read")
    pane.document.preview.page.setFocus()
    pane.document.tick(5)
    qtbot.keyClick(pane.document.preview.page, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert pane.document.editor.source() == PLAN


# --- links ---


def test_markdown_links_lead_to_notes(pane: Any, rest: Rest, notices: list[Notice]) -> None:
    page = pane.document.preview.page
    page.anchorClicked.emit(QUrl("Gone.md"))
    rest(lambda: bool(notices))
    assert "No note is behind this link" in notices[-1].text
    page.anchorClicked.emit(QUrl("Soil.md"))
    rest(lambda: opened(pane, "Soil"))


def test_front_matter_links_lead_to_notes(pane: Any, rest: Rest) -> None:
    assert 'href="wiki:Soil"' in pane.document.preview._shown
    pane.document.preview.page.anchorClicked.emit(QUrl("wiki:Soil"))
    rest(lambda: opened(pane, "Soil"))


def test_renaming_tells_how_many_links_follow_and_undoes_them(
    pane: Any, host: Host, rest: Rest, qtbot: Any, notices: list[Notice]
) -> None:
    soil = host.ask("note.resolve", title="Soil")
    field = pane.document.title
    assert field.text() == "Plan"
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "Year plan")
    pane.document.editor.setFocus()
    rest(lambda: bool(notices))
    assert "one other note" in notices[-1].text
    assert host.ask("note.get", id=soil).content == "Back to [[Year plan]]."
    host.ask("memory.undo", history_ids=list(notices[-1].history_ids))
    assert host.ask("note.get", id=soil).content == "Back to [[Plan]]."
    rest(lambda: opened(pane, "Plan"))


def test_an_empty_title_is_not_written_on_the_way_to_another(
    pane: Any, host: Host, rest: Rest, qtbot: Any, run_async: Any
) -> None:
    field = pane.document.title
    field.setFocus()
    field.selectAll()
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    run_async(pane.settle())
    assert opened(pane, "Plan")
    pane.document.editor.setFocus()
    rest(lambda: field.text() == "Plan")


def test_a_new_note_is_called_by_its_heading(pane: Any, host: Host, rest: Rest, qtbot: Any, run_async: Any) -> None:
    pane.new_note()
    pane.document.editor.setFocus()
    qtbot.keyClicks(pane.document.editor, "# Ferns")
    run_async(pane.settle())
    rest(lambda: pane.document.title.text() == "Ferns")
    assert host.ask("note.resolve", title="ferns") == pane.controller.memory.id


# --- outline and number of words ---


def test_the_outline_jumps_folds_and_follows(pane: Any, qtbot: Any, rest: Rest) -> None:
    outline = pane.editing.outline
    tester = QAbstractItemModelTester(outline.tree.model(), QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert [heading.title for heading in outline.headings] == ["Plan", "Beds"]
    top = outline.tree.topLevelItem(0)
    outline.tree.setCurrentItem(top.child(0))
    qtbot.keyClick(outline.tree, Qt.Key.Key_Return)
    assert pane.document.editor.textCursor().block().text() == "## Beds"
    assert pane.document.preview.page.textCursor().block().text() == "Beds"
    top.setExpanded(False)
    pane.document.editor.moveCursor(pane.document.editor.textCursor().MoveOperation.End)
    qtbot.keyClick(pane.document.editor, Qt.Key.Key_Return)
    qtbot.keyClicks(pane.document.editor, "## Herbs")
    rest(lambda: [heading.title for heading in outline.headings] == ["Plan", "Beds", "Herbs"])
    assert not outline.tree.topLevelItem(0).isExpanded()
    assert outline.tree.topLevelItem(0).childCount() == 2
    tester.deleteLater()


def test_the_number_of_words_is_said(pane: Any, rest: Rest) -> None:
    rest(lambda: "·  11 words" in words(pane.document))


def test_everything_on_the_page_has_a_name(pane: Any) -> None:
    assert _nameless(pane) == []
    assert isinstance(pane.editing.outline.tree.model(), QAbstractItemModel)


def test_a_choice_of_files_is_refused_where_nothing_can_be_written(pane: Any, notices: list[Notice]) -> None:
    pane.document.editor.setReadOnly(True)
    pane.editing.attachments.choose()
    assert "cannot be changed" in notices[-1].text


def test_the_editor_takes_pictures_and_files_only_from_this_machine(qtbot: Any, look: object) -> None:
    async def none(*_: Any) -> list[str]:
        return []

    editor = MarkdownEditor("Text", lambda work: work.close(), none)
    qtbot.addWidget(editor)
    given: list[QObject] = []
    editor.files_given.connect(given.append)
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/rose.png")])
    editor.insertFromMimeData(data)
    assert given == []
    assert "https://example.org/rose.png" in editor.source()


def test_waiting_for_pictures_ends_with_the_pane(pane: Any, rest: Rest, bridge: Bridge, run_async: Any) -> None:
    for number in range(30):
        pane.editing.pictures.picture(f"gone-{number}.png")
    pane.editing.pictures.clear()
    rest(lambda: not bridge.is_busy)
    run_async(asyncio.sleep(0))
    assert pane.editing.pictures.image("gone-0.png") is None
