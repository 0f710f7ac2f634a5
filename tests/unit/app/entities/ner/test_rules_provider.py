"""People, organisations and places by rules and lists; sentence starts, shouting and code lead nobody astray."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.entities.ner.provider import MAX_CHARACTERS, NOTHING_KNOWN, KnownNames
from app.entities.ner.strategy import fast_strategy
from tests.helpers.sample_data import NAUGHTY


def found(text: str, known: KnownNames = NOTHING_KNOWN) -> set[tuple[str, str]]:
    return {(span.type, span.text) for span in fast_strategy().extract(text, known)}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Yesterday Alice Jones called.", {("person", "Alice Jones")}),
        ("I asked Dr. Zorbulon about it.", {("person", "Zorbulon")}),
        ("we know J. K. Rowling and Ludwig van Beethoven", {("person", "Ludwig van Beethoven")}),
        ("Alice's brother", {("person", "Alice")}),
        ("she works at Acme GmbH in Berlin", {("organization", "Acme GmbH"), ("location", "Berlin")}),
        ("the University of Oslo and the British Library Council", None),
        ("he moved to New York last year", {("location", "New York")}),
        ("they live in Metairie, Louisiana", {("location", "Metairie"), ("location", "Louisiana")}),
        ("down by Redondo Beach on the Mersey River", {("location", "Redondo Beach"), ("location", "Mersey River")}),
        ("our project Apollo is late", {("project", "Apollo")}),
        ("The garden is green. Really green.", set()),
        ("On Monday in March", set()),
        ("`Alice Jones` and ```\nBob Smith\n``` are code", set()),
        ("他在北京大学学习，李明先生来自上海市", None),
    ],
)
def test_sentences(text: str, wanted: set[tuple[str, str]] | None) -> None:
    names = found(text)
    if wanted is not None:
        assert wanted <= names
        assert {kind for kind, _ in names - wanted} <= {"person"} if wanted else not names


@pytest.mark.parametrize(
    "text",
    [
        "Manage Docker Swarm services.",
        "- Quit Emacs:\n\n`emacs`",
        "- Run a Julia program and exit:\n\n`julia program.jl`",
        "[Quantum Chess Implemented](https://example.org/quantum-chess)",
        "A tool for Distributed Systems",
        "[Alexander Technique](https://example.org/technique)",
        "THIS SOFTWARE IS PROVIDED AS IS, WITHOUT WARRANTY OF ANY KIND, OUT OF OR IN CONNECTION WITH IT",
        "The value is NULL when RAM is short",
        "she planted Court Pendu Gris by the wall",
        "under the Jacques Lebels",
        "请看文档说明",
    ],
)
def test_capitals_alone_name_nobody(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Chère Anouk, merci", "Anouk"),
        ("Dear Noor, thank you", "Noor"),
        ("I met Lotte De Smet there", "Lotte De Smet"),
        ("the guitarist Thom Bresh came", "Thom Bresh"),
        ("Dou Jiande surrendered at once", "Dou Jiande"),
        ("[Jon Hopkins](https://example.org/x) - Opalescent", "Jon Hopkins"),
        ("an interview with Paul Mockapetris, who made it", "Paul Mockapetris"),
        ("Christopher Nolan Film When You Give Up (https://example.org)", "Christopher Nolan"),
    ],
)
def test_people_by_what_stands_beside_them(text: str, name: str) -> None:
    assert found(text) == {("person", name)}


@pytest.mark.parametrize(
    "text",
    [
        "we saw the Marilyn Diptych by a pop artist",
        "he printed *Marilyn Diptych*, and it sold at once",
        "I made Caramelized Onion and Rosemary Pinwheels today",
        "I put it on the Billy Bookcase in the hall",
        "they played “Hannah Hunt” for an hour",
        "it is set in *Emma*, of course",
        "I read Charlotte's Web to them",
        "1. **Charlotte's Web** by a writer",
        "the depth of the Mariana Trench is known",
        "it runs on the Monte Carlo Ray tracer",
        "- [Alice](https://example.org/) - assistant for you",
        "- [Barry’s](https://example.org/) - workout",
        "a Scorsese-inspired film, a Martin Scorsese-inspired one",
        "we met at the Electric Daisy Carnival",
        "we landed at Charles de Gaulle Airport",
        "the shops close on Saint Patrick's Day",
        "it was built by the Anna Freud Institute",
        "Julia Language is fast",
        "the Claude Code terminal",
        "we moved to Jackson 2.15 yesterday",
        "granted to John Doe and Max Mustermann",
    ],
)
def test_works_things_and_events_are_no_people(text: str) -> None:
    assert {name for kind, name in found(text) if kind == "person"} == set()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("1. **Andy Warhol**: he painted soup", "Andy Warhol"),
        ("we saw Andy Warhol Diptych", "Andy Warhol"),
        ("the Paul McCartney concert was long", "Paul McCartney"),
        ("I met Kevin Rose there", "Kevin Rose"),
        ("[Leo](https://example.org/) in Amsterdam", "Leo"),
        ("I read Charlotte's letter to them", "Charlotte"),
        ("a film by Lee Chang-dong of course", "Lee Chang-dong"),
        ("_Andy Warhol said so_", "Andy Warhol"),
        ("Anna Keller's Hotel burnt", "Anna Keller"),
        ("I asked Anna 2 times", "Anna"),
    ],
)
def test_people_beside_works_are_people(text: str, name: str) -> None:
    assert ("person", name) in found(text)


def test_a_team_is_named_after_its_place() -> None:
    assert ("organization", "Toronto Blue Jays") in found("he was traded to the Toronto Blue Jays for a catcher")


def test_an_institution_is_named_whole() -> None:
    names = found("the University of Oslo and the British Library Council")
    assert ("organization", "University of Oslo") in names
    assert ("organization", "British Library Council") in names


def test_chinese_names() -> None:
    names = found("李明先生来自上海市，在清华大学学习")
    assert {("person", "李明"), ("location", "上海市"), ("organization", "清华大学")} <= names


def test_known_names_are_found_in_any_case_but_not_inside_words() -> None:
    known = KnownNames({"zorbulon": "person", "blue door": "project", "will": "person"})
    assert found("a letter from zorbulon about the blue door", known) == {
        ("person", "zorbulon"),
        ("project", "blue door"),
    }
    assert found("zorbulonian things will come", known) == set()
    assert ("person", "Will") in found("then Will came", known)


def test_a_longer_name_holds_a_known_one() -> None:
    assert found("we met Alice Jones there", KnownNames({"alice": "person"})) == {("person", "Alice Jones")}


@pytest.mark.parametrize("text", NAUGHTY)
def test_spans_lie_in_the_text_and_apart(text: str) -> None:
    spans = fast_strategy().extract(f"{text} Alice Jones {text}")
    assert all(f"{text} Alice Jones {text}"[span.start : span.end] == span.text for span in spans)
    assert all(first.end <= second.start for first, second in itertools.pairwise(spans))


@given(st.text(st.sampled_from("Ab '’.-&@#/:\n1李李京"), max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    assert all(
        text[span.start : span.end] == span.text for span in fast_strategy().extract(text, KnownNames({"b": "person"}))
    )


@pytest.mark.parametrize(
    "piece",
    [
        "A",
        "A ",
        "Aa ",
        "a-",
        "Aa of ",
        "@a",
        "a@a.",
        "#a",
        "https://",
        "1/",
        "A.",
        "((((",
        "'s",
        "`",
        "李",
        "Jan 1 ",
        "www.",
    ],
)
def test_hostile_texts_are_read_to_the_end_and_no_further(piece: str) -> None:
    text = piece * (2 * MAX_CHARACTERS // len(piece) // 8)
    spans = fast_strategy().extract(text)
    assert all(span.end <= MAX_CHARACTERS for span in spans)


@pytest.mark.parametrize(
    "text",
    [
        "We read about Managing Your Company and that Who cares, with Un café.",
        "In Huffman coding and in Aristotle's system this is known.",
        "The score is similar to Celeste and comes from Logitech.",
        "For one rep I log the RPE.",
        "The wall is rebuilt in lime mortar NHL 3.5, la chaux hydraulique NHL 3,5.",
        "A task runner that is written in Rego, see `opa run`.",
        "- [Lima](https://example.org/lima) - virtual machines on a Mac",
        "- [Crunchy Bridge](https://example.org) and [Twin Assembly](https://example.org/asm) of today",
        "- [Sparse](https://example.org/sparse) - a library for training Sparsify Convolutional Networks at scale",
        "- [How](https://example.org/coffee) a Swiss Army knife makes a perfect French Press",
        "- [View](https://example.org/view) - a viewer for a medical CT scan, now in GA, or (MD)",
        "- [Light](https://example.org/light) - how to use Monte Carlo rendering here",
        "Using evergreen notes in Obsidian changed how I think.",
        "We were each a Guinea pig.",
        "- [Apps](https://example.org/apps) - Padrino/Cuba apps, the Luxor.jl package, Phoenix framework",
        "Under Putin, Russia was another country.",
        "经验中学到的，买入银行的股票，引入市场",
    ],
    ids=[
        "a title",
        "what kind",
        "no place",
        "an abbreviation",
        "a grade",
        "a language",
        "a program",
        "titles of programs",
        "a kind of networks",
        "a way to make coffee",
        "codes",
        "a method",
        "on a screen",
        "an animal",
        "parts of programs",
        "a president",
        "words with the end of a name",
    ],
)
def test_what_is_no_place_and_no_organisation(text: str) -> None:
    assert {one for one in found(text) if one[0] in ("location", "organization")} <= {("location", "Russia")}


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("- [Mushrooms, Russia and History](https://example.org/book)", "Russia"),
        ("- [Tuning](https://example.org/tuning) - Elixir, Phoenix and a primer for all", "Phoenix"),
    ],
)
def test_in_a_list_of_titles_only_known_places_are_some(text: str, place: str) -> None:
    assert found(text) - {("location", place)} == set()


def test_links_and_code_leave_what_sentences_tell_of() -> None:
    text = "We study at the University of Gothenburg in Finland, see https://example.org/course for more."
    assert {("organization", "University of Gothenburg"), ("location", "Finland")} <= found(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [("出版社：中央编译出版社", "中央编译出版社"), ("他在第一中学", "第一中学"), ("世界银行说", "世界银行")],
)
def test_a_chinese_name_before_its_ending_is_whole(text: str, name: str) -> None:
    assert ("organization", name) in found(text)
