"""A small vault to search, and the Search pane with its answer."""

from typing import Any

from tests.helpers.vault_filler import NoteText, VaultFiller
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane


def fill(books: VaultFiller) -> None:
    """Fill the vault with four texts about frost, and make them ready to be found."""
    books.add_session("Garden", [("user", "is frost near"), ("assistant", "yes **frost** tonight")], agent="claude")
    books.add_session("Car", [("user", "frost on the car")], agent="codex")
    books.add_notes(NoteText("Frost", "cover the roses from frost", ("garden",)))
    books.host.ask("vault.settle")


def answered_pane(open_pane: OpenPane, rest: Rest, query: str = "frost") -> Any:
    """Return the pane with the answer to a query."""
    pane = open_pane("search")
    pane.box.setText(query)
    wait_for_answer(pane, rest)
    return pane


def ids(pane: Any) -> list[str]:
    return [row.id for row in pane.results.source.rows if hasattr(row, "id")]


def wait_for_answer(pane: Any, rest: Rest) -> None:
    """Wait until the whole answer to what is typed is shown."""
    rest(lambda: "found by" in pane._summary.text())
