"""Sentences that come over the wire with their template and values, from hosts that may send anything."""

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.rpc.error_codec import from_wire, to_wire
from app.rpc.framing import HEADER_BYTES, decode, encode
from app.rpc.messages import answer, value_and_changes
from app.sentence import Sentence, joined
from app.sentence_codec import MAX_SENTENCES, MAX_TEMPLATE, MAX_VALUES, sentence_from_wire


def carried(sentence: Sentence) -> Sentence:
    return from_wire(decode(encode(to_wire(InputError(sentence)))[HEADER_BYTES:])).sentence


def received(template: object, values: object, message: str = "Said in English.") -> Sentence:
    """Return the sentence of an answer with any template and values."""
    data = {"code": "invalid_input", "kind": "input", "message": message, "data": {}}
    return from_wire(
        {"message": message, "data": {**data, "sentence": {"template": template, "values": values}}}
    ).sentence


@pytest.mark.parametrize(
    "sentence",
    [
        Sentence("{name} is taken {count} times.", name="A {b} {0.__class__}", count=12_000),
        Sentence("{what} In {place}.", what=Sentence("{n} of 3.", n=2), place=Sentence("the vault {kept}")),
        Sentence("{size} and {huge}, {nothing}, {yes}.", size=1.5, huge=10**40, nothing=None, yes=True),
        Sentence("Braces {{}} stay: {name}.", name="{{}}"),
        Sentence("{template} {cls} {self}", template="a", cls="b", self="c"),
    ],
    ids=str,
)
def test_a_sentence_comes_back_with_its_template(sentence: Sentence) -> None:
    back = carried(sentence)
    assert (back, back.template) == (sentence, sentence.template)
    kinds = {name: isinstance(value, Sentence) for name, value in sentence.values.items()}
    assert {name: isinstance(value, Sentence) for name, value in back.values.items()} == kinds


def test_values_that_the_sentence_does_not_show_stay_behind() -> None:
    wire = to_wire(InputError(Sentence("{name} is taken.", name="Ana", hidden="a secret")))
    assert "a secret" not in str(wire)


def test_a_sentence_without_values_is_sent_once() -> None:
    assert "sentence" not in to_wire(InputError("Nothing to do."))["data"]


def test_a_sentence_too_large_to_carry_is_told_in_english() -> None:
    for sentence in (
        Sentence("{text}", text="x" * (MAX_VALUES + 1)),
        Sentence("x" * MAX_TEMPLATE + "{text}", text="y"),
    ):
        assert "sentence" not in to_wire(InputError(sentence))["data"]
        assert carried(sentence) == sentence


HOSTILE: list[tuple[object, object]] = [
    ("{name.__class__.__mro__}", {"name": "Ana"}),
    ("{name[0]}", {"name": "Ana"}),
    ("{name!r}", {"name": "Ana"}),
    ("{name:>2000000000}", {"name": "Ana"}),
    ("{name:{width}}", {"name": "Ana", "width": "2000000000"}),
    ("{} {0}", {"": "a", "0": "b"}),
    ("{name", {"name": "Ana"}),
    ("name}", {"name": "Ana"}),
    ("{name}", {}),
    ("{name}", {"other": "Ana"}),
    ("{name}", {"name": ["Ana"]}),
    ("{name}", {"name": None}),
    ("{name}", {"name": 10**30}),
    ("{name}", {"name": {"template": "{name}", "values": 3}}),
    ("{name}", ["name"]),
    ("{a}" * 600, {"a": "x" * MAX_VALUES}),
    ("{name}", {"name": "x" * 3_000_000}),
    (None, {"name": "Ana"}),
    (3, None),
    ({"name": "Ana"}, "{name}"),
]


