"""The stylesheet, made of tokens: what a palette cannot say, and nothing about bare widgets."""

from collections.abc import Mapping
from string import Template

from ui.style.design_tokens import TYPE, Radius, Tokens

_GROWING = (12, 14, 16, 22, 26)
"""Pixels that grow with the text."""
_BARS = Template("""QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $line; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: 32px; }
QScrollBar::handle:horizontal { min-width: 32px; }
QScrollBar::handle:hover { background: $edge; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")
_SHEET = Template("""
QToolTip { background: $raised; color: $text; border: 1px solid $line; padding: 4px 8px; }
#shortcutTree::item { padding: 4px 2px; }
#rail { background: $canvas; border-right: 1px solid $line; }
#topBar { background: $canvas; border-bottom: 1px solid $line; }
#statusLine { background: $canvas; border-top: 1px solid $line; }
QMenu { background: $raised; border: 1px solid $line; padding: 6px; }
QMenu::item { padding: 6px 24px 6px 12px; border-radius: ${small}px; }
QMenu::item:selected { background: $selected; color: $text; }
QMenu::item:disabled { color: $edge; }
QMenu::separator { height: 1px; background: $line; margin: 6px 8px; }
QMenu::icon { padding-left: 8px; }
QMenu, QPushButton { icon-size: ${px16}px; }

#rail QToolButton { border: 0; border-radius: ${medium}px; padding: 7px 2px 5px 2px; color: $muted; }
#rail QToolButton:hover { background: $hover; color: $text; }
#rail QToolButton:checked { background: $selected; color: $accent; }
#rail QToolButton:focus { border: 2px solid $accent; padding: 5px 0 3px 0; }
QToolButton[flat="true"] { border: 1px solid transparent; border-radius: ${small}px; padding: 5px; }
QToolButton[flat="true"]:hover { background: $hover; }
QToolButton[flat="true"]:pressed, QToolButton[flat="true"]:checked { background: $selected; }
QToolButton[flat="true"]:focus { border: 1px solid $accent; }
QToolButton[flat="true"]::menu-indicator { image: none; }
QLineEdit > QToolButton[inside="true"] { border: 0; border-radius: ${small}px; padding: 0; }
QLineEdit > QToolButton[inside="true"]:hover { background: $hover; }

QPushButton { background: $raised; color: $text; border: 1px solid $line; border-radius: ${small}px;
  padding: 6px 14px; min-height: ${px16}px; }
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $selected; }
QPushButton:focus { border: 1px solid $accent; }
QPushButton:disabled { color: $edge; background: transparent; }
QPushButton[primary="true"] { background: $accent; color: $on_accent; border: 1px solid $accent; font-weight: 600; }
QPushButton[primary="true"]:hover { border: 1px solid $text; }
QPushButton[primary="true"]:focus { border: 2px solid $text; padding: 5px 13px; }
QPushButton[primary="true"]:disabled { background: $hover; color: $muted; border: 1px solid $line; }
QPushButton[quiet="true"] { background: transparent; border: 1px solid transparent; color: $link; padding: 4px 8px; }
QPushButton[quiet="true"]:hover { background: $hover; }
QPushButton[quiet="true"]:focus { border: 1px solid $accent; }
QPushButton[danger="true"] { color: $danger; }

QLineEdit, QPlainTextEdit, QTextEdit { placeholder-text-color: $muted; }
QLineEdit, QComboBox, QAbstractSpinBox { background: $surface; color: $text; border: 1px solid $line;
  border-radius: ${small}px; padding: 6px 10px; selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit:hover, QComboBox:hover, QAbstractSpinBox:hover { border: 1px solid $edge; }
QLineEdit:focus, QComboBox:focus, QAbstractSpinBox:focus { border: 1px solid $accent; }
QLineEdit[plain="true"] { background: transparent; border: 0; padding: 0; }
QComboBox::drop-down { border: 0; width: ${px26}px; }
QComboBox::down-arrow { image: url($arrow_down); width: ${px14}px; height: ${px14}px; }
QAbstractSpinBox { padding: 6px 0 6px 10px; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: 0; width: ${px22}px; background: transparent; }
QAbstractSpinBox::up-button { subcontrol-position: top right; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; }
QAbstractSpinBox::up-arrow { image: url($arrow_up); width: ${px12}px; height: ${px12}px; }
QAbstractSpinBox::down-arrow { image: url($arrow_down); width: ${px12}px; height: ${px12}px; }
QCheckBox { spacing: 8px; }
QCheckBox::indicator { width: ${px16}px; height: ${px16}px; border: 1px solid $edge; border-radius: 4px;
  background: $surface; }
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border: 1px solid $accent; }
QCheckBox::indicator:checked { background: $accent; border: 1px solid $accent; image: url($check); }
QCheckBox::indicator:checked:focus { border: 1px solid $text; }
QCheckBox::indicator:disabled { background: $hover; border: 1px solid $line; }
QMenu::right-arrow { image: url($arrow_right); width: ${px14}px; height: ${px14}px; margin-right: 4px; }
QMenu::indicator { width: ${px14}px; height: ${px14}px; margin-left: 6px; }
QComboBox QAbstractItemView { background: $raised; border: 1px solid $line; padding: 4px; outline: 0; }
#jumpField { background: $sunken; border: 1px solid $line; color: $muted; text-align: left; padding: 7px 12px;
  border-radius: ${medium}px; }
