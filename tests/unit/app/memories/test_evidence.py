"""Samples that prove a text gone: its own, short, found in every form it is stored in."""

import json

from hypothesis import given
from hypothesis import strategies as st

from app.memories import evidence

TEXTS = st.lists(st.text(max_size=300), max_size=80)


@given(TEXTS)
def test_each_sample_stands_in_a_text_or_its_json(texts: list[str]) -> None:
    forms = "\n".join([*texts, json.dumps(texts), json.dumps(texts, ensure_ascii=False)])
    samples = evidence.samples(texts)
    assert all(sample in forms for sample in samples)
    assert len(samples) <= 2 * evidence.MOST
    assert all(len(sample.encode()) >= evidence.LEAST_BYTES for sample in samples)


def test_nothing_is_taken_from_what_is_nobodys_own() -> None:
    assert evidence.samples(["", "tea", "=" * 90, "\x00\n\t", '"""""""""']) == ()


def test_samples_reach_over_all_of_a_text_and_all_texts() -> None:
    long = " ".join(f"word{n}" for n in range(1_000))
    samples = evidence.samples([long])
    assert samples[0].startswith("word0")
    assert samples[-1].endswith("word999")
    many = evidence.samples(f"This is the text number {n}" for n in range(5_000))
    assert len(many) == evidence.MOST
    assert any("4999" in sample for sample in many)


def test_tails_leave_out_what_the_index_shares_with_the_word_before() -> None:
    assert evidence.tails(["short", "quarterdeck"]) == ("rterdeck",)
    assert len(evidence.tails(f"quarterdeck{n}" for n in range(500))) <= evidence.MOST


def test_what_a_state_says() -> None:
    long = "a value long enough to be somebody's own"
    state = {
        "title": "Über",
        "content": "text",
        "facts": [long, "x"],
        "attributes": {"origin": "markdown", "a": [long]},
    }
    assert list(evidence.said_in(state)) == ["Über", "über", "text", long, long]
    assert list(evidence.said_in({"title": None, "facts": json.dumps([long])})) == ["", "", "", long]
