"""Source and preview have the same margins and a maximum line length."""

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from ui.theme import Theme
from ui.widgets.text.markdown_editor import MarkdownEditor
from ui.widgets.text.markdown_view import MarkdownView
from ui.widgets.text.text_margins import LINE_CHARACTERS, longest_line


async def _no_completions(*_: Any) -> list[str]:
    return []


@pytest.mark.parametrize("width", [300, 700, 1800])
def test_source_and_preview_hold_the_text_in_the_same_place(qtbot: QtBot, look: Theme, width: int) -> None:
    editor = MarkdownEditor("Text", lambda work: work.close(), _no_completions)
    preview = MarkdownView("Preview")
    places = []
    for view, viewport in ((editor, editor.viewport()), (preview, preview.page.viewport())):
        qtbot.addWidget(view)
        view.resize(width, 2000)
        view.set_source("The north wall gets four hours of sun in June. " * 20)
        view.show()
        view.resize(width + 90, 2000)
        view.resize(width, 2000)
        document = view.document() if isinstance(view, MarkdownEditor) else view.page.document()
        inner = round(document.documentMargin())
        places.append(viewport.geometry().adjusted(inner, inner, -inner, -inner))
    assert places[0].left() == places[1].left()
    assert places[0].top() == places[1].top()
    assert places[0].width() == places[1].width()
    longest = longest_line(editor)
    assert places[0].width() <= longest
    assert width < longest or places[0].width() == longest
    for bar in (editor.horizontalScrollBar(), preview.page.horizontalScrollBar()):
        assert bar.maximum() == 0, "lines are laid out wider than the view"


def test_the_longest_line_has_about_seventy_letters(qtbot: QtBot, look: Theme) -> None:
    preview = MarkdownView("Preview")
    qtbot.addWidget(preview)
    preview.resize(1800, 800)
    preview.show()
    preview.set_source("When the apple trees are bare we cut the dead wood out and tie the shoots. " * 20)
    lines = preview.page.document().begin().layout()
    lengths = [lines.lineAt(number).textLength() for number in range(lines.lineCount() - 1)]
    assert LINE_CHARACTERS - 10 <= sum(lengths) / len(lengths) <= LINE_CHARACTERS + 5