#jumpField:hover { border: 1px solid $edge; color: $text; }
#jumpField:focus { border: 1px solid $accent; }

QPlainTextEdit, QTextEdit, QTextBrowser { background: $surface; color: $text; border: 0;
  selection-background-color: $accent; selection-color: $on_accent; }
QPlainTextEdit[framed="true"] { border: 1px solid $line; border-radius: ${medium}px; padding: 6px; }
QPlainTextEdit[framed="true"]:focus { border: 1px solid $accent; }
QTextBrowser#readingPage { border: 1px solid transparent; }
QLabel#linkLine { border: 1px solid transparent; border-radius: ${small}px; }
QLabel#linkLine:focus { border-color: $accent; }
QTextBrowser#readingPage[ringed="true"] { border: 1px solid $accent; border-radius: ${small}px; }
QAbstractItemView { background: $surface; border: 0; outline: 0; }
QListView::item { border-radius: ${small}px; }
QHeaderView::section { background: $canvas; color: $muted; border: 0; border-bottom: 1px solid $line;
  padding: 6px 8px; }
QTabWidget::pane { border: 0; }
QTabBar { qproperty-drawBase: 0; }
QTabBar::tab { background: transparent; color: $muted; padding: 7px 12px; border: 0;
  border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:focus { color: $accent; background: $hover; border-radius: ${small}px; }
QSplitter::handle { background: $line; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QSlider::groove:horizontal { height: 4px; background: $line; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { background: $accent; border: 2px solid $surface; width: 12px; margin: -6px 0;
  border-radius: ${medium}px; }
QSlider::handle:horizontal:focus, QSlider::handle:horizontal:hover { border: 2px solid $text; }
QScrollArea { border: 0; background: transparent; }
${bars}QProgressBar { background: $sunken; border: 0; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }

#toast { background: $raised; border: 1px solid $edge; border-radius: ${large}px; }
#toast[kind="error"] { border: 1px solid $danger; }
#banner { background: $danger_soft; border-bottom: 1px solid $line; }
#accessBar { background: $accent_soft; border-bottom: 1px solid $line; }
#popup { background: $raised; border: 1px solid $edge; border-radius: ${large}px; }
#captureWindow { background: $raised; border: 1px solid $edge; }
#popup QListView, #captureWindow QPlainTextEdit { background: transparent; }
#popup QLineEdit { background: transparent; border: 0; border-bottom: 1px solid $line; border-radius: 0;
  padding: 12px 16px; }
#shortcutTree, #helpPage, #statusPage { border: 1px solid transparent; }
#shortcutTree:focus, #helpPage:focus, #statusPage:focus { border: 1px solid $accent; border-radius: ${small}px; }
#helpList::item { padding: 5px 8px; border-radius: ${small}px; }
#helpList::item:selected { background: $selected; color: $text; }
#helpList::item:focus { border: 1px solid $accent; }
#card QListView, #card QTreeView { background: transparent; }
#card { background: $raised; border: 1px solid $line; border-radius: ${large}px; }
#sheet { background: $surface; }
#nameTable::item { padding: 0 8px; }
#rowList::item { padding: 4px 6px; border: 1px solid transparent; }
#rowList::item:hover { background: $hover; }
#rowList::item:selected { background: $selected; color: $text; }
#rowList::item:focus { border: 1px solid $accent; }
#nameTable::item:selected { background: $selected; color: $text; }
#nameTable QHeaderView::section { padding: 6px 8px; }
#plainTable::item { padding: 5px 8px; }
#plainTable::item:selected { background: $selected; color: $text; }
#legend { background: $surface; border: 0; }
#legend QToolButton { padding: 3px 6px; }
#legend QToolButton[off="true"] { color: $muted; }
#dropVeil { background: $accent_soft; border: 2px dashed $accent; border-radius: ${large}px; }
#hairline { background: $line; border: 0; }
$types
QLabel[type="code"] { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; background: $code; padding: 4px 8px;
  border-radius: ${small}px; }
QLabel[tone="muted"] { color: $muted; }
QLabel[tone="accent"] { color: $accent; }
QLabel[tone="danger"] { color: $danger; }
QLabel[tone="warning"] { color: $warning; }
""")


def stylesheet_for(tokens: Tokens, points: float, glyphs: Mapping[str, str], scale: float = 1.0) -> str:
    """Return the application's stylesheet.

    Args:
        tokens: The colours.
        points: Size of body text; the type scale multiplies it.
        glyphs: Files of the marks inside controls, by name.
        scale: How large text is, 1.0 for the system's size; icons and marks grow with it.
    """
    types = "\n".join(
        f'*[type="{step}"] {{ font-size: {points * factor:.1f}pt; font-weight: {weight}; }}'
        for step, (factor, weight) in TYPE.items()
    )
    colours = {name: getattr(tokens, name) for name in Tokens.__dataclass_fields__ if name != "series"}
    lengths = {f"px{pixels}": round(pixels * scale) for pixels in _GROWING}
    return _SHEET.substitute(
        colours,
        **glyphs,
        **lengths,
        types=types,
        bars=scroll_bar_rules(tokens),
        small=Radius.SMALL,
        medium=Radius.MEDIUM,
        large=Radius.LARGE,
    )


def scroll_bar_rules(tokens: Tokens) -> str:
    """Return the rules of scroll bars, for widgets with a small sheet of their own."""
    return _BARS.substitute(line=tokens.line, edge=tokens.edge)
