import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.exchange.parsing.inline_tags import inline_tags


@pytest.mark.parametrize(
    ("body", "tags"),
    [
        ("#tag", ["tag"]),
        ("a #one and #Two/three, #four.", ["one", "Two/three", "four"]),
        ("# Heading #real", ["real"]),
        ("## Heading", []),
        ("#1984 #y1984 #1984y", ["y1984", "1984y"]),
        ("https://x.org/#frag [x](#anchor) a#b (#paren)", []),
        ("`#code` ``a ` #code`` #real ` #alone", ["real", "alone"]),
        ("```\n#code\n```\n#real", ["real"]),
        ("~~~py\n#code\n```\n#code\n~~~~\n#real", ["real"]),
        ("> ```\n> #code\n> ```\n#real", ["real"]),
        ("```\n#code without an end", []),
        ("\\#escaped #snake_case #kebab-case", ["snake_case", "kebab-case"]),
        ("#标签,后 #标签，后 #заметка #café #🌲", ["标签", "заметка", "café", "🌲"]),
        ("#a #a #b", ["a", "b"]),
        ("#fff #FFFFFF #1a2b3c #cafe\n    #include <a.h>", ["cafe"]),
        ("#/ # #! #-", ["-"]),
        ("[[Note#Section]] ![[x#y]]", []),
    ],
)
def test_the_rules(body: str, tags: list[str]) -> None:
    assert inline_tags(body) == tags


@pytest.mark.parametrize(
    "body", ["` `` ``` " * 100_000 + "#x", "#" * 1_000_000, "#a/" * 300_000, "`" * 500_000 + " #y"]
)
def test_hostile_texts_take_no_longer_than_their_length(body: str) -> None:
    inline_tags(body)


def test_ten_thousand_tags_are_cut() -> None:
    assert len(inline_tags("\n".join(f"#t{n}" for n in range(10_000)))) == 1000


@given(st.text(st.sampled_from("#`~ \nab1/>-"), max_size=60))
def test_tags_are_words_of_the_text(body: str) -> None:
    assert all(f"#{tag}" in body and not tag.isdecimal() for tag in inline_tags(body))
