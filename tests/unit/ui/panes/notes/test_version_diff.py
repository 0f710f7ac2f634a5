"""Two versions beside each other."""

from typing import Any

from ui.panes.notes.version_diff import VersionDiff, differences


def test_lines_say_where_they_come_from() -> None:
    old, new = "a\nb\nc\n" + "x\n" * 20 + "end", "a\nB\nc\n" + "x\n" * 20 + "END"
    lines = differences(old, new)
    assert ("-", "b") in lines
    assert ("+", "B") in lines
    assert ("…", "") in lines
    assert differences("same", "same") == []


def test_a_button_answers_with_its_key(qtbot: Any, look: Any) -> None:
    view = VersionDiff()
    qtbot.addWidget(view)
    picked: list[str] = []
    view.picked.connect(picked.append)
    view.ask("Which?", "<b>old</b>", "new", [("mine", "Mine", "primary"), ("theirs", "Theirs", "")], closable=True)
    assert "<b>old</b>" in view._text.toPlainText()
    view.findChild(type(view._close).__mro__[0], "").click()
    assert not view.isVisible()
    view._row.itemAt(0).widget().click()
    assert picked == ["mine"]
