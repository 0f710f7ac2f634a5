"""Estimates of tokens are at least what a tokenizer (o200k) counted for ids and times, and not much more."""

import pytest

from app.core.text_rules.token_estimate import estimate_served_tokens, estimate_tokens

ID = "obs-01a21511-aa2e-7b1c-9d3f-0123456789ab"


@pytest.mark.parametrize(("text", "least"), [(f"⟦{ID}⟧", 31), ("2026-11-25 23:36", 9), (f"{ID} " * 40, 40 * 24)])
def test_ids_and_times_cost_what_they_do(text: str, least: int) -> None:
    assert least <= estimate_served_tokens(text) <= least * 1.5
    assert estimate_tokens(text) < least


@pytest.mark.parametrize("text", ["", "The facade of a decade, effaced.", "In 1999 they had 20 boats.", "你好世界"])
def test_ordinary_text_costs_the_same(text: str) -> None:
    assert estimate_served_tokens(text) == estimate_tokens(text)