@pytest.mark.parametrize(("template", "values"), HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_sentence_of_ours_leaves_the_english(template: object, values: object) -> None:
    sentence = received(template, values)
    assert (sentence, sentence.template, sentence.values) == ("Said in English.", "Said in English.", {})


def test_a_template_that_says_something_else_leaves_the_english() -> None:
    assert received("{name} was erased.", {"name": "Everything"}).template == "Said in English."
    assert received("{name} in English.", {"name": "Said"}).template == "{name} in English."


def test_sentences_within_sentences_without_end_leave_the_english() -> None:
    nested: Any = "Ana"
    for _ in range(sys.getrecursionlimit() * 2):
        nested = {"template": "{name}", "values": {"name": nested}}
    assert sentence_from_wire(nested, "Ana") is None


def test_what_grows_within_a_sentence_is_bounded() -> None:
    inner: Any = "x" * 1_000
    for _ in range(3):
        inner = {"template": "{a}" * 20, "values": {"a": inner}}
    assert sentence_from_wire(inner, "x") is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from(["{a}", "{a} {b}", "{a.b}"]),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["template", "values", "a", "b"]), inner),
        max_leaves=12,
    )
)
def test_nonsense_never_raises(wire: object) -> None:
    assert sentence_from_wire(wire, "Said in English.") in {None, "Said in English."}


def answered(value: Any, *, more: dict[str, Any] | None = None) -> Any:
    """Return what a client makes of the answer with a value."""
    message = decode(encode(answer(1, value))[HEADER_BYTES:])
    return value_and_changes(message | {"result": message["result"] | (more or {})})[0]


def test_a_sentence_in_an_answer_comes_back_with_its_template() -> None:
    sentence = Sentence("{name} waits.", name="Ana")
    back = answered({"notes": [sentence, "Nothing else."], "count": 2})
    assert back == {"notes": ["Ana waits.", "Nothing else."], "count": 2}
    assert back["notes"][0].template == "{name} waits."
    assert type(back["notes"][1]) is str


def test_an_answer_without_values_in_sentences_is_as_before() -> None:
    assert b"sentences" not in encode(answer(1, [Sentence("It waits."), "a"]))


@pytest.mark.parametrize(
    "wires",
    [
        None,
        [],
        "x",
        {"Ana waits.": None},
        {"Ana waits.": {"template": "{name} goes.", "values": {"name": "Ana"}}},
        {"Ana waits.": {"template": "{name.__class__} waits.", "values": {"name": "Ana"}}},
        {str(number): {"template": "{n}", "values": {"n": str(number)}} for number in range(MAX_SENTENCES + 1)},
    ],
    ids=["none", "list", "text", "empty", "other", "field", "many"],
)
def test_what_a_host_says_of_its_sentences_is_not_believed(wires: object) -> None:
    back = answered(["Ana waits.", "1"], more={"sentences": wires})
    assert [type(text) for text in back] == [str, str]


def test_only_so_many_sentences_of_an_answer_are_told_in_another_language() -> None:
    back = answered([Sentence("{n} waits.", n=str(number)) for number in range(MAX_SENTENCES + 5)])
    assert sum(isinstance(text, Sentence) for text in back) == MAX_SENTENCES
    assert len(back) == MAX_SENTENCES + 5


def test_sentences_within_sentences_are_carried_to_a_depth() -> None:
    sentence = Sentence("{name} waits.", name="Ana")
    for _ in range(5):
        sentence = joined((Sentence("So it is:"), sentence))
    assert carried(sentence).values.keys() == {"part0", "part1"}
    for _ in range(50):
        sentence = Sentence(
            "{inner} and {inner}", inner=Sentence("so {it}", it=sentence) if len(sentence) < 99 else "x"
        )
    assert carried(sentence) == sentence


def test_a_small_message_does_not_swell_to_any_size() -> None:
    wire: Any = {"template": "{a}" * 20, "values": {"a": "x" * 1_000}}
    for _ in range(20):
        wire = {"template": "{a}" * 20, "values": {"a": wire}}
    assert sentence_from_wire(wire, "x") is None
