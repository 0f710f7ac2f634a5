"""The Markdown editor and its colours."""

import asyncio
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QTextCursor

from ui.theme import Theme
from ui.widgets.text.markdown_editor import MarkdownEditor, Wanted


@pytest.fixture
def editor(qtbot: Any, qt_loop: Any) -> Any:
    requested: list[tuple[Wanted, str]] = []

    async def complete(kind: Wanted, prefix: str) -> list[str]:
        requested.append((kind, prefix))
        return ["Rose list", "Roses"] if kind is Wanted.TITLE else ["garden", "garden/roses"]

    editor = MarkdownEditor("Text", lambda work: asyncio.get_event_loop().create_task(work), complete)
    editor.requested = requested
    qtbot.addWidget(editor)
    editor.resize(500, 300)
    editor.show()
    editor.setFocus()
    return editor


def _end(editor: MarkdownEditor) -> None:
    editor.moveCursor(QTextCursor.MoveOperation.End)


@pytest.mark.parametrize(
    "text", ["", "plain", "a\u00a0b", "tab\there\n\n", "x\r\ny\r\n", "emoji 👩‍👧 end", "line\u2028sep", " lead"]
)
def test_the_source_comes_back_exactly(editor: Any, text: str) -> None:
    editor.set_source(text)
    assert editor.source() == text


def test_setting_a_text_is_no_edit_and_typing_is(editor: Any, qtbot: Any) -> None:
    edits: list[int] = []
    editor.edited.connect(lambda: edits.append(1))
    editor.set_source("one")
    assert edits == []
    qtbot.keyClicks(editor, "x")
    assert edits == [1]


@pytest.mark.parametrize(
    ("line", "then"),
    [
        ("- one", "- one\n- "),
        ("  * one", "  * one\n  * "),
        ("9. nine", "9. nine\n10. "),
        ("- [x] done", "- [x] done\n- [ ] "),
        ("- ", ""),
        ("plain", "plain\n"),
    ],
)
def test_enter_continues_lists(editor: Any, qtbot: Any, line: str, then: str) -> None:
    editor.set_source(line)
    _end(editor)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert editor.source() == then


def test_tab_indents_only_in_lists(editor: Any, qtbot: Any) -> None:
    editor.set_source("- one")
    _end(editor)
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.source() == "  - one"
    qtbot.keyClick(editor, Qt.Key.Key_Backtab)
    assert editor.source() == "- one"
    editor.set_source("plain")
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert editor.source() == "plain"


def test_formats_wrap_and_unwrap_a_selection(editor: Any, qtbot: Any) -> None:
    editor.set_source("word")
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert editor.source() == "**word**"
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert editor.source() == "word"
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert editor.source() == "[word]()"


@pytest.mark.parametrize(
    ("typed", "kind", "prefix", "then"),
    [("see [[Ro", Wanted.TITLE, "Ro", "see [[Rose list]]"), ("a #gar", Wanted.TAG, "gar", "a #garden")],
)
def test_links_and_tags_are_completed(
    editor: Any, qtbot: Any, run_async: Any, typed: str, kind: Wanted, prefix: str, then: str
) -> None:
    async def story() -> None:
        qtbot.keyClicks(editor, typed)
        for _ in range(200):
            await asyncio.sleep(0.005)
            if editor._offers.isVisible():
                break
        qtbot.keyClick(editor._offers, Qt.Key.Key_Return)

    run_async(story())
    assert editor.requested[-1] == (kind, prefix)
    assert editor.source() == then
    assert not editor._timer.isActive()


@pytest.mark.parametrize("text", ["x" * 10_001, "word " * 30_000, "short\n" * 400_000])
def test_text_that_would_freeze_is_refused(editor: Any, text: str) -> None:
    reported: list[str] = []
    editor.refused.connect(reported.append)
    editor.set_source("kept")
    with pytest.raises(ValueError, match="too long"):
        editor.set_source(text)
    pasted = QMimeData()
    pasted.setText(text)
    editor.insertFromMimeData(pasted)
    assert len(reported) == 1
    assert editor.source() == "kept"


def test_colours_follow_fences_and_front_matter(editor: Any) -> None:
    editor.set_source("---\na: b\n---\n# Head\n```\n**no**\n```\n**yes** [[Link]] #tag")
    states = []
    block = editor.document().begin()
    while block.isValid():
        states.append(block.userState())
        block = block.next()
    assert states == [2, 2, 0, 0, 1, 1, 0, 0]
    formats = editor.document().lastBlock().layout().formats()
    assert any(one.format.fontWeight() > 600 for one in formats)


def test_a_long_text_is_coloured_in_slices(editor: Any, qtbot: Any) -> None:
    editor.set_source("plain\n" * 5000 + "**strong**")
    last = editor.document().lastBlock()
    assert not last.layout().formats()
    qtbot.waitUntil(lambda: bool(last.layout().formats()))
    qtbot.waitUntil(lambda: not editor._highlighter._slices.isActive())


def test_colour_is_no_edit(editor: Any, qtbot: Any, look: Theme) -> None:
    received: list[str] = []
    editor.edited.connect(lambda: received.append(editor.source()))
    editor.set_source("plain\n" * 5000 + "**strong**")
    qtbot.waitUntil(lambda: not editor._highlighter._slices.isActive())
    look.changed.emit()
    assert not received
    qtbot.keyClick(editor, Qt.Key.Key_A)
    assert len(received) == 1


def test_words_stay_marked_in_a_text_that_changed_elsewhere(editor: Any) -> None:
    editor.set_source("tard ta")
    editor.mark_words(("ta",))
    editor.set_source("tard ta and ta", keep_place=True)
    assert [mark.cursor.selectedText() for mark in editor.extraSelections()] == ["ta", "ta"]
