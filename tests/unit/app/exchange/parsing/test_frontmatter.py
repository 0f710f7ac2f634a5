import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import FormatError
from app.exchange.parsing.frontmatter import dump, split


def test_fields_and_body() -> None:
    source = "---\ntitle: A  note\ntags: [x, 2023, no]\nAliases:\n  - B\ncreated: 2024-01-31\n---\n\nBody\n"
    front, body = split(source)
    assert front.raw + body == source
    assert body == "\nBody\n"
    assert (front.title, front.tags, front.aliases) == ("A note", ["x", "2023", "no"], ["B"])
    assert front.created_ms == 1706659200000


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        ("a, b", ["a", "b"]),
        ("machine learning", ["machine learning"]),
        ("'#a #b'", ["#a", "#b"]),
        ("[a, [b], {c: d}]", ["a"]),
        ("", []),
        ("{a: b}", []),
        ("\n- a\n- 'b, c'", ["a", "b, c"]),
    ],
)
def test_tags_in_all_their_shapes(value: str, tags: list[str]) -> None:
    assert split(f"---\ntags: {value}\n---\n")[0].tags == tags


@pytest.mark.parametrize(
    ("value", "ms"),
    [
        ("2024-01-31", 1706659200000),
        ("2024-01-31T12:00:00+01:00", 1706698800000),
        ("20240131", 1706659200000),
        ("2024", None),
        ("1706659200", 1706659200000),
        ("2024-13-45", None),
        ("[2024-01-31]", None),
        ("yesterday", None),
    ],
)
def test_dates(value: str, ms: int | None) -> None:
    assert split(f"---\ndate: {value}\n---\n")[0].created_ms == ms


@pytest.mark.parametrize("end", ["---\n", "...\n", "---", "---  \nBody", "---\r\nBody"])
def test_the_ways_a_block_may_end(end: str) -> None:
    source = f"---\ntitle: T\n{end}"
    front, body = split(source)
    assert front.title == "T"
    assert front.raw + body == source


@pytest.mark.parametrize(
    "source",
    [
        "",
        "---",
        "---\n",
        "----\ntitle: T\n---\n",
        " ---\ntitle: T\n---\n",
        "---\ntitle: T\n",
        "---\n\nA scene.\n\n---\n\nAnother.",
        "---\n- a\n- b\n---\n",
        "text\n---\ntitle: T\n---\n",
        "--- json\n{}\n---\n",
    ],
)
def test_what_is_no_front_matter_stays_text(source: str) -> None:
    front, body = split(source)
    assert (front.raw, body) == ("", source)


def test_an_empty_block_is_one() -> None:
    assert split("---\n---\nBody")[1] == "Body"


BILLION_LAUGHS = "a: &a [x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)},*{chr(97 + n)},*{chr(97 + n)}]\n" for n in range(20)
)


@pytest.mark.parametrize(
    "yaml",
    [
        "title: [",
        "a: b: c",
        "{{title}}: x",
        "title: {{title}}",
        "\tindent: tab",
        "title: 'open",
        "a: " + "[" * 5000,
        "\n".join(" " * n + "k:" for n in range(100)),
        BILLION_LAUGHS,
        "a: &a [*a]",
        "nul: \x00",
    ],
)
def test_what_is_not_yaml_is_refused(yaml: str) -> None:
    with pytest.raises(FormatError, match=r"stays part of the text\.$"):
        split(f"---\n{yaml}\n---\nBody")


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system ['id']", "!!python/name:os.system", "!x y"])
def test_nothing_is_built_or_run(tag: str) -> None:
    front, body = split(f"---\nrun: {tag}\n---\nBody")
    assert body == "Body"
    assert all(isinstance(value, str | list) for value in front.fields.values())


def test_a_block_beyond_reason_stays_text() -> None:
    source = f"---\ntitle: {'x' * 300_000}\n---\nBody"
    assert split(source)[1] == source


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
NAME = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).map(lambda n: n.strip().lower())


@given(st.dictionaries(NAME.filter(bool), TEXT | st.lists(TEXT, max_size=3), max_size=4), TEXT)
def test_what_is_written_is_read_again(fields: dict[str, str | list[str]], body: str) -> None:
    front, rest = split(dump(fields) + body)
    assert rest == body
    assert front.fields == fields


@given(st.text(st.sampled_from("-.: \n\r\tab[]{}&*'\"#|>%@!\x00é"), max_size=80))
def test_nothing_is_lost_whatever_it_is(source: str) -> None:
    try:
        front, body = split(f"---\n{source}")
    except FormatError:
        return
    assert front.raw + body == f"---\n{source}"
