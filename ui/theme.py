"""Theme: tokens from ``resources/themes``, with the palette and stylesheet made from them."""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from app.core.paths import resources
from ui.style.design_tokens import TYPE, Tokens
from ui.style.sheet_roots import Rules, SheetRoots
from ui.style.stylesheet import stylesheet_for
from ui.style.tinted_icons import TintedIcons

FAMILIES = ("Inter", "SF Pro Text", "Segoe UI Variable Text", "Segoe UI", "Cantarell", "Noto Sans")
BARE_FAMILIES = ("DejaVu Sans", "Bitstream Vera Sans", "Sans Serif", "")
MIN_SCALE, MAX_SCALE = 0.75, 2.0


class Scheme(StrEnum):
    """Colour scheme that the person chose."""

    LIGHT = "light"
    DARK = "dark"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class ThemeInputs:
    """Inputs that decide the colours: scheme, system and contrast."""

    scheme: Scheme = Scheme.SYSTEM
    system_dark: bool = False
    contrast: bool = False

    @property
    def dark(self) -> bool:
        """True if the dark colours apply."""
        return self.scheme is Scheme.DARK or (self.scheme is Scheme.SYSTEM and self.system_dark)


@lru_cache(maxsize=4)
def tokens_for(scheme: Scheme, contrast: bool = False) -> Tokens:
    """Return the colours of ``scheme``; ``SYSTEM`` counts as light, since only ``Theme`` knows the system."""
    name = "dark" if scheme is Scheme.DARK else "light"
    folder = resources() / "themes"
    values = tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))
    if contrast:
        values |= tomllib.loads((folder / f"{name}-contrast.toml").read_text("utf-8"))
    series = tuple(values.pop("series"))
    return Tokens(name=name, series=series, **values)


def palette_for(scheme: Scheme, contrast: bool = False) -> QPalette:
    """Return Qt's palette in the colours of ``scheme``."""
    tokens = tokens_for(scheme, contrast)
    palette = QPalette()
    role = QPalette.ColorRole
    for target, colour in (
        (role.Window, tokens.canvas),
        (role.WindowText, tokens.text),
        (role.Base, tokens.surface),
        (role.AlternateBase, tokens.canvas),
        (role.Text, tokens.text),
        (role.PlaceholderText, tokens.muted),
        (role.Button, tokens.canvas),
        (role.ButtonText, tokens.text),
        (role.BrightText, tokens.danger),
        (role.ToolTipBase, tokens.raised),
        (role.ToolTipText, tokens.text),
        (role.Highlight, tokens.selected),
        (role.HighlightedText, tokens.text),
        (role.Accent, tokens.accent),
        (role.Link, tokens.link),
        (role.LinkVisited, tokens.link),
        (role.Light, tokens.raised),
        (role.Midlight, tokens.hover),
        (role.Mid, tokens.line),
        (role.Dark, tokens.edge),
        (role.Shadow, tokens.line),
    ):
        palette.setColor(target, QColor(colour))
    for target in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, target, QColor(tokens.edge))
    return palette


def set_type(widget: QWidget, name: str) -> None:
    """Give ``widget`` a step of the type scale: ``small``, ``body``, ``strong``, ``heading``, ``title``, ``display``.

    The words ``muted``, ``accent`` and ``danger`` may follow, as in ``"small muted"``.
    """
    step, _, tone = name.partition(" ")
    widget.setProperty("type", step)
    widget.setProperty("tone", tone)
    if current().has_sheet_for(widget):
        repolish(widget)
    else:
        widget.setFont(current().font(step))  # for what is measured before the sheet is there


