"""The whole window in a pseudo-locale: nothing is left in English, nothing is cut, and it is mirrored."""

import asyncio
import time
import zoneinfo
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMenu, QTimeEdit
from pytestqt.qtbot import QtBot

from app.api.caller import Caller
from app.host import Host
from tests.unit.ui.visible_texts import cut_texts, shown_texts, untranslated
from ui import theme, translation
from ui.actions import Actions
from ui.bridge import Bridge
from ui.dialogs.settings.sections import SECTIONS
from ui.process.error_reporter import ErrorReporter
from ui.shell.navigation import Place
from ui.window import Window
from ui.window_state import WindowState

LARGE_TEXT = (1.5, 1000, 650)
"""Scale of the text, width and height of the window."""
WIDE = (1.0, 1440, 900)
QUIET_ROUNDS, ROUND_S = 6, 0.02
TITLE, PERSON = "Dr. ", "Ines Duarte"
"""A name that is found in a text, after what tells that it is a person."""
NAMES = {
    *translation.LANGUAGES.values(),
    *("static", "hashed", "OpenAI", "OpenAI-compatible", "Cohere", "Voyage AI", "RRF"),
    "claude-code, codex, gemini, cursor",
    "keepsake --open keepsake://capture",
    "openai:text-embedding-3-small",
    "fastembed:sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
    *("Xenova/ms-marco-MiniLM-L-12-v2", "answerdotai/answerai-colbert-small-v1"),
    *("Claude Desktop", "Claude Code", "Cursor", "VS Code", "Codex", "Gemini CLI", "Windsurf"),
}
ENGINE_SENTENCES = (
    "At ",  # cadences, which the engine words in the languages that it knows
    "The database was optimized.",
    "No text was searched again.",
    "Care for the database;",
)


def _is_name(text: str) -> bool:
    """Return whether a text is a name, a path or an engine's sentence, which no translation replaces."""
    return (
        text in NAMES
        or text in zoneinfo.available_timezones()
        or text.startswith(ENGINE_SENTENCES)
        or text.startswith(("/", "~"))
    )


@pytest.fixture
def filled(host: Host) -> Host:
    """Fill the vault with texts in Greek letters, so that every English word is the window's own."""
    turns = [{"role": "user", "content": "Ποια τριαντάφυλλα;"}, {"role": "assistant", "content": "Τα κόκκινα."}]
    host.ask("session.append", session="s", title="Κήπος", messages=turns * 3)
    fact = host.ask("fact.remember", content="Η Άννα μένει στη Βασιλεία.")
    host.ask("fact.confirm", id=fact.memory.id)
    note = host.ask("note.save", title="Τριαντάφυλλα", content="Δύο τριαντάφυλλα\n\n# Κήπος\n\n- [ ] νερό", tags=["ν"])
    host.ask("note.save", title="Σχέδιο", content=f"Βλέπε [[Τριαντάφυλλα]], {TITLE}{PERSON}")
    _wait_for_names(host)
    host.ask("agent.add", name="πράκτωρ", trust="full", review=True)
    agent = Caller("πράκτωρ", "full", review=True)
    for operation, arguments in (
        ("note.save", {"title": "Κήπος", "content": "# Κήπος\n\nΝερό κάθε μέρα."}),
        ("note.update", {"id": note.id, "version": note.version, "content": "Τρία τριαντάφυλλα"}),
        ("fact.correct", {"id": fact.memory.id, "content": "Η Άννα μένει στη Ζυρίχη."}),
        ("note.delete", {"id": note.id}),
    ):
        host.call(operation, arguments, agent).result()
    cadence = {"kind": "cron", "expression": "0 18 * * fri", "zone": "Europe/Zurich"}
    host.ask("schedule.create", goal="Τριαντάφυλλα της εβδομάδας", cadence=cadence)
    host.ask("upkeep.run", job="housekeeping")
    return host


def _wait_for_names(host: Host) -> None:
    end = time.monotonic() + 20
    while not host.ask("entity.list"):
        assert time.monotonic() < end, "no name was found in 20 seconds"
        time.sleep(0.02)


