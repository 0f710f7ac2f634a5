"""Samples that prove a text gone: its own, short, found in every form it is stored in."""

import json

from hypothesis import given
from hypothesis import strategies as st

from app.erasure import text_samples

TEXTS = st.lists(st.text(max_size=300), max_size=80)


@given(TEXTS)
def test_each_sample_stands_in_a_text_or_its_json(texts: list[str]) -> None:
    forms = "\n".join([*texts, json.dumps(texts), json.dumps(texts, ensure_ascii=False)])
    samples = text_samples.text_samples(texts)
    assert all(sample in forms for sample in samples)
    assert len(samples) <= 2 * text_samples.MOST
    assert all(len(sample.encode()) >= text_samples.LEAST_BYTES for sample in samples)


def test_nothing_is_taken_from_what_is_nobodys_own() -> None:
    assert text_samples.text_samples(["", "tea", "=" * 90, "\x00\n\t", '"""""""""']) == ()


def test_samples_reach_over_all_of_a_text_and_all_texts() -> None:
    long = " ".join(f"word{n}" for n in range(1_000))
    samples = text_samples.text_samples([long])
    assert samples[0].startswith("word0")
    assert samples[-1].endswith("word999")
    many = text_samples.text_samples(f"This is the text number {n}" for n in range(5_000))
    assert len(many) == text_samples.MOST
    assert any("4999" in sample for sample in many)


def test_tails_leave_out_what_the_index_shares_with_the_word_before() -> None:
    assert text_samples.term_tails(["short", "quarterdeck"]) == ("rterdeck",)
    assert len(text_samples.term_tails(f"quarterdeck{n}" for n in range(500))) <= text_samples.MOST


def test_what_a_state_says() -> None:
    long = "a value long enough to be somebody's own"
    state = {
        "title": "Über",
        "content": "text",
        "facts": [long, "x"],
        "attributes": {"origin": "markdown", "a": [long]},
    }
    assert list(text_samples.strings_of_state(state)) == ["Über", "über", "text", long, long]
    assert list(text_samples.strings_of_state({"title": None, "facts": json.dumps([long])})) == ["", "", "", long]
