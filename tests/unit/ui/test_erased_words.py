"""Erased words leave the toasts, undo, places and errors of every window."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.erasure.model import ErasureTarget
from app.errors import InputError
from app.host import Host
from app.rpc.host_backend import HostBackend
from app.sentence import Sentence
from tests.helpers.engine import engine_of
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.helpers.watched_connection import WatchedConnection
from tests.unit.ui.conftest import Rest
from ui.notice import Notice
from ui.shell.navigation import Place
from ui.window import Window

ZEBRA = "Zebra Quagga"


@pytest.fixture(params=["own", "beside"])
def connection(request: pytest.FixtureRequest, host: Host) -> Iterator[WatchedConnection]:
    """Connect the window to the vault of its own process, or of another one."""
    if request.param == "own":
        yield WatchedConnection(host)
        return
    backend = HostBackend(host.vault, lambda: None)
    backend.start()
    yield WatchedConnection(backend)  # type: ignore[arg-type]  (it calls and subscribes as a host does)
    backend.stop()


@pytest.fixture
def note(window: Window, host: Host, rest: Rest, allow_logs: AllowLogs) -> str:
    """Return a note of which the window knows the title everywhere."""
    allow_logs("Unexpected failure")
    identity = str(host.ask("note.save", content="Red ones.", title=ZEBRA).id)
    rest(lambda: ZEBRA in window.undo.undo_text)
    window.go(Place("notes", identity))
    rest(lambda: _here(window).id == identity)
    window.go(Place("search", extra=ZEBRA))
    window.go(Place("graph", "ent-1", title=ZEBRA))
    window.go(Place("schedule"))
    window.show_notice(Notice(f"Saved ‘{ZEBRA}’", (1,)))
    window.errors.report(InputError(Sentence("There is no “{name}”.", name=ZEBRA)))
    assert ZEBRA in _words(window)
    return identity


def _here(window: Window) -> Place:
    assert window.panes is not None
    assert window.panes.front is not None
    return window.panes.front.current_place()


def _words(window: Window) -> str:
    """Return all words that the shell of a window holds."""
    parts: list[Any] = [toast.notice for toast in window.toaster.toasts]
    parts += [window.undo.undo_text, window.undo.redo_text, window.places._places, window.palette_popup.recent_places]
    parts += [entry.title for entry in window.palette_popup.entries]
    parts += [window.banner.text if window.banner.isVisible() else "", window.errors.details]
    return repr(parts)


def _check_forgotten(window: Window, note: str, rest: Rest) -> None:
    rest(lambda: ZEBRA not in _words(window))
    assert note not in repr(window.places._places)
    assert "may have quoted what was erased for ever" in window.banner.text
    while _here(window).pane == "schedule" and window.places.can_go_back:  # of which one may be open by now
        window.places.go_back()
    assert _here(window).pane == "graph"


def test_an_erasure_by_a_person_or_agent_takes_the_words(window: Window, host: Host, rest: Rest, note: str) -> None:
    host.ask("memory.forget_forever", ids=[note], confirm=True)
    _check_forgotten(window, note, rest)


def test_an_erasure_by_another_machine_takes_the_words(window: Window, host: Host, rest: Rest, note: str) -> None:
    engine = engine_of(host)
    host.submit(engine.erasure.obey([ErasureTarget("memory", note)], "sync")).result()
    _check_forgotten(window, note, rest)


def test_toasts_without_words_of_the_vault_stay(window: Window, host: Host, rest: Rest) -> None:
    note = host.ask("note.save", content=ZEBRA).id
    window.show_notice(Notice("Link copied", is_quoting=False))
    window.show_notice(Notice(f"‘{ZEBRA}’ is not there", kind="error"))
    host.ask("memory.forget_forever", ids=[note], confirm=True)
    rest(lambda: ZEBRA not in _words(window))
    texts = [toast.notice.text for toast in window.toaster.toasts]
    assert texts[0] == "Link copied"
    assert "error message was removed" in texts[1]
