"""A small vault to search, and the Search pane with its answer."""

from typing import Any

from tests.unit.ui.panes.fake_bridge import FakeVault, until


def fill(books: FakeVault) -> None:
    books.add_session("Garden", [("user", "is frost near"), ("assistant", "yes **frost** tonight")], agent="claude")
    books.add_session("Car", [("user", "frost on the car")], agent="codex")
    books.add_note("Frost", "cover the roses from frost", tags=("garden",))


def answered_pane(open_pane: Any, run_async: Any) -> Any:
    """Return the pane with the answer to "frost"."""
    pane = open_pane("search")
    pane.box.setText("frost")
    run_async(settled(pane))
    return pane


def ids(pane: Any) -> list[str]:
    return [row.id for row in pane.results.source.rows if hasattr(row, "id")]


def settled(pane: Any) -> Any:
    return until(lambda: "found by" in pane._summary.text())