class Tour:
    """Goes through the places of a window, and says what is wrong with each.

    Args:
        window: A window that is open.
        bridge: Its bridge.
        host: The vault's host.
    """

    def __init__(self, window: Window, bridge: Bridge, host: Host) -> None:
        self.window = window
        self._bridge = bridge
        self._host = host

    async def places(self) -> AsyncIterator[str]:
        """Show one place after the other; yields what each is called."""
        note = self._host.ask("note.ids")[0]
        person = self._host.ask("entity.list")[0]
        for place in (
            *(Place("sessions"), Place("sessions", "s"), Place("notes"), Place("notes", note), Place("graph")),
            Place("graph", person.id),
            *(Place("schedule"), Place("schedule", "sch-housekeeping"), Place("search")),
            *(Place("search", extra="τριαντάφυλλα"), Place("agents"), Place("status")),
        ):
            self.window.go(place)
            await self.rest()
            yield f"{place.pane} {place.id}{place.extra}"
        self.window.go(Place("inbox"))
        await self.rest()
        for proposal in self._host.ask("inbox.list"):
            self.window.go(Place("inbox", proposal.id))
            await self.rest()
            yield f"inbox {proposal.operation}"
        async for name in self._run_actions("agents", "agents.new", "agents.connect"):
            yield name
        async for name in self._run_actions("schedule", "schedule.new"):
            yield name
        async for name in self._sheets():
            yield name

    async def _run_actions(self, pane: str, *identities: str) -> AsyncIterator[str]:
        for identity in identities:
            self.window.go(Place(pane))
            await self.rest()
            assert self.window.registry.run(identity), identity
            await self.rest()
            yield identity

    async def _sheets(self) -> AsyncIterator[str]:
        dialogs = self.window.dialogs
        assert dialogs is not None
        for section in SECTIONS:
            if section.id == "diagnostics":
                continue  # the trace is for developers
            dialogs.open_settings(section.id)
            await self.rest()
            sheet = dialogs.settings
            box = next(box for box in sheet._sections if box.spec.id == section.id)
            if not box.more.isHidden():
                box.more.setChecked(True)
                await self.rest()
            yield f"settings {section.id}"
        self.window.sheets.dismiss()
        for show in (dialogs.open_import, dialogs.open_models, dialogs.open_shortcuts, dialogs.open_about):
            show()
            await self.rest()
            yield show.__name__
            self.window.sheets.dismiss()
        dialogs.open_welcome()
        await self.rest()
        yield "welcome"
        self.window.sheets.dismiss()

    async def rest(self) -> None:
        """Wait until the window has asked for nothing for a while."""
        quiet = 0
        for _ in range(500):
            await asyncio.sleep(ROUND_S)
            quiet = 0 if self._bridge.is_busy else quiet + 1
            if quiet >= QUIET_ROUNDS:
                return


@pytest.fixture
def pseudo(request: pytest.FixtureRequest, qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Let the window speak a pseudo-locale."""
    name = str(request.param)
    monkeypatch.setenv(translation.PSEUDO_VARIABLE, name)
    yield translation.install(qapp)
    translation.remove(qapp)


@pytest.fixture
def tour(
    pseudo: str,
    filled: Host,
    bridge: Bridge,
    look: theme.Theme,
    qtbot: QtBot,
    tmp_path: Path,
    size: tuple[float, int, int],
    qt_loop: asyncio.AbstractEventLoop,
) -> Iterator[Tour]:
    """Return a tour through a window."""
    scale, width, height = size
    look.set_scale(scale)
    filled.ask("settings.set", name="window.scale", value=round(scale * 100))
    window = Window(Actions(), WindowState(tmp_path), ErrorReporter())
    qtbot.addWidget(window)
    window.resize(width, height)
    window.show()
    window.attach(bridge)
    tour = Tour(window, bridge, filled)
    qt_loop.run_until_complete(tour.rest())
    yield tour
    window.shut_down()
    qt_loop.run_until_complete(tour.rest())


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("pseudo", "size"), [("pseudo", LARGE_TEXT), ("rtl", WIDE)], indirect=["pseudo"])
def test_every_text_is_translated_and_has_room(tour: Tour, qt_loop: asyncio.AbstractEventLoop) -> None:
    english: dict[str, str] = {}
    cut: dict[str, str] = {}

    async def walk() -> None:
        async for place in tour.places():
            for where, text in shown_texts(tour.window):
                rest = untranslated(text.replace(TITLE, "").replace(PERSON, ""))
                if rest and not _is_name(rest):
                    english.setdefault(f"{where}: {rest}", place)
            for where, text in cut_texts(tour.window):
                cut.setdefault(f"{where}: {text}", place)

    qt_loop.run_until_complete(walk())
    titles = {action.id: action.title for action in tour.window.registry.all()}
    menus = tour.window.findChildren(QMenu)
    titles |= {action.text(): action.text() for menu in menus for action in menu.actions()}
    english |= {rest: name for name, title in titles.items() if (rest := untranslated(title)) and not _is_name(rest)}
    assert "\n".join(f"{place}: {text}" for text, place in english.items()) == ""
    assert "\n".join(f"{place}: {text}" for text, place in cut.items()) == ""


@pytest.mark.parametrize(("pseudo", "size"), [("rtl", WIDE)], indirect=["pseudo"])
def test_the_window_is_mirrored(tour: Tour, qt_loop: asyncio.AbstractEventLoop) -> None:
    window = tour.window
    window.go(Place("sessions", "s"))
    qt_loop.run_until_complete(tour.rest())
    assert window.isRightToLeft()
    assert window.sidebar.mapTo(window, window.sidebar.rect().center()).x() > window.width() / 2
    assert window.panes is not None
    pane = window.panes.front
    assert pane is not None
    assert pane.layoutDirection() == Qt.LayoutDirection.RightToLeft


@pytest.mark.parametrize(("pseudo", "size"), [("rtl", WIDE)], indirect=["pseudo"])
def test_times_are_written_like_others_where_one_reads_from_the_right(
    tour: Tour, qt_loop: asyncio.AbstractEventLoop
) -> None:
    window = tour.window
    window.go(Place("schedule"))
    qt_loop.run_until_complete(tour.rest())
    assert window.registry.run("schedule.new")
    qt_loop.run_until_complete(tour.rest())
    (field,) = (field for field in window.findChildren(QTimeEdit) if field.isVisible())
    assert field.text() == "08:00"
