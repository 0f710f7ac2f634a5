"""What is erased for ever leaves the words that panes keep."""

from app.schedule.model import Cadence
from tests.helpers.vault_filler import VaultFiller
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane
from ui.panes.pane import Place


def test_an_erased_search_leaves_box_and_recent_searches(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    books.host.ask("saved_search.save", query="zebra stripes")
    pane = open_pane("search")
    rest(lambda: len(pane.history.saved) == 1)
    pane.box.set_text_quietly("zebra  stripes")
    pane.history.remember("zebra  stripes")
    pane.history._on_erase_agreed(pane.history.saved[0])
    rest(lambda: not pane.history.saved)
    assert b"zebra" not in pane.save_state()


def test_an_erased_schedule_leaves_no_draft(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    cadence = Cadence(kind="interval", seconds=3600)
    goal = books.host.ask("schedule.create", name="Zebra", goal="Count stripes", cadence=cadence)
    pane = open_pane("schedule")
    rest(lambda: pane.listing.schedule(goal.id) is not None)
    pane.open_place(Place("schedule", goal.id))
    pane._on_edit()
    pane.editor.goal.setPlainText("Count more stripes")
    pane.editor.left.emit()
    assert goal.id in pane.editor._drafts
    pane._on_erase_agreed(goal)
    rest(lambda: pane.listing.schedule(goal.id) is None)
    rest(lambda: goal.id not in pane.editor._drafts)
