"""Design tokens: colours by purpose, spacing, corners and type scale."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tokens:
    """Colours by purpose, each ``#rrggbb``.

    Args:
        name: ``light`` or ``dark``.
        canvas: Ground of the window, rail and bars.
        surface: Ground of lists, reading and editing.
        raised: Ground of popups, cards and toasts.
        sunken: Ground of fields within the canvas.
        hover, selected: Ground of a row or button under the pointer, and of the chosen one.
        line: Hairlines; decoration, never the only sign of anything.
        edge: Outlines that tell a control from its ground.
        text, muted: Words, and less important words.
        accent, on_accent, accent_soft: The one accent, words on it, and a ground that hints at it.
        link: Words that lead somewhere.
        danger, danger_soft, warning, success: States; always with a word or icon beside them.
        mark, on_mark: Search matches.
        code: Ground of code.
        series: Colours that tell kinds, agents or groups apart; always with a label.
    """

    name: str
    canvas: str
    surface: str
    raised: str
    sunken: str
    hover: str
    selected: str
    line: str
    edge: str
    text: str
    muted: str
    accent: str
    on_accent: str
    accent_soft: str
    link: str
    danger: str
    danger_soft: str
    warning: str
    success: str
    mark: str
    on_mark: str
    code: str
    series: tuple[str, ...]


class Space:
    """Distances in pixels; everything stands on a grid of four."""

    XS = 4
    S = 8
    M = 12
    L = 16
    XL = 24
    XXL = 40


class Radius:
    """Corners in pixels."""

    SMALL = 6
    MEDIUM = 8
    LARGE = 12


TYPE: dict[str, tuple[float, int]] = {
    "small": (0.9, 400),
    "body": (1.0, 400),
    "strong": (1.0, 600),
    "heading": (1.2, 600),
    "title": (1.5, 600),
    "display": (2.0, 600),
}
"""Steps of the type scale: factor of the body size, and weight."""

INKS = ("text", "muted", "link", "accent", "danger", "warning", "success")
GROUNDS = ("canvas", "surface", "raised", "sunken", "hover", "selected", "accent_soft", "code")
TEXT_PAIRS: tuple[tuple[str, str], ...] = (
    *((ink, ground) for ink in INKS for ground in GROUNDS),
    ("danger", "danger_soft"),
    ("text", "danger_soft"),
    ("on_accent", "accent"),
    ("on_mark", "mark"),
)
"""Words and grounds that occur together; each pair has a contrast of at least 4.5."""

PART_PAIRS: tuple[tuple[str, str], ...] = tuple(
    (part, ground) for part in ("edge", "accent", "muted") for ground in ("canvas", "surface", "raised")
)
"""Controls and grounds that occur together; each pair has a contrast of at least 3."""


_LINEAR_BELOW = 0.04045


def _linear(value: float) -> float:
    return value / 12.92 if value <= _LINEAR_BELOW else ((value + 0.055) / 1.055) ** 2.4


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb`` (WCAG 2.2)."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        value / 12.92 if value <= _LINEAR_BELOW else ((value + 0.055) / 1.055) ** 2.4 for value in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.2)."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)
