"""spaCy is an extra: its absence is ordinary, and a pipeline that fails is left alone."""

import importlib.util
import sys
from pathlib import Path

import pytest

from app.entities.ner.provider import NOTHING_KNOWN
from app.entities.ner.spacy_provider import SpacyProvider

needs_spacy = pytest.mark.skipif(importlib.util.find_spec("spacy") is None, reason="spaCy is not installed")


@pytest.mark.parametrize("pipeline", ["", "no_such_pipeline", "/no/such/folder", "../../etc", "\x00"])
def test_without_a_pipeline_it_is_not_available_and_finds_nothing(pipeline: str) -> None:
    if not pipeline and importlib.util.find_spec("spacy") is not None:
        pytest.skip("a pipeline may be installed")
    provider = SpacyProvider(lambda: pipeline)
    assert not provider.is_available
    assert provider.extract("Alice lives in Berlin.", NOTHING_KNOWN) == []
    assert provider.failure == ""


def test_spacy_is_not_imported_to_see_whether_it_is_there() -> None:
    assert SpacyProvider().is_available in {True, False}
    assert "spacy" not in sys.modules or importlib.util.find_spec("spacy") is not None


@needs_spacy
def test_a_pipeline_in_a_folder_finds_names_by_their_labels(tmp_path: Path) -> None:
    import spacy

    nlp = spacy.blank("en")
    labels = {"Ada": "PERSON", "Acme Works": "ORG", "the Alps": "LOC", "Dune": "WORK_OF_ART", "Monday": "DATE"}
    nlp.add_pipe("entity_ruler").add_patterns([{"label": label, "pattern": name} for name, label in labels.items()])
    nlp.to_disk(tmp_path / "pipeline")
    provider = SpacyProvider(lambda: str(tmp_path / "pipeline"))
    assert provider.is_available
    text = "On Monday Ada of Acme Works read Dune in the Alps."
    spans = provider.extract(text, NOTHING_KNOWN)
    assert {(span.text, span.type) for span in spans} == {
        ("Ada", "person"),
        ("Acme Works", "organization"),
        ("Alps", "location"),
        ("Dune", "other"),
    }
    assert all(text[span.start : span.end] == span.text for span in spans)
    provider.release()
    assert provider.extract(text, NOTHING_KNOWN) == spans


@needs_spacy
def test_a_folder_that_is_no_pipeline_is_reported_once(tmp_path: Path) -> None:
    provider = SpacyProvider(lambda: str(tmp_path))
    assert provider.extract("Ada", NOTHING_KNOWN) == []
    assert not provider.is_available
    assert "does not work" in provider.failure
