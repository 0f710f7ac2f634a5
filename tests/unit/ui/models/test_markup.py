"""Markdown as safe HTML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.models.markup import (
    LONG_LINE,
    LONG_RUN,
    Ink,
    is_editable,
    is_rich,
    pieces,
    render,
    target_of,
    unfenced,
    words_of,
)

INK = Ink("#111111", "#777777", "#0055cc", "#eeeeee", "#cccccc", "#ffffff")


def test_wiki_links_and_tags_become_links_of_their_own() -> None:
    html = render("See [[Rose list|roses]] and #garden/roses.", INK)
    assert '<a href="wiki:Rose%20list"' in html
    assert ">roses</a>" in html
    assert '<a href="tag:garden%2Froses"' in html


@pytest.mark.parametrize("text", ["a#b", "#1", "# Heading", "`#code`", "[[", "[[]]", "[[a\nb]]", "C#"])
def test_what_only_looks_like_a_tag_or_link_is_left_alone(text: str) -> None:
    html = render(text, INK)
    assert "wiki:" not in html
    assert "tag:" not in html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![pic](http://example.org/a.png)",
        "![pic](file:///etc/passwd)",
        "[x](javascript:alert(1))",
        "<iframe src='http://example.org'></iframe>",
        "---\na: <b>x</b>\n---\n",
        "```\n</pre><script>\n```",
    ],
)
def test_nothing_loads_or_runs(text: str) -> None:
    html = render(text, INK)
    for danger in ("<script", "<img", "<iframe", 'href="javascript', "<b>x"):
        assert danger not in html


def test_tasks_show_boxes() -> None:
    html = render("- [ ] one\n- [x] two\n\n[ ] no item", INK)
    assert "☐ one" in html
    assert "☑ two" in html
    assert "[ ] no item" in html


def test_tables_strikethrough_and_code_are_on() -> None:
    html = render("|a|b|\n|-|-:|\n|1|2|\n\n~~gone~~\n\n```py\nx < 1\n```", INK)
    assert '<td bgcolor="#ffffff" align="right">2' in html
    assert "<s>gone</s>" in html
    assert "x &lt; 1" in html


@given(st.text(max_size=300))
def test_any_text_renders_without_raw_tags(text: str) -> None:
    html = render(text, INK)
    assert "<script" not in html
    assert "<img" not in html


@pytest.mark.parametrize(
    ("href", "meaning"),
    [
        ("wiki:Rose%20list", ("wiki", "Rose list")),
        ("tag:garden%2Froses", ("tag", "garden/roses")),
        ("keepsake://memory/note-1", ("keepsake", "keepsake://memory/note-1")),
        ("https://example.org", ("web", "https://example.org")),
        ("file:///etc/passwd", ("other", "file:///etc/passwd")),
    ],
)
def test_links_mean_one_thing(href: str, meaning: tuple[str, str]) -> None:
    assert target_of(href) == meaning


def test_long_texts_are_not_rich() -> None:
    assert is_rich("a" * 1000)
    assert not is_rich("a" * 1_000_000)


def test_wiki_words_are_listed_in_order() -> None:
    assert words_of("[[B|b]] and [[A]]") == ["B", "A"]


@given(st.text(alphabet="ab \n`~#-", max_size=400), st.integers(5, 60))
def test_pieces_make_the_whole(source: str, size: int) -> None:
    assert "".join(pieces(source, size)) == source


def test_pieces_never_cut_code_or_front_matter() -> None:
    code = "```\n" + "x\n\n" * 50 + "```\n"
    cut = pieces(f"---\na: 1\n\nb: 2\n---\n\ntext\n\n{code}\n\nend\n", 20)
    assert any(code in piece for piece in cut)
    assert cut[0].startswith("---\na: 1\n\nb: 2\n---\n")


def test_long_lists_are_cut_before_items() -> None:
    cut = pieces("- one\n  more\n" * 50, 100)
    assert len(cut) > 5
    assert all(piece.startswith("- one") for piece in cut)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a" * (LONG_RUN - 1), True),
        ("b\n" + "a" * LONG_RUN, False),
        ("word " * (LONG_RUN // 2), True),
        ("word " * (LONG_LINE // 4), False),
        ("a\n" * LONG_LINE, True),
    ],
)
def test_only_what_can_be_laid_out_is_edited(text: str, expected: bool) -> None:
    assert is_editable(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```\n1/3\n```", "1/3"),
        ("```python\nx = 1\ny = 2\n```\n", "x = 1\ny = 2"),
        ("words\n```\n1\n```", "words\n```\n1\n```"),
        ("```\na\n```\nwords\n```\nb\n```", "```\na\n```\nwords\n```\nb\n```"),
        ("", ""),
    ],
)
def test_a_text_that_is_one_block_of_code_loses_its_fence(text: str, expected: str) -> None:
    assert unfenced(text) == expected
