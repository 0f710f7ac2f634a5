"""Commands of the panes as data, known before a pane is built."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from ui.actions import Action, CommandSpec, Slot

NEW_SESSION_KEY = "Ctrl+Shift+O"
SAVE_SEARCH_KEY = "Ctrl+S"
EVERYWHERE = ("notes.daily",)
"""Commands whose keys work in every pane."""

_SESSIONS = (
    CommandSpec(
        "sessions.new", QT_TRANSLATE_NOOP("SessionsPane", "New conversation with yourself"), "plus", NEW_SESSION_KEY
    ),
    CommandSpec("sessions.filter", QT_TRANSLATE_NOOP("SessionsPane", "Filter conversations"), "funnel"),
    CommandSpec("sessions.find", QT_TRANSLATE_NOOP("SessionsPane", "Find in conversation"), "search", "Ctrl+F"),
    CommandSpec("sessions.next", QT_TRANSLATE_NOOP("SessionsPane", "Next match"), "chevron-down", "F3"),
    CommandSpec("sessions.previous", QT_TRANSLATE_NOOP("SessionsPane", "Previous match"), "chevron-up", "Shift+F3"),
    CommandSpec("sessions.first", QT_TRANSLATE_NOOP("SessionsPane", "First message"), "chevron-up"),
    CommandSpec("sessions.last", QT_TRANSLATE_NOOP("SessionsPane", "Last message"), "chevron-down"),
    CommandSpec(
        "sessions.facts", QT_TRANSLATE_NOOP("SessionsPane", "Draw facts from this conversation now"), "lightbulb"
    ),
    CommandSpec(
        "sessions.summarise", QT_TRANSLATE_NOOP("SessionsPane", "Summarise its older messages now"), "sparkles"
    ),
    CommandSpec(
        "sessions.compact", QT_TRANSLATE_NOOP("SessionsPane", "Condense all but the latest messages"), "rows-3"
    ),
    CommandSpec(
        "sessions.markdown", QT_TRANSLATE_NOOP("SessionsPane", "Export this conversation as Markdown"), "download"
    ),
    CommandSpec("sessions.jsonl", QT_TRANSLATE_NOOP("SessionsPane", "Export this conversation as JSONL"), "download"),
    CommandSpec("sessions.rename", QT_TRANSLATE_NOOP("SessionsPane", "Rename conversation"), "pencil"),
    CommandSpec("sessions.forget", QT_TRANSLATE_NOOP("SessionsPane", "Delete conversation"), "trash-2"),
)
_NOTES = (
    CommandSpec("notes.daily", QT_TRANSLATE_NOOP("NotesPane", "Today's note"), "calendar-clock", "Ctrl+D"),
    CommandSpec("notes.template", QT_TRANSLATE_NOOP("NotesPane", "New note from a template"), "copy", "Ctrl+Alt+N"),
    CommandSpec("notes.calendar", QT_TRANSLATE_NOOP("NotesPane", "Calendar of days"), "calendar-clock", "Ctrl+Alt+D"),
    CommandSpec("notes.save_filter", QT_TRANSLATE_NOOP("NotesPane", "Save this filter"), "bookmark-plus"),
    CommandSpec("notes.empty_trash", QT_TRANSLATE_NOOP("NotesPane", "Empty the trash"), "trash-2"),
    CommandSpec("notes.merge", QT_TRANSLATE_NOOP("NotesPane", "Merge the selected notes"), "merge"),
    CommandSpec("notes.filter", QT_TRANSLATE_NOOP("NotesPane", "Filter notes"), "search", "Ctrl+F"),
    CommandSpec("notes.trash", QT_TRANSLATE_NOOP("NotesPane", "Show deleted notes"), "trash-2"),
    CommandSpec("notes.facets", QT_TRANSLATE_NOOP("NotesPane", "Show or hide the filters"), "funnel"),
    CommandSpec("notes.next", QT_TRANSLATE_NOOP("NotesPane", "Next marked word"), "chevron-down", "F3"),
    CommandSpec("notes.previous", QT_TRANSLATE_NOOP("NotesPane", "Previous marked word"), "chevron-up", "Shift+F3"),
    CommandSpec("notes.pin", QT_TRANSLATE_NOOP("NotesPane", "Pin or unpin"), "pin", "Ctrl+Shift+D"),
    CommandSpec("notes.delete", QT_TRANSLATE_NOOP("NotesPane", "Delete note"), "trash-2"),
    CommandSpec("notes.attach", QT_TRANSLATE_NOOP("NotesPane", "Attach a file…"), "paperclip"),
    CommandSpec("notes.tag", QT_TRANSLATE_NOOP("NotesPane", "Add a tag"), "tag", "Ctrl+T"),
    CommandSpec("notes.write", QT_TRANSLATE_NOOP("NotesPane", "Write"), "pencil"),
    CommandSpec("notes.split", QT_TRANSLATE_NOOP("NotesPane", "Write and preview"), "panel-right"),
    CommandSpec("notes.read", QT_TRANSLATE_NOOP("NotesPane", "Read"), "eye"),
    CommandSpec(
        "notes.fold", QT_TRANSLATE_NOOP("NotesPane", "Fold or unfold this section"), "chevron-down", "Ctrl+Shift+K"
    ),
    CommandSpec("notes.unfold", QT_TRANSLATE_NOOP("NotesPane", "Unfold all sections"), "rows-3"),
)
_GRAPH = (
    CommandSpec("graph.find", QT_TRANSLATE_NOOP("GraphPane", "Find a name"), "search", "Ctrl+F"),
    CommandSpec("graph.fit", QT_TRANSLATE_NOOP("GraphPane", "Bring the whole graph into sight"), "maximize"),
    CommandSpec("graph.closer", QT_TRANSLATE_NOOP("GraphPane", "Zoom into the graph"), "zoom-in"),
    CommandSpec("graph.farther", QT_TRANSLATE_NOOP("GraphPane", "Zoom out of the graph"), "zoom-out"),
    CommandSpec("graph.list", QT_TRANSLATE_NOOP("GraphPane", "Show names as a list"), "list", "Ctrl+L"),
    CommandSpec("graph.lasso", QT_TRANSLATE_NOOP("GraphPane", "Select with the lasso"), "lasso"),
    CommandSpec("graph.all", QT_TRANSLATE_NOOP("GraphPane", "Graph of all names"), "waypoints"),
    CommandSpec("graph.around", QT_TRANSLATE_NOOP("GraphPane", "Draw the graph around this name"), "map-pin"),
    CommandSpec("graph.pin", QT_TRANSLATE_NOOP("GraphPane", "Pin or unpin this name"), "pin"),
    CommandSpec("graph.rename", QT_TRANSLATE_NOOP("GraphPane", "Rename this name"), "pencil", "F2"),
    CommandSpec("graph.merge", QT_TRANSLATE_NOOP("GraphPane", "Merge this name into another"), "merge"),
    CommandSpec("graph.split", QT_TRANSLATE_NOOP("GraphPane", "Split this name"), "split"),
    CommandSpec("graph.relate", QT_TRANSLATE_NOOP("GraphPane", "Relate this name to another"), "link"),
    CommandSpec("graph.arrange", QT_TRANSLATE_NOOP("GraphPane", "Arrange the graph again"), "refresh-cw"),
    CommandSpec("graph.png", QT_TRANSLATE_NOOP("GraphPane", "Save the graph as a picture"), "share-2"),
    CommandSpec("graph.svg", QT_TRANSLATE_NOOP("GraphPane", "Save the graph as a drawing"), "share-2"),
    CommandSpec("graph.graphml", QT_TRANSLATE_NOOP("GraphPane", "Save the graph as data"), "share-2"),
)
_SCHEDULE = (
    CommandSpec(
        "schedule.new",
        QT_TRANSLATE_NOOP("SchedulePane", "New schedule"),
        "plus",
        keywords="goal task recurring repeat",
    ),
    CommandSpec(
        "schedule.run", QT_TRANSLATE_NOOP("SchedulePane", "Run the chosen schedule now"), "play", "Ctrl+Return"
    ),
    CommandSpec("schedule.week", QT_TRANSLATE_NOOP("SchedulePane", "Week"), "calendar-clock"),
)
_SEARCH = (
    CommandSpec("search.box", QT_TRANSLATE_NOOP("SearchPane", "Type a search"), "search", "Ctrl+F"),
    CommandSpec("search.copy", QT_TRANSLATE_NOOP("SearchPane", "Copy results as Markdown"), "copy", "Ctrl+Shift+C"),
    CommandSpec("search.export", QT_TRANSLATE_NOOP("SearchPane", "Export all results…"), "download", "Ctrl+Shift+E"),
    CommandSpec(
        "search.save", QT_TRANSLATE_NOOP("SearchPane", "Save this search or delete it"), "bookmark", SAVE_SEARCH_KEY
    ),
    CommandSpec("search.why_not", QT_TRANSLATE_NOOP("SearchPane", "Why not …?"), "circle-question-mark"),
    CommandSpec("search.next", QT_TRANSLATE_NOOP("SearchPane", "Next marked word"), "chevron-down", "F3"),
    CommandSpec("search.previous", QT_TRANSLATE_NOOP("SearchPane", "Previous marked word"), "chevron-up", "Shift+F3"),
    CommandSpec("search.group", QT_TRANSLATE_NOOP("SearchPane", "Group results in another way"), "list-tree", "Ctrl+G"),
    CommandSpec("search.facets", QT_TRANSLATE_NOOP("SearchPane", "Show or hide the filters"), "funnel"),
)
_INBOX = (
    CommandSpec("inbox.accept", QT_TRANSLATE_NOOP("InboxPane", "Accept the proposal"), "check", "Ctrl+Return"),
    CommandSpec("inbox.reject", QT_TRANSLATE_NOOP("InboxPane", "Reject the proposal"), "x", "Ctrl+Backspace"),
)
_AGENTS = (
    CommandSpec("agents.connect", QT_TRANSLATE_NOOP("AgentsPane", "Connect a program…"), "plug"),
    CommandSpec("agents.new", QT_TRANSLATE_NOOP("AgentsPane", "Add an agent"), "plus"),
)
_STATUS = (
    CommandSpec("status.backup", QT_TRANSLATE_NOOP("StatusPane", "Back up now"), "archive"),
    CommandSpec("status.check", QT_TRANSLATE_NOOP("StatusPane", "Check the vault"), "shield-check"),
)
PANE_COMMANDS: dict[str, tuple[CommandSpec, ...]] = {
    "sessions": _SESSIONS,
    "notes": _NOTES,
    "graph": _GRAPH,
    "schedule": _SCHEDULE,
    "search": _SEARCH,
    "inbox": _INBOX,
    "agents": _AGENTS,
    "status": _STATUS,
}


def pane_actions(
    pane: str,
    slots: Mapping[str, Slot],
    enabled: Mapping[str, Callable[[], bool]] | None = None,
    checked: Mapping[str, Callable[[], bool]] | None = None,
) -> list[Action]:
    """Join the declared commands of a pane with what they do.

    Args:
        pane: The name of the pane.
        slots: What each command does; every one that is declared must be there.
        enabled: When some of them can be done.
        checked: When those that can be switched are on.
    """
    return [
        Action(
            id=spec.id,
            title=_title(pane, spec),
            run=slots[spec.id],
            icon=spec.icon,
            shortcut=spec.shortcut,
            group=spec.group or pane,
            enabled=(enabled or {}).get(spec.id),
            checked=(checked or {}).get(spec.id),
            keywords=spec.keywords,
            pane="" if spec.id in EVERYWHERE else pane,
        )
        for spec in PANE_COMMANDS[pane]
    ]


def _title(pane: str, spec: CommandSpec) -> str:
    return QCoreApplication.translate(f"{pane.capitalize()}Pane", str(spec.title))


def awaited_actions(run: Callable[[str, str], object], enabled: Callable[[], bool]) -> list[Action]:
    """Return the commands of all panes before a pane is built.

    Args:
        run: Opens a pane by its name, and does there what a command says.
        enabled: Whether panes can be opened.
    """
    return [
        action
        for pane, specs in PANE_COMMANDS.items()
        for action in pane_actions(
            pane,
            {spec.id: partial(run, pane, spec.id) for spec in specs},
            {spec.id: enabled for spec in specs},
        )
    ]
