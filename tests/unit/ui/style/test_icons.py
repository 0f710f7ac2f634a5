"""Every icon the window names exists, and is drawn in the theme's colour."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon, QImage

from ui import theme
from ui.panes.pane_commands import PANE_COMMANDS
from ui.shell.pane_stack import PANES
from ui.shell.window_commands import FRAME
from ui.style import icons
from ui.style.tinted_icons import MARKS
from ui.theme import Scheme

ROOT = Path(icons.__file__).parent
CALL = re.compile(r"(?:\bicon|icon_button|Sign|EmptyState|pixmap|show_icon)\(\s*\"([a-z0-9-]+)\"")
FIELD = re.compile(r"\bicon(?:_name)?(?:: ClassVar\[str\])?\s*=\s*\"([a-z0-9-]+)\"")


def _named() -> set[str]:
    texts = [path.read_text("utf-8") for path in ROOT.rglob("*.py")]
    found = {name for text in texts for pattern in (CALL, FIELD) for name in pattern.findall(text)}
    commands = {spec.icon for specs in PANE_COMMANDS.values() for spec in specs}
    return (
        found
        | commands
        | {item.icon for item in FRAME}
        | {pane.icon for pane in PANES}
        | {name for name, _ in MARKS.values()}
    )


@pytest.mark.parametrize("name", sorted(_named() - {""}))
def test_icon_exists(name: str) -> None:
    assert icons.exists(name)


def _colours(icon: QIcon, mode: QIcon.Mode = QIcon.Mode.Normal, state: QIcon.State = QIcon.State.Off) -> set[str]:
    image = icon.pixmap(QSize(24, 24), mode, state).toImage().convertToFormat(QImage.Format.Format_ARGB32)
    pixels = (image.pixelColor(x, y) for x in range(24) for y in range(24))
    return {pixel.name() for pixel in pixels if pixel.alpha() == 255}


def test_icon_follows_the_theme_by_itself(look: theme.Theme) -> None:
    kept = icons.icon("square", "text")
    look.set_scheme(Scheme.LIGHT)
    assert _colours(kept) == {look.tokens.text}
    look.set_scheme(Scheme.DARK)
    assert _colours(kept) == {look.tokens.text}


def test_checked_and_disabled_have_their_colours(look: theme.Theme) -> None:
    icon = icons.icon("square")
    assert _colours(icon, state=QIcon.State.On) == {look.tokens.accent}
    assert _colours(icon, QIcon.Mode.Disabled) == {look.tokens.edge}


def test_missing_icon_is_empty(look: theme.Theme) -> None:
    assert icons.icon("no-such-icon").isNull()
    assert _colours(icons.icon("no-such-icon")) == set()


def test_sharp_on_dense_screens(look: theme.Theme) -> None:
    pixels = icons.icon("search").pixmap(QSize(18, 18), 2.0)
    assert pixels.size() == QSize(36, 36)
    assert pixels.devicePixelRatio() == 2.0
