"""Shots: the places of the window that are drawn, and how each is reached."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from app.errors import VaultDamagedError
from ui.dialogs.settings.sections import SECTIONS
from ui.dialogs.welcome import WelcomeDialog
from ui.panes.inbox.proposal_list import NIGHT
from ui.shell.navigation import Place
from ui.shell.pane_stack import PANES

if TYPE_CHECKING:
    from ui.panes.agents.pane import AgentsPane
    from ui.panes.graph.pane import GraphPane
    from ui.panes.inbox.pane import InboxPane
    from ui.panes.notes.pane import NotesPane
    from ui.panes.schedule.pane import SchedulePane
    from ui.panes.sessions.pane import SessionsPane
    from ui.window import Window

TABS = ("messages", "facts", "summary", "scratchpad", "agent")
SHEETS = (
    "edit.history",
    "file.import",
    "file.export",
    "file.capsule",
    "file.models",
    "help.pages",
    "help.shortcuts",
    "help.about",
)


@dataclass(frozen=True, slots=True)
class Shot:
    """A place to draw: its name, and what leads there."""

    name: str
    reach: Callable[["Window"], None]


@dataclass(frozen=True, slots=True)
class Subjects:
    """What is open in the pictures: ids of a conversation, a note and a person, and a search."""

    session: str = ""
    note: str = ""
    fact: str = ""
    entity: str = ""
    query: str = ""


def shots(subjects: Subjects) -> list[Shot]:
    """Return all shots of a vault with ``subjects``; an empty one has none."""
    found = [Shot(pane.name, partial(_go, Place(pane.name))) for pane in PANES]
    if subjects.session:
        place = Place("sessions", subjects.session)
        found += [Shot(f"sessions-{tab}", partial(_show_tab, place, row)) for row, tab in enumerate(TABS)]
    for name, identity in (("note", subjects.note), ("fact", subjects.fact)):
        if identity:
            found += [
                Shot(f"notes-{name}-{mode}", partial(_show_note, identity, mode))
                for mode in (("write", "split", "read") if name == "note" else ("read",))
            ]
    if subjects.query:
        found.append(Shot("search-hits", partial(_go, Place("search", extra=subjects.query))))
    if subjects.entity:
        found.append(Shot("graph-all", _show_all_names))
        found.append(Shot("graph-entity", partial(_go, Place("graph", subjects.entity))))
    if subjects.session:
        found.append(Shot("inbox-edit", _edit_proposal))
    found += [Shot("schedule-week", _show_week), Shot("schedule-new", _new_schedule), Shot("agents-new", _new_agent)]
    found += [Shot(identity.replace(".", "-"), partial(_run, identity)) for identity in SHEETS]
    found += [Shot("agents-connect", _connect_agent)]
    found += [Shot(f"welcome-{step + 1}", partial(_welcome, step)) for step in range(3)]
    found += [Shot(f"settings-{section.id}", partial(_settings, section.id)) for section in SECTIONS]
    return [*found, Shot("palette", _palette)]


def show_failure(window: "Window") -> None:
    """Show the start page of a vault that cannot be opened."""
    window.start_page.show_error(VaultDamagedError("The vault is damaged: page 312 cannot be read."))


def _go(place: Place, window: "Window") -> None:
    window.go(place)


def _front(window: "Window") -> object:
    assert window.panes is not None
    return window.panes.front


def _show_tab(place: Place, row: int, window: "Window") -> None:
    window.go(place)
    cast("SessionsPane", _front(window)).tabs.bar.setCurrentIndex(row)


def _show_note(identity: str, mode: str, window: "Window") -> None:
    window.go(Place("notes", identity))
    cast("NotesPane", _front(window)).document.set_mode(mode)  # type: ignore[arg-type]


def _show_all_names(window: "Window") -> None:
    window.go(Place("graph"))
    cast("GraphPane", _front(window)).toolbar.everyone.click()


def _show_week(window: "Window") -> None:
    window.go(Place("schedule"))
    cast("SchedulePane", _front(window))._show_week()


def _edit_proposal(window: "Window") -> None:
    """Edit the first proposal, if any waits."""
    window.go(Place("inbox"))
    pane = cast("InboxPane", _front(window))
    waiting = [identity for identity in pane.listing.model.ids if identity != NIGHT]
    if waiting:
        pane._on_row_chosen(waiting[0])
        pane.page.edit.click()


def _new_schedule(window: "Window") -> None:
    window.go(Place("schedule"))
    window.registry.run("schedule.new")


def _new_agent(window: "Window") -> None:
    window.go(Place("agents"))
    cast("AgentsPane", _front(window))._on_new()


def _run(identity: str, window: "Window") -> None:
    window.sheets.dismiss()
    window.registry.run(identity)


def _connect_agent(window: "Window") -> None:
    window.sheets.dismiss()
    window.go(Place("agents"))
    cast("AgentsPane", _front(window))._on_connect()


def _welcome(step: int, window: "Window") -> None:
    window.sheets.dismiss()
    assert window.dialogs is not None
    window.dialogs.vault = "/home/maren/.local/share/keepsake"
    window.dialogs.open_welcome()
    front = window.sheets.front
    assert isinstance(front, WelcomeDialog)
    for _ in range(step):
        front.next.click()


def _settings(section: str, window: "Window") -> None:
    window.sheets.dismiss()
    assert window.dialogs is not None
    window.dialogs.open_settings(section)


def _palette(window: "Window") -> None:
    window.sheets.dismiss()
    window.go(Place("notes"))
    window.palette_popup.show_commands()
