"""Operations that store facts and memories in a running host."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.text import content_hash
from app.host import Host

SAID = ("red", "blue", "car", "garage", "Rosa", "Mona", "7", "8", "not", "is", "was", "in", "likes", "tea", "茶", "不")
WORDS = st.sampled_from(SAID)
SENTENCES = st.lists(WORDS, min_size=1, max_size=9).map(" ".join)


def stored(host: Host) -> set[str]:
    return {fact.content for fact in host.ask("fact.list", limit=1000)}


@pytest.mark.parametrize("operation", ["fact.remember", "memory.write"])
def test_sentences_that_differ_in_a_word_are_both_stored(host: Host, operation: str) -> None:
    more = {"kind": "fact"} if operation == "memory.write" else {}
    for colour in ("red", "blue"):
        written = host.ask(operation, content=f"I like the {colour} car parked in the garage", **more)
        assert (written.outcome, written.matched) == ("ADD", "")
    again = host.ask(operation, content="i like the RED car  parked in the garage", **more)
    assert (again.outcome, again.decided_by) == ("EXACT_DUP", "hash")
    assert again.matched == again.memory.id
    assert "these very words" in again.reason
    assert len(stored(host)) == 2


def test_similar_note_written_on_purpose_is_stored_too(host: Host) -> None:
    for ending in ("", " now"):
        text = f"Rosa lives in the old house by the river{ending}"
        assert host.ask("memory.write", content=text, kind="note").outcome == "ADD"


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(SENTENCES, min_size=1, max_size=6))
def test_whatever_is_remembered_is_there_word_for_word(host: Host, sentences: list[str]) -> None:
    for sentence in sentences:
        host.ask("fact.remember", content=sentence)
    there = {content_hash(content) for content in stored(host)}
    assert {content_hash(sentence) for sentence in sentences} <= there


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(SENTENCES, st.integers(0, 8)), min_size=1, max_size=6))
def test_batch_stores_a_sentence_with_another_word_in_it(host: Host, drawn: list[tuple[str, int]]) -> None:
    sentences = []
    for number, (sentence, at) in enumerate(drawn):
        words = sentence.split()
        words[at % len(words)] = f"colour{chr(97 + number)}"
        sentences += [sentence, " ".join(words)]
    written = host.ask("fact.batch", facts=[{"content": sentence} for sentence in sentences]).written
    for replaced in written[1::2]:
        assert replaced.outcome in ("ADD", "EXACT_DUP")
