"""Estimates of tokens are within a tenth of what the tokenizer o200k counted in answers of five scripts."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from app.core.text_rules.token_estimate import estimate_served_tokens

COUNTED: list[dict[str, Any]] = json.loads(Path(__file__).with_name("counted_answers.json").read_text("utf-8"))
"""Answers as a model is told them, as text and as JSON, with the tokens that o200k counts."""


@pytest.mark.parametrize("answer", COUNTED, ids=lambda answer: f"{answer['language']}-{answer['tokens']}")
def test_an_answer_costs_what_a_tokenizer_counts(answer: dict[str, Any]) -> None:
    assert estimate_served_tokens(answer["text"]) == pytest.approx(answer["tokens"], rel=0.1)


def test_a_part_costs_no_more_than_the_whole() -> None:
    text = COUNTED[0]["text"]
    costs = [estimate_served_tokens(text[:length]) for length in range(0, len(text), 50)]
    assert costs[0] == 0
    assert all(later >= earlier - 1 for earlier, later in pairwise(costs))


@pytest.mark.parametrize("text", ["\x00\ud800", "🐟🐟", "᠎ⵣ", "a" * 100_000, "\n" * 1000, "٣٤٥", "½"])
def test_any_text_has_an_estimate(text: str) -> None:
    assert 0 <= estimate_served_tokens(text) <= 3 * len(text)
