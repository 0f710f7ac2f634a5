"""Colours can be read, looks switch at once, the stylesheet names only what exists."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from ui import theme
from ui.style.design_tokens import PART_PAIRS, TEXT_PAIRS, contrast
from ui.style.stylesheet import stylesheet_for
from ui.style.tinted_icons import MARKS, TintedIcons
from ui.theme import Scheme, ThemeInputs, palette_for, tokens_for

LOOKS = [(scheme, strong) for scheme in (Scheme.LIGHT, Scheme.DARK) for strong in (False, True)]


@pytest.mark.parametrize(("scheme", "strong"), LOOKS)
@pytest.mark.parametrize(("ink", "ground"), TEXT_PAIRS)
def test_words_can_be_read(scheme: Scheme, strong: bool, ink: str, ground: str) -> None:
    tokens = tokens_for(scheme, strong)
    assert contrast(getattr(tokens, ink), getattr(tokens, ground)) >= 4.5


@pytest.mark.parametrize(("scheme", "strong"), LOOKS)
@pytest.mark.parametrize(("part", "ground"), PART_PAIRS)
def test_parts_can_be_seen(scheme: Scheme, strong: bool, part: str, ground: str) -> None:
    tokens = tokens_for(scheme, strong)
    assert contrast(getattr(tokens, part), getattr(tokens, ground)) >= 3


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_the_words_of_an_empty_field_can_be_read(qtbot: QtBot, look: theme.Theme, scheme: Scheme) -> None:
    look.set_scheme(scheme)
    for kind in (QLineEdit, QPlainTextEdit):
        field = kind()
        qtbot.addWidget(field)
        look.add_root(field)
        field.ensurePolished()
        ink = field.palette().color(QPalette.ColorRole.PlaceholderText)
        assert ink.alpha() == 255
        assert contrast(ink.name(), tokens_for(scheme).surface) >= 4.5


@pytest.mark.parametrize(("scheme", "strong"), LOOKS)
def test_series_can_be_seen_and_told_apart(scheme: Scheme, strong: bool) -> None:
    tokens = tokens_for(scheme, strong)
    assert len(set(tokens.series)) == len(tokens.series) >= 8
    assert all(contrast(colour, tokens.surface) >= 3 for colour in tokens.series)


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_contrast_mode_raises_contrast(scheme: Scheme) -> None:
    plain, strong = tokens_for(scheme), tokens_for(scheme, contrast=True)
    for ink in ("text", "muted", "edge"):
        assert contrast(getattr(strong, ink), strong.surface) > contrast(getattr(plain, ink), plain.surface)


def test_contrast_of_known_pairs() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@given(st.integers(0, 0xFFFFFF), st.integers(0, 0xFFFFFF))
def test_contrast_is_symmetric_and_bounded(first: int, second: int) -> None:
    one, other = f"#{first:06x}", f"#{second:06x}"
    assert contrast(one, other) == contrast(other, one)
    assert 1 <= contrast(one, other) <= 21


@pytest.mark.parametrize("scheme", [Scheme.LIGHT, Scheme.DARK])
def test_palette_is_made_of_tokens(qapp: Any, scheme: Scheme) -> None:
    palette, tokens = palette_for(scheme), tokens_for(scheme)
    assert palette.color(QPalette.ColorRole.Window).name() == tokens.canvas
    assert palette.color(QPalette.ColorRole.Text).name() == tokens.text
    assert palette.color(QPalette.ColorRole.Accent).name() == tokens.accent


@pytest.mark.parametrize(
    ("scheme", "system", "dark"),
    [("light", True, False), ("dark", False, True), ("system", True, True), ("system", False, False)],
)
def test_scheme_and_system_decide(scheme: str, system: bool, dark: bool) -> None:
    assert ThemeInputs(Scheme(scheme), system).dark is dark


def test_stylesheet_is_complete_and_leaves_bare_widgets_alone(qapp: Any) -> None:
    tokens = tokens_for(Scheme.LIGHT)
    sheet = stylesheet_for(tokens, 10, TintedIcons().paths(tokens))
    assert "$" not in sheet
    assert not re.search(r"(^|[,}\s])QWidget\s*[{,]", sheet)


def test_glyphs_are_written_in_the_colour_of_the_look() -> None:
    glyphs, tokens = TintedIcons(), tokens_for(Scheme.DARK)
    paths = glyphs.paths(tokens)
    assert set(paths) == set(MARKS)
    for mark, path in paths.items():
        with open(path, encoding="utf-8") as file:  # noqa: PTH123  (the path as Qt will open it)
            assert getattr(tokens, MARKS[mark][1]) in file.read()


def test_switching_is_live(look: theme.Theme, qtbot: QtBot) -> None:
    with qtbot.waitSignal(look.changed):
        look.set_scheme(Scheme.DARK)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    assert app.palette().color(QPalette.ColorRole.Window).name() == tokens_for(Scheme.DARK).canvas
    look.set_scheme(Scheme.LIGHT)
    assert app.palette().color(QPalette.ColorRole.Window).name() == tokens_for(Scheme.LIGHT).canvas


def test_scale_moves_the_font_and_stays_in_bounds(look: theme.Theme) -> None:
    normal = QApplication.font().pointSizeF()
    look.set_scale(1.5)
    assert QApplication.font().pointSizeF() == pytest.approx(normal * 1.5, abs=0.1)
    look.set_scale(9)
    assert look.scale == theme.MAX_SCALE


def test_lengths_grow_with_the_text(look: theme.Theme) -> None:
    assert [look.scaled(pixels) for pixels in (14, 15, 16)] == [14, 15, 16]
    look.set_scale(1.5)
    assert [look.scaled(pixels) for pixels in (14, 15, 16)] == [21, 22, 24]
    paths = TintedIcons().paths(look.tokens)
    normal, larger = (stylesheet_for(look.tokens, 10, paths, scale) for scale in (1.0, 1.5))
    assert "icon-size: 16px" in normal
    assert "icon-size: 24px" in larger


def test_type_scale_reaches_a_label(look: theme.Theme, qtbot: QtBot) -> None:
    title, body = QLabel("a"), QLabel("a")
    qtbot.addWidget(title)
    qtbot.addWidget(body)
    theme.set_type(title, "title")
    theme.set_type(body, "body muted")
    assert title.font().pointSizeF() > body.font().pointSizeF()
    assert body.palette().color(QPalette.ColorRole.WindowText).name() == look.tokens.muted


def test_a_switch_leaves_widgets_alone_that_were_never_shown(qtbot: QtBot, look: theme.Theme) -> None:
    shown, never = QLabel("shown"), QLabel("never")
    for label in (shown, never):
        qtbot.addWidget(label)
    shown.show()
    look.set_scheme(Scheme.DARK)
    look.set_scheme(Scheme.LIGHT)
    assert shown.testAttribute(Qt.WidgetAttribute.WA_WState_Polished)
    assert not never.testAttribute(Qt.WidgetAttribute.WA_WState_Polished)


def test_a_widget_shown_before_a_switch_looks_like_one_shown_after_it(qtbot: QtBot, look: theme.Theme) -> None:
    pictures = []
    for scheme in (Scheme.LIGHT, Scheme.DARK):
        look.set_scheme(scheme)
        button = QPushButton("Save")
        qtbot.addWidget(button)
        button.show()
        look.set_scheme(Scheme.DARK)
        pictures.append(button.grab().toImage())
    assert pictures[0] == pictures[1]


def test_nothing_is_polished_where_the_look_stays(qtbot: QtBot, look: theme.Theme, qapp: Any) -> None:
    look.set_scheme(Scheme.DARK)
    style = qapp.style()
    with qtbot.waitSignal(look.changed):
        look.set_scheme(Scheme.DARK)
    assert qapp.style() is style
