"""Erasure for ever of schedules, saved searches and conversations: asked first, told after."""

from functools import partial
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton, QMenu, QMessageBox, QWidget

from app.host import Host
from tests.helpers.vault_filler import VaultFiller
from tests.unit.ui.conftest import Rest
from tests.unit.ui.panes.conftest import OpenPane
from ui.panes.pane import Place
from ui.widgets.plain_text import PlainMessageBox

DAILY = {"kind": "cron", "expression": "0 8 * * *", "zone": "Europe/Zurich"}


def _box(parent: QWidget) -> PlainMessageBox:
    return next(box for box in parent.findChildren(PlainMessageBox) if box.isVisible())


def _button(parent: QWidget, role: QMessageBox.ButtonRole) -> QAbstractButton:
    box = _box(parent)
    return next(button for button in box.buttons() if box.buttonRole(button) == role)


def _agree(parent: QWidget, pane: Any, rest: Rest) -> str:
    """Agree to erase; return what is told then."""
    assert "Nothing can undo this." in _box(parent).informativeText()
    pane.emitted.notices.clear()
    _button(parent, QMessageBox.ButtonRole.DestructiveRole).click()
    rest(lambda: bool(pane.emitted.notices))
    notice = pane.emitted.notices[0]
    assert not notice.can_undo
    return str(notice.text)


def _choose(pane: QWidget, entry: str) -> None:
    """Choose an entry of the open context menu."""
    menu = next(one for one in pane.findChildren(QMenu) if one.isVisible())
    next(action for action in menu.actions() if action.text() == entry).trigger()
    menu.close()


def _erased(host: Host) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    return [(receipt.ids, receipt.sessions) for receipt in host.ask("memory.receipts")]


def test_a_schedule_is_erased_after_a_question(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    host = books.host
    schedule = host.ask("schedule.create", goal="Sum up my week", cadence=DAILY)
    pane = open_pane("schedule")
    rest(lambda: schedule.id in pane.listing.model.ids)
    pane.open_place(Place("schedule", schedule.id))
    rest(pane.page.erase.isVisible)
    pane.page.erase.click()
    assert "Sum up my week" in _box(pane).text()
    _button(pane, QMessageBox.ButtonRole.RejectRole).click()
    assert not _erased(host)
    pane.page.erase.click()
    assert _agree(pane, pane, rest) == "Erased the schedule for ever"
    assert _erased(host) == [((schedule.id,), ())]
    rest(lambda: schedule.id not in pane.listing.model.ids)


def test_keepsakes_own_schedules_are_not_erased(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    rest(lambda: books.host.ask("schedule.count") > 0)
    pane = open_pane("schedule")
    rest(lambda: "sch-housekeeping" in pane.listing.model.ids)
    pane.open_place(Place("schedule", "sch-housekeeping"))
    rest(lambda: "Housekeeping" in pane.page._title.text())
    assert not pane.page.erase.isVisibleTo(pane)


def test_a_saved_search_is_erased_after_a_question(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    host = books.host
    saved = host.ask("saved_search.save", query="red kites")
    pane = open_pane("search")
    rest(lambda: pane.saved.list.count() == 1)
    pane.history.remember("red kites")
    rows = pane.saved.list
    rows.customContextMenuRequested.emit(rows.visualItemRect(rows.item(0)).center())
    _choose(pane, "Erase for ever…")
    assert "red kites" in _box(pane).text()
    assert _agree(pane, pane, rest) == "Erased the saved search for ever"
    assert _erased(host) == [((saved.id,), ())]
    rest(lambda: pane.saved.list.count() == 0)
    assert "red kites" not in pane.history.recent


def test_a_conversation_is_erased_after_a_question(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    for number in range(3):
        books.add_session(f"Talk {number}", [("user", f"Text {number}")])
    pane = open_pane("sessions")
    pane.navigate.connect(pane.open_place)
    rest(lambda: pane.header.title.text() == "Talk 0")
    for ids, notice in (
        (["ses-000000"], "Erased the conversation for ever"),
        (["ses-000001", "ses-000002"], "Erased 2 conversations for ever"),
    ):
        pane.listing.list.menu_requested.emit(ids, QPoint())
        _choose(pane, "Erase for ever…")
        assert _agree(pane, pane, rest) == notice
        assert _erased(books.host)[0] == ((), tuple(ids))
    rest(partial(lambda model: not model.ids, pane.listing.model))


def test_the_notice_names_backups_that_still_hold_it(books: VaultFiller, open_pane: OpenPane, rest: Rest) -> None:
    host = books.host
    host.ask("saved_search.save", query="red kites")
    host.ask("backup.now")
    pane = open_pane("search")
    rest(lambda: pane.saved.list.count() == 1)
    pane.saved.erase_requested.emit(pane.history.saved[0])
    assert _agree(pane, pane, rest) == "Erased the saved search for ever. Backups still hold it."


def test_the_notice_names_what_is_not_gone_until_it_is_dismissed(
    books: VaultFiller, open_pane: OpenPane, rest: Rest
) -> None:
    host = books.host
    host.ask(
        "session.append", session="ses-xaver", messages=[{"role": "user", "content": "Xaver Quellenbrink called."}]
    )
    host.ask("vault.settle", names=True)
    (entity,) = [item for item in host.ask("entity.list") if "Quellenbrink" in item.name]
    host.ask("entity.rename", id=entity.id, name="Xaver Quellenbrink", summary="A neighbour")
    pane = open_pane("sessions")
    rest(lambda: "ses-xaver" in pane.listing.model.ids)
    pane.listing.list.menu_requested.emit(["ses-xaver"], QPoint())
    _choose(pane, "Erase for ever…")
    notice = _agree(pane, pane, rest)
    assert notice.startswith("Erased the conversation for ever. Names from it stay with people or things you changed")
    assert pane.emitted.notices[0].kind == "error"
