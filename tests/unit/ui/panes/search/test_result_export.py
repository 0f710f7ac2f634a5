"""Copying and exporting what was found."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from tests.helpers.loops import RunAsync
from tests.helpers.screen_reader import press
from tests.helpers.vault_filler import VaultFiller
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane
from tests.unit.ui.panes.search.search_answers import answered_pane, fill, wait_for_answer
from ui.panes.search.pane import LIMIT
from ui.panes.search.result_export import ResultExport


def test_results_are_copied(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fill(books)
    pane = open_pane("search")
    pane.box.setText("roses")
    wait_for_answer(pane, rest)
    press(pane, "Copy results as Markdown")
    assert QGuiApplication.clipboard().text().startswith("# roses\n\n1. **Frost**")


def test_one_result_is_copied_as_one(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    fill(books)
    pane = open_pane("search")
    pane.box.setText("roses")
    wait_for_answer(pane, rest)
    press(pane, "Copy results as Markdown")
    assert pane.emitted.notices[-1].text == "Copied 1 result"


def test_all_results_are_exported_not_only_those_shown(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], tmp_path: Path, rest: Rest
) -> None:
    books.add_session("Long", [("user", f"frost {number}") for number in range(LIMIT + 10)])
    books.host.ask("vault.settle")
    pane = answered_pane(open_pane, rest)
    path = tmp_path / "frost.jsonl"
    run_async(pane.findChild(ResultExport).export("frost", None, path))
    assert len(path.read_text().splitlines()) == LIMIT + 10
    assert pane.emitted.notices[-1].text == "Exported 60 results to frost.jsonl"


@pytest.mark.parametrize("name", ["frost.docx", "missing/frost.md"])
def test_what_cannot_be_exported_is_told(
    books: VaultFiller, open_pane: OpenPane, run_async: RunAsync[Any], tmp_path: Path, name: str, rest: Rest
) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    run_async(pane.findChild(ResultExport).export("frost", None, tmp_path / name))
    assert pane.emitted.notices[-1].kind == "error"


def test_the_export_asks_for_a_file(books: VaultFiller, open_pane: OpenPane, tmp_path: Path, rest: Rest) -> None:
    fill(books)
    pane = answered_pane(open_pane, rest)
    press(pane, "Export all results")
    box = pane.findChild(QFileDialog, "exportDialog")
    assert box is not None
    box.fileSelected.emit(str(tmp_path / "some.csv"))
    rest((tmp_path / "some.csv").exists)