def repolish(widget: QWidget) -> None:
    """Apply the stylesheet again after a property changed that it selects by."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)


class Theme(QObject):
    """Current theme; applies itself to the application and follows the system."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = ThemeInputs()
        self._scale = 1.0
        self._has_contrast = False
        self._system_contrast = False
        self.reduced_motion = False
        """Whether changes are shown at once, without movement."""
        self._base_points = 10.0
        self._app: QApplication | None = None
        self._glyphs = TintedIcons()
        self._roots = SheetRoots(self)
        self._is_divided = False
        self._sheet = ""

    @property
    def tokens(self) -> Tokens:
        """The current colours."""
        return tokens_for(Scheme.DARK if self._look.dark else Scheme.LIGHT, self._look.contrast)

    @property
    def scheme(self) -> Scheme:
        """Scheme that the person chose."""
        return self._look.scheme

    @property
    def scale(self) -> float:
        """The size of text and spacing, 1.0 for the system's."""
        return self._scale

    @property
    def contrast(self) -> bool:
        """True if the person always wants high contrast, without regard to the system."""
        return self._has_contrast

    @property
    def points(self) -> float:
        """Size of body text in points."""
        return round(self._base_points * self._scale, 1)

    def install(self, app: QApplication) -> None:
        """Style ``app`` as a whole, and follow the system's theme from now on."""
        self._app = app
        self._is_divided = False
        self._sheet = ""
        app.setStyle("Fusion")
        font = app.font()
        if font.family() in BARE_FAMILIES:
            font.setFamily(_best_family(font.family()))
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        self._base_points = font.pointSizeF() if font.pointSizeF() > 0 else self._base_points
        app.setFont(font)
        hints = app.styleHints()
        hints.colorSchemeChanged.connect(self._on_system_changed)
        hints.accessibility().contrastPreferenceChanged.connect(self._on_system_changed)
        self._on_system_changed()

    def divide(self) -> None:
        """Let the roots carry the style sheet from now on, and no longer the application."""
        self._is_divided = True
        if self._app is not None:
            self._app.setStyleSheet("")
            self._roots.set_sheet(self._sheet, at_once=True)

    def add_root(self, root: QWidget, rules: Rules | None = None) -> None:
        """Let ``root`` carry the style sheet for all in it, where the application does not.

        Args:
            root: A window, or a part of one with no root above it.
            rules: Returns the rules that it carries instead, in the colours of now.
        """
        self._roots.add(root, rules)

    def has_sheet_for(self, widget: QWidget) -> bool:
        """Return whether the style sheet reaches ``widget`` where it is now."""
        ancestor: QWidget | None = widget
        while self._is_divided and ancestor is not None and not ancestor.styleSheet():
            ancestor = ancestor.parentWidget()
        return ancestor is not None

    def dress(self, root: QWidget) -> None:
        """Bring a hidden root up to date before it is shown."""
        self._roots.dress(root)

    def set_scheme(self, scheme: Scheme) -> None:
        """Switch to ``scheme`` at once."""
        self._set_look(ThemeInputs(scheme, self._look.system_dark, self._look.contrast))

    def set_contrast(self, contrast: bool) -> None:
        """Switch high contrast on, or leave it to the system."""
        self._has_contrast = contrast
        self._set_look(ThemeInputs(self._look.scheme, self._look.system_dark, contrast or self._system_contrast))

    def set_scale(self, scale: float) -> None:
        """Set the size of all text, between three quarters and double."""
        self._scale = min(max(scale, MIN_SCALE), MAX_SCALE)
        self._apply()

    def scaled(self, pixels: float) -> int:
        """Return a length scaled to the size of text."""
        return round(pixels * self._scale)

    def font(self, step: str = "body") -> QFont:
        """Return the font of a step of the type scale, for custom painting."""
        size, weight = TYPE[step]
        font = QFont(QApplication.font())
        font.setPointSizeF(round(self.points * size, 1))
        font.setWeight(QFont.Weight(weight))
        return font

    def colour(self, name: str) -> QColor:
        """Return the token ``name`` as a colour, for custom painting."""
        return QColor(getattr(self.tokens, name))

    def _on_system_changed(self) -> None:
        if self._app is None:
            return
        hints = self._app.styleHints()
        dark = hints.colorScheme() == Qt.ColorScheme.Dark
        self._look = ThemeInputs(self._look.scheme, dark, self._has_contrast or self._system_contrast)
        self._apply()

    def _set_look(self, look: ThemeInputs) -> None:
        self._look = look
        self._apply()

    def _apply(self) -> None:
        if self._app is not None:
            sheet = stylesheet_for(self.tokens, self.points, self._glyphs.paths(self.tokens), self._scale)
            if self._sheet != sheet:
                self._sheet = sheet
                self._dress(self._app)
        self.changed.emit()

    def _dress(self, app: QApplication) -> None:
        """Give ``app`` font, palette and style sheet, polishing each widget that was shown once."""
        # To replace one sheet by another Qt polishes every widget and subcontrol there is; a first one, a third of it.
        if not self._is_divided:
            app.setStyleSheet("")
        font = app.font()
        has_other_size = font.pointSizeF() != self.points
        if has_other_size:
            font.setPointSizeF(self.points)
            app.setFont(font)
        app.setPalette(palette_for(Scheme.DARK if self._look.dark else Scheme.LIGHT, self._look.contrast))
        if self._is_divided:
            self._roots.set_sheet(self._sheet, at_once=has_other_size)
        else:
            self._roots.set_sheet("", at_once=True)
            app.setStyleSheet(self._sheet)


@lru_cache(maxsize=1)
def current() -> Theme:
    """Return the program's one theme."""
    return Theme()


def _best_family(fallback: str) -> str:
    """Return the first family of ``FAMILIES`` that is installed."""
    installed = set(QFontDatabase.families())
    return next((family for family in FAMILIES if family in installed), fallback)
