"""Which names are joined follows from the texts alone: not from their order, nor from when names were joined before."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.entities.duplicates import repo
from app.entities.duplicates.joins import Joins
from app.entities.duplicates.service import NearDuplicateService
from tests.unit.app.entities.conftest import EntityHarness

TEXTS = (
    "Kenji Tanaka came to dinner, and Kenji brought tea.",
    "Kenji said it was good. Kenji Tanaka laughed.",
    "Kenji Tanaka and Lotte went to Ghent. Kenji slept.",
    "Kenji made me a strong coffee.",
    "Kenji sold me a bicycle in Berlin.",
    "Kenji called Lotte about Ghent.",
    "Kenji Tanaka is in Paris. Tanaka likes it.",
    "Tanaka wrote to Bram.",
    "My other friend Kenji is a nurse.",
    "Kenji Mori called.",
    "Lotte De Smet and Bram came. Lotte laughed.",
)


def upkeep(vault: EntityHarness, joins: Joins) -> int:
    """Take apart and join what is due; return how many names that were."""
    parted, count = vault.do(joins.doubtful()), 0
    for pair in parted:
        count += vault.do(joins.take_back(pair, "run-part")) is not None
    for pair in vault.do(joins.due()):
        count += vault.do(joins.join(pair, "run-join")) is not None
    return count


def names_after(texts: list[str], stops: set[int]) -> dict[str, int]:
    """Return the names and their mentions after upkeep at some places between texts and at the end."""
    with tempfile.TemporaryDirectory() as folder:
        vault = EntityHarness(Path(folder))
        joins = Joins(vault.store, vault.clock, NearDuplicateService(vault.store), "keepsake")
        for number, text in enumerate(texts):
            vault.note(text)
            vault.clock.ms += 1_000
            vault.read_all()
            if number in stops:
                upkeep(vault, joins)
        upkeep(vault, joins)
        assert upkeep(vault, joins) == 0
        names = vault.names()
        vault.close()
    return names


def test_a_text_that_is_left_to_read_takes_no_name_apart(harness: EntityHarness) -> None:
    duplicates = NearDuplicateService(harness.store)
    joins = Joins(harness.store, harness.clock, duplicates, "keepsake")
    harness.note(TEXTS[0])
    harness.read_all()
    assert upkeep(harness, joins) == 1
    harness.note(TEXTS[8])
    assert harness.do(joins.doubtful()) == []
    harness.read_all()
    (pair,) = harness.do(joins.doubtful())
    harness.note(TEXTS[9])
    assert harness.do(joins.take_back(pair, "run-part")) is None


def test_a_joined_name_among_too_many_to_compare_stays_joined(
    harness: EntityHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    joins = Joins(harness.store, harness.clock, NearDuplicateService(harness.store), "keepsake")
    harness.note(TEXTS[0])
    harness.read_all()
    assert upkeep(harness, joins) == 1
    harness.note("Lotte and Bram, Lotte and Bram, and Lotte and Bram went to Ghent.")
    harness.read_all()
    monkeypatch.setattr(repo, "_MOST", 1)
    assert upkeep(harness, joins) == 0


@settings(max_examples=8, deadline=None)
@given(st.data())
def test_the_order_of_texts_and_of_upkeep_makes_no_difference(data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.sampled_from(TEXTS), min_size=2, max_size=5, unique=True))
    order = data.draw(st.permutations(texts))
    stops = data.draw(st.sets(st.integers(0, len(texts) - 1)))
    assert names_after(texts, set()) == names_after(order, stops)
