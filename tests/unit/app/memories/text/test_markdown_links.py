"""Wiki links and tags are found where a person wrote them and nowhere else, in any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memories.text.markdown_links import (
    MAX_LINKS,
    MAX_TARGET,
    attribute_links,
    find_links,
    find_markdown_links,
    find_tags,
    first_heading,
    title_key,
)
from tests.helpers.sample_data import NAUGHTY

MARKDOWN = st.text(alphabet=st.sampled_from("ab #[]|!`~\n\\>-/1.é字👍\t\r\x00\ud800"), max_size=200)


def targets(text: str) -> list[str]:
    return [link.target for link in find_links(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see [[Garden]]", ("Garden", "", "", False)),
        ("see [[Garden|my plot]]", ("Garden", "", "my plot", False)),
        ("see [[Garden#Soil]]", ("Garden", "Soil", "", False)),
        ("see [[Garden#Soil|dirt]]", ("Garden", "Soil", "dirt", False)),
        ("see [[Garden#^block1]]", ("Garden", "^block1", "", False)),
        ("![[Garden]]", ("Garden", "", "", True)),
        ("| [[Garden\\|my plot]] | cell |", ("Garden", "", "my plot", False)),
        ("[[  Garden \t plan ]]", ("Garden plan", "", "", False)),
        ("字[[花园]]字", ("花园", "", "", False)),
        ("[[[Garden]]]", ("Garden", "", "", False)),
    ],
)
def test_link_is_taken_apart(text: str, expected: tuple[str, str, str, bool]) -> None:
    (link,) = find_links(text)
    assert (link.target, link.heading, link.shown, link.embed) == expected
    assert "[[" in text[link.start : link.end]


@pytest.mark.parametrize(
    "text",
    [
        "`[[code]]`",
        "``a ` [[code]] ``",
        "```\n[[code]]\n```",
        "~~~ python\n[[code]]\n~~~",
        "> ```\n> [[code]]\n> ```",
        "- ```\n  [[code]]\n  ```",
        "```\n[[unclosed fence",
        "```\n[[unclosed]]",
        "````\n```\n[[still inside]]\n````",
        "\\[[escaped]]",
        "[[]]",
        "[[ ]]",
        "[[|shown]]",
        "[[#Heading]]",
        "[[two\nlines]]",
        "[single](link)",
        f"[[{'x' * (MAX_TARGET + 1)}]]",
        f"[[{'x' * 10_000}]]",
    ],
)
def test_what_is_no_link(text: str) -> None:
    assert targets(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a lone ` tick [[Here]]", ["Here"]),
        ("a tick ` in one paragraph\n\n[[Here]] ` and in another", ["Here"]),
        ("```\ncode\n```\n[[Here]]", ["Here"]),
        ("``` not `a` fence\n[[Here]]", ["Here"]),
        ("`code` [[Here]] `code`", ["Here"]),
        ("[[One]][[Two]] [[One]]", ["One", "Two", "One"]),
        ("\\`[[Here]]`", ["Here"]),
    ],
)
def test_links_beside_code_are_found(text: str, expected: list[str]) -> None:
    assert targets(text) == expected


def test_longest_target_is_a_link() -> None:
    assert targets(f"[[{'x' * MAX_TARGET}]]") == ["x" * MAX_TARGET]


def test_context_is_the_line_around_the_link() -> None:
    (link,) = find_links("first line\nPlanted   with [[Rosa]] in May.\nlast line")
    assert link.context == "Planted with [[Rosa]] in May."


def test_context_of_a_long_line_is_cut_on_both_sides() -> None:
    (link,) = find_links("word " * 500 + "[[Rosa]]" + " word" * 500)
    assert link.context.startswith("…")
    assert link.context.endswith("…")
    assert "[[Rosa]]" in link.context
    assert len(link.context) < 400


def test_attachments_are_files_and_dotted_titles_are_not() -> None:
    kinds = {
        link.target: link.relation for link in find_links("![[plan.PNG]] [[Node.js]] [[v1.2]] [[Garden.md]] [[.png]]")
    }
    assert kinds == {"plan.PNG": "file", "Node.js": "wiki", "v1.2": "wiki", "Garden.md": "wiki", ".png": "wiki"}


def test_links_in_front_matter_are_found() -> None:
    front = {"author": "[[Ursula]]", "topics": ["[[Anarres]]", 3, {"deep": "[[Urras|the other]]"}], "year": 1974}
    assert sorted(link.target for link in attribute_links(front)) == ["Anarres", "Urras", "Ursula"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#garden", ("garden",)),
        ("a #Garden and #garden", ("garden",)),
        ("#a/b/c", ("a/b/c",)),
        ("#with-hyphen #with_line", ("with-hyphen", "with_line")),
        ("#y1984", ("y1984",)),
        ("#2024-01", ("2024-01",)),
        ("#花园 #กำลัง #émile #🎉", ("花园", "กำลัง", "émile", "🎉")),
        ("#garden, #soil. (no)", ("garden", "soil")),
        ("#a/ #/b", ("a", "b")),
        ("```\n#no\n```\n#yes `#no`", ("yes",)),
        ("#fff #FFFFFF #1a2b3c #ff00ff80 #abcd #12ab", ()),
        ("#cafe #decade #face #fffff #c0ffee1", ("cafe", "decade", "face", "fffff", "c0ffee1")),
        ("#include <stdio.h>\n    #define X 1\n#endif\n#ifdef A #includes #pragma #rrggbb #RRGGBBAA", ()),
        ("#if #definition #inclusive", ("if", "definition", "inclusive")),
        ("# Heading\n## Another", ()),
        ("#1984 #12/3 #-- #/ ##", ()),
        ("C# F#m [x](#anchor) http://a.b/#frag [[Note #part]] \\#escaped", ()),
        ("#" + "x" * 65, ()),
        ("#" + "x" * 10_000, ()),
        ("#" + "x" * 64, ("x" * 64,)),
    ],
)
def test_inline_tags(text: str, expected: tuple[str, ...]) -> None:
    assert find_tags(text) == expected


def test_titles_compare_by_what_is_read() -> None:
    assert title_key(" The  GARDEN\n") == title_key("the garden")
    assert title_key("STRASSE") == title_key("straße")
    assert title_key("e\u0301te\u0301") == title_key("ÉTÉ")


@pytest.mark.parametrize("text", NAUGHTY)
def test_naughty_strings_are_read(text: str) -> None:
    assert targets(f"[[Before]]\n\n{text}\n\n[[After]]")[0] == "Before"
    assert find_tags(f"#before\n\n{text}")[0] == "before"


@given(MARKDOWN)
def test_any_text_is_read(text: str) -> None:
    for link in find_links(text):
        assert 0 < len(link.target) <= MAX_TARGET
        assert text[link.start : link.end].lstrip("!").startswith("[[")
    for tag in find_tags(text):
        assert tag
        assert tag == tag.lower()


@given(st.lists(st.sampled_from(["plain words", "`#code [[code]]`", "```\n#code [[code]]\n```"])))
def test_what_stands_between_code_is_found(parts: list[str]) -> None:
    text = "\n\n".join(["[[Start]] #start", *parts, "[[End]] #end"])
    assert targets(text) == ["Start", "End"]
    assert find_tags(text) == ("start", "end")


@pytest.mark.parametrize(
    "unit", ["[[", "[[a", "]]", "`", "` ", "#", "#a", "\n> ", "\n```", "\n\n", "[[a]] ", "\\", "` `` ", "[[a|", " \n"]
)
def test_long_texts_are_read_in_one_pass(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))  # anything but linear work would not end before the run's limit
    assert sum(1 for _ in find_links(text)) <= MAX_LINKS
    find_tags(text)


# Markdown links ----------------------------------------------------------------------------------------------------


def markdown_targets(text: str, path: str = "vault/plants/rose.md") -> list[str]:
    return [link.target for link in find_markdown_links(text, path)]


def test_markdown_links_name_files_from_the_folder_of_the_note() -> None:
    assert markdown_targets("[x](tulip.md)") == ["/vault/plants/tulip.md"]
    assert markdown_targets("[x](./red/tulip.md#Soil) [y](<../other note.md>)") == [
        "/vault/plants/red/tulip.md",
        "/vault/other note.md",
    ]
    assert markdown_targets('[x](a%20b.md "A title") [y](gr%C3%BC%C3%9Fe.markdown)') == [
        "/vault/plants/a b.md",
        "/vault/plants/grüße.markdown",
    ]
    assert markdown_targets("[x](/top.md) [y](a_(b).md) ![z](c.md)") == [
        "/vault/top.md",
        "/vault/plants/a_(b).md",
        "/vault/plants/c.md",
    ]
    assert markdown_targets("[x](sub/tulip.md)", "") == ["sub/tulip.md"]


def test_other_targets_are_no_links_to_notes() -> None:
    assert markdown_targets("[a](https://example.org/x.md) [b](//x/y.md) [c](mailto:x@y.md)") == []
    assert markdown_targets("[d](p.png) [e](#top) [f](../../out.md) [g]()") == []
    assert markdown_targets("`[x](a.md)` \\[x\\](a.md)\n```\n[x](b.md)\n```\n") == []
    assert markdown_targets(f"[x]({'a' * MAX_TARGET}.md)") == []


def test_context_and_heading_of_a_markdown_link() -> None:
    (link,) = find_markdown_links("Plant [a tulip](tulip.md#Soil%20type) today", "v/a.md")
    assert (link.heading, link.relation) == ("Soil type", "wiki")
    assert link.context == "Plant [a tulip](tulip.md#Soil%20type) today"


@given(st.text(alphabet="[]()<>#./\\ \"'%20amd\n`", max_size=60), st.sampled_from(["", "v/a.md", "v/b/c.md"]))
def test_any_text_has_markdown_links_or_none(text: str, path: str) -> None:
    for link in find_markdown_links(text, path):
        assert link.target.startswith("/v/") or not path
        assert ".." not in link.target.split("/")[:2]


def test_first_heading_is_outside_code_and_in_plain_words() -> None:
    assert first_heading("text\n```\n# no\n```\n## second\n# The **best** [rose](x.md) #\n# Other") == "The best rose"
    assert first_heading("#tag\n#\ntext") == ""
