"""The frame's own actions as data; ``TimeWindow`` says what each does."""

from collections.abc import Callable

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from ui.actions import Action, CommandSpec, Slot
from ui.shell.pane_stack import PANES

MENUS: tuple[tuple[str, object], ...] = (
    ("file", QT_TRANSLATE_NOOP("Frame", "File")),
    ("edit", QT_TRANSLATE_NOOP("Frame", "Edit")),
    ("go", QT_TRANSLATE_NOOP("Frame", "Go")),
    ("view", QT_TRANSLATE_NOOP("Frame", "View")),
    ("work", QT_TRANSLATE_NOOP("Frame", "Work")),
    ("help", QT_TRANSLATE_NOOP("Frame", "Help")),
)
SETTINGS = "settings"
"""Group of the actions that open one section of the settings; it has no menu."""
SETTINGS_TITLE: object = QT_TRANSLATE_NOOP("Frame", "Settings")


FRAME = (
    CommandSpec("notes.new", QT_TRANSLATE_NOOP("Frame", "New note"), "plus", "Ctrl+N", "create write", group="file"),
    CommandSpec("file.capture", QT_TRANSLATE_NOOP("Frame", "Quick capture…"), "plus", "Ctrl+Shift+N", "new jot write"),
    CommandSpec(
        "file.import",
        QT_TRANSLATE_NOOP("Frame", "Import…"),
        "download",
        "Ctrl+Shift+I",
        "chatgpt claude obsidian",
    ),
    CommandSpec(
        "file.export",
        QT_TRANSLATE_NOOP("Frame", "Export everything…"),
        "folder-open",
        "",
        "save take out backup copy json markdown html",
    ),
    CommandSpec(
        "file.capsule",
        QT_TRANSLATE_NOOP("Frame", "Make a capsule…"),
        "upload",
        "",
        "export share give send sign person agent",
    ),
    CommandSpec("file.settings", QT_TRANSLATE_NOOP("Frame", "Settings…"), "settings", "Ctrl+,", "preferences options"),
    CommandSpec(
        "file.models",
        QT_TRANSLATE_NOOP("Frame", "Search models…"),
        "split",
        "",
        "embedding meaning vectors compare ranking recipe rollback",
    ),
    CommandSpec(
        "file.test_model",
        QT_TRANSLATE_NOOP("Frame", "Test the language model"),
        "brain",
        "",
        "llm ollama openai answer spend cost",
    ),
    CommandSpec("file.close", QT_TRANSLATE_NOOP("Frame", "Close window"), "x", "Ctrl+W"),
    CommandSpec("file.lock", QT_TRANSLATE_NOOP("Frame", "Lock"), "lock", "Ctrl+Alt+L", "passphrase encryption close"),
    CommandSpec("file.quit", QT_TRANSLATE_NOOP("Frame", "Quit"), "power", "Ctrl+Q", "exit"),
    CommandSpec("edit.undo", QT_TRANSLATE_NOOP("Frame", "Undo"), "undo-2", "Ctrl+Z"),
    CommandSpec("edit.redo", QT_TRANSLATE_NOOP("Frame", "Redo"), "redo-2", "Ctrl+Shift+Z; Ctrl+Y"),
    CommandSpec(
        "edit.history",
        QT_TRANSLATE_NOOP("Frame", "History…"),
        "history",
        "Ctrl+H",
        "undo changes log deleted import restore bring back who",
    ),
    CommandSpec("go.palette", QT_TRANSLATE_NOOP("Frame", "Command palette…"), "command", "Ctrl+K"),
    CommandSpec(
        "go.jump", QT_TRANSLATE_NOOP("Frame", "Jump to…"), "search", "Ctrl+O", "quick switcher open note session"
    ),
    CommandSpec("go.back", QT_TRANSLATE_NOOP("Frame", "Back"), "arrow-left", "Alt+Left"),
    CommandSpec("go.forward", QT_TRANSLATE_NOOP("Frame", "Forward"), "arrow-right", "Alt+Right"),
    CommandSpec("go.find", QT_TRANSLATE_NOOP("Frame", "Search everything"), "search", "Ctrl+Shift+F"),
    CommandSpec("go.region", QT_TRANSLATE_NOOP("Frame", "Next part of the window"), "panel-left", "F6", listed=False),
    CommandSpec(
        "go.region_back",
        QT_TRANSLATE_NOOP("Frame", "Previous part"),
        "panel-left",
        "Shift+F6",
        listed=False,
    ),
    CommandSpec("go.menu", QT_TRANSLATE_NOOP("Frame", "Menu"), "menu", "F10", listed=False),
    CommandSpec("go.notice", QT_TRANSLATE_NOOP("Frame", "Newest notice"), "info", "Ctrl+Shift+U", "toast undo"),
    CommandSpec("go.copy_link", QT_TRANSLATE_NOOP("Frame", "Copy link to this place"), "link", "Ctrl+Shift+L"),
    CommandSpec(
        "view.inspector", QT_TRANSLATE_NOOP("Frame", "Show or hide the inspector"), "panel-right", "Ctrl+Shift+P"
    ),
    CommandSpec("view.light", QT_TRANSLATE_NOOP("Frame", "Theme: light"), "sun", "", "theme appearance scheme"),
    CommandSpec("view.dark", QT_TRANSLATE_NOOP("Frame", "Theme: dark"), "moon", "", "theme appearance scheme"),
    CommandSpec(
        "view.system", QT_TRANSLATE_NOOP("Frame", "Theme: like the system"), "monitor", "", "theme appearance scheme"
    ),
    CommandSpec("view.larger", QT_TRANSLATE_NOOP("Frame", "Larger text"), "zoom-in", "Ctrl++; Ctrl+=", "zoom scale"),
    CommandSpec("view.smaller", QT_TRANSLATE_NOOP("Frame", "Smaller text"), "zoom-out", "Ctrl+-", "zoom scale"),
    CommandSpec(
        "view.normal", QT_TRANSLATE_NOOP("Frame", "Normal text size"), "maximize", "Ctrl+0", "zoom scale reset"
    ),
    CommandSpec("help.pages", QT_TRANSLATE_NOOP("Frame", "Help"), "circle-question-mark", "F1", "manual guide"),
    CommandSpec("help.welcome", QT_TRANSLATE_NOOP("Frame", "First steps"), "sparkles", "", "welcome tour start sample"),
    CommandSpec("help.shortcuts", QT_TRANSLATE_NOOP("Frame", "Keyboard shortcuts"), "keyboard", "Ctrl+?", "keys"),
    CommandSpec("help.about", QT_TRANSLATE_NOOP("Frame", "About Keepsake"), "info", "", "version debug"),
)


def translated(text: object) -> str:
    """Return a text of this file in the person's language."""
    return QCoreApplication.translate("Frame", str(text))


def group_title(group: str) -> str:
    """Return what a group of actions is called: a menu's or a pane's title."""
    titles = {name: translated(title) for name, title in MENUS} | {pane.name: pane.shown_title for pane in PANES}
    return titles.get(group) or (translated(SETTINGS_TITLE) if group == SETTINGS else group.capitalize())


def frame_actions(
    slots: dict[str, Slot], enabled: dict[str, Callable[[], bool]], checked: dict[str, Callable[[], bool]]
) -> list[Action]:
    """Join the declarations with what they do.

    Args:
        slots: What each id does; every declared id must be there.
        enabled: When some of them can be done.
        checked: When those that can be switched are on.
    """
    return [
        Action(
            id=declared.id,
            title=translated(declared.title),
            run=slots[declared.id],
            icon=declared.icon,
            shortcut=declared.shortcut,
            group=declared.group or declared.id.partition(".")[0],
            enabled=enabled.get(declared.id),
            checked=checked.get(declared.id),
            keywords=declared.keywords,
            listed=declared.listed,
        )
        for declared in FRAME
    ]
