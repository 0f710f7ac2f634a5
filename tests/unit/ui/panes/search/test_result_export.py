"""Copying and exporting what was found."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from tests.unit.ui.panes.fake_bridge import FakeBridge, FakeVault, until
from tests.unit.ui.panes.search.search_answers import answered_pane, fill, settled
from ui.panes.search.pane import LIMIT


def test_results_are_copied(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    fill(books)
    pane = open_pane("search")
    pane.box.setText("roses")
    run_async(settled(pane))
    pane._copier.click()
    assert QGuiApplication.clipboard().text().startswith("# roses\n\n1. **Frost**")


def test_one_result_is_copied_as_one(books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any) -> None:
    fill(books)
    pane = open_pane("search")
    pane.box.setText("roses")
    run_async(settled(pane))
    pane._copier.click()
    assert pane.emitted.notices[-1].text == "Copied 1 result"


def test_all_results_are_exported_not_only_those_shown(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, tmp_path: Path
) -> None:
    books.add_session("Long", [("user", f"frost {number}") for number in range(LIMIT + 10)])
    pane = answered_pane(open_pane, run_async)
    path = tmp_path / "frost.jsonl"
    run_async(pane._export.export("frost", None, path))
    assert len(path.read_text().splitlines()) == LIMIT + 10
    assert pane.emitted.notices[-1].text == "Exported 60 results to frost.jsonl"


@pytest.mark.parametrize("name", ["frost.docx", "missing/frost.md"])
def test_what_cannot_be_exported_is_told(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, tmp_path: Path, name: str
) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
    run_async(pane._export.export("frost", None, tmp_path / name))
    assert pane.emitted.notices[-1].kind == "error"


def test_the_export_asks_for_a_file(
    books: FakeVault, ask: FakeBridge, open_pane: Any, run_async: Any, tmp_path: Path
) -> None:
    fill(books)
    pane = answered_pane(open_pane, run_async)
    pane._exporter.click()
    box = pane.findChild(QFileDialog, "exportDialog")
    assert box is not None
    box.fileSelected.emit(str(tmp_path / "some.csv"))
    run_async(until((tmp_path / "some.csv").exists))
