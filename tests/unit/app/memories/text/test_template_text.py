"""Placeholders of templates."""

from datetime import datetime

import pytest

from app.memories.text.template_text import expand, has_placeholder, is_template_tag

NOW = datetime(2026, 3, 1, 9, 5).astimezone()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{date}} {{time}}", "2026-03-01 09:05"),
        ("# {{ Title }}", "# Roses"),
        ("{{date:DD.MM.YYYY}} at {{time:HH}} o'clock", "01.03.2026 at 09 o'clock"),
        ("{{date:100%}}", "100%"),
        ("{{weather}} {{}} {{date", "{{weather}} {{}} {{date"),
        ("#template\n\nText", "Text"),
        ("Text #template/daily here", "Text here"),
        ("Text #templates `#template`", "Text #templates `#template`"),
        ("", ""),
    ],
)
def test_placeholders_are_filled_in_and_template_tags_go(text: str, expected: str) -> None:
    assert expand(text, "Roses", NOW) == expected


def test_a_placeholder_in_the_title_is_not_read_again() -> None:
    assert expand("{{title}}", "{{date}}", NOW) == "{{date}}"


def test_what_is_a_template() -> None:
    assert is_template_tag("#Template")
    assert is_template_tag("template/daily")
    assert not is_template_tag("templates")
    assert has_placeholder("{{ date }} walk")
    assert not has_placeholder("{date}")
