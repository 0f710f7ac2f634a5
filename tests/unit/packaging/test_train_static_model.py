"""The trainer of the table: its parts in small, its sentences, and the carried model against its manifest."""

import hashlib
import importlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from app.embed.static_embedder import StaticEmbedder

ROOT = Path(__file__).resolve().parents[3]
MODEL = ROOT / "resources" / "models" / "static-minilm-256-sentences"


@pytest.fixture(scope="module")
def trainer() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "packaging"))
        yield importlib.import_module("train_static_model")


@pytest.fixture(scope="module")
def texts() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "packaging"))
        yield importlib.import_module("training_sentences")


def _some(shape: tuple[int, int], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def test_the_slope_is_what_small_steps_say(trainer: ModuleType) -> None:
    rows, targets = _some((6, 5), 1), trainer.unit(_some((3, 5), 2))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    sentences = [[0, 1, 1], [2, 3], [4]]
    slope, value = trainer._slope(rows, lengths, sentences, targets)
    for place in ((0, 0), (1, 3), (3, 2)):
        moved = rows.copy()
        moved[place] += 1e-6
        _, more = trainer._slope(moved, lengths, sentences, targets)
        assert slope[place] == pytest.approx((more - value) / 1e-6, abs=1e-4)
    assert not slope[5].any()


def test_rows_turn_but_keep_their_lengths_and_unseen_ones_stay(
    trainer: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainer, "BATCH", 4)
    monkeypatch.setattr(trainer, "EPOCHS", 40)
    first = _some((5, 6), 3).astype(np.float32)
    sentences = [[0, 1], [1, 2], [2, 0], [3]]
    targets = trainer.unit(_some((4, 6), 4)).astype(np.float32)
    last = trainer.trained(first, sentences, targets)

    def near(rows: np.ndarray) -> float:
        return float(np.sum(trainer.unit(trainer.Sums(sentences).forward(rows)) * targets))

    assert near(last) > near(first)
    assert np.allclose(np.linalg.norm(last, axis=1), np.linalg.norm(first, axis=1), rtol=1e-4)
    assert np.allclose(last[4], first[4], rtol=1e-4)


def test_the_mixture_lies_half_way_and_an_empty_row_stays_empty(trainer: ModuleType) -> None:
    first, last = np.array([[0.0, 3.0], [0.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 0.0]])
    assert np.allclose(trainer.mixed(first, last), [[4.5**0.5, 4.5**0.5], [0, 0]])


def test_the_axes_are_those_of_the_tokens(trainer: ModuleType) -> None:
    vectors = _some((900, 384), 5)
    assert np.allclose(vectors @ trainer.axes(vectors), trainer.base.projected(vectors), atol=1e-3)


def test_vectors_once_made_are_kept(trainer: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    class Counting:
        def __init__(self, folder: Path) -> None:
            del folder

        def __call__(self, texts: list[str]) -> np.ndarray:
            made.extend(texts)
            return np.array([[float(len(text)), 1.0] for text in texts])

    monkeypatch.setattr(trainer, "Teacher", Counting)
    kept = tmp_path / "sentences.npz"
    trainer.teacher_vectors(["a", "bcd"], tmp_path, kept)
    again = trainer.teacher_vectors(["bcd", "ef", "a"], tmp_path, kept)
    assert made == ["a", "bcd", "ef"]
    assert again.tolist() == [[3, 1], [2, 1], [1, 1]]


def test_every_slot_of_the_patterns_is_filled(texts: ModuleType) -> None:
    patterns = json.loads(texts.PATTERNS.read_text(encoding="utf-8"))
    named = {slot for text in patterns["openers"] + patterns["sentences"] for slot in re.findall(r"\{(\w+)\}", text)}
    assert named <= patterns["slots"].keys()
    categories = {one for slot in patterns["slots"].values() if isinstance(slot, dict) for one in slot["wordnet"]}
    assert categories <= set(texts._CATEGORIES)


def test_only_texts_of_a_sentences_length_are_used(texts: ModuleType) -> None:
    found = [("a", "too short"), ("a", " three  words now "), ("a", "word " * 71), ("a", "x" * 250 + " y " + "z" * 250)]
    assert list(texts._usable(found)) == [("a", "three words now")]


def test_the_texts_of_an_r_file_are_read(texts: ModuleType) -> None:
    lines = [b"It is a truth", b"universally acknowledged"]
    raw = b"..." + b"".join(b"\x00\x04\x00\x09" + len(line).to_bytes(4, "big") + line for line in lines)
    assert list(texts._texts(raw)) == [line.decode() for line in lines]


def test_the_carried_model_is_what_its_manifest_says_and_opens() -> None:
    manifest = json.loads((MODEL / "manifest.json").read_bytes())
    for name, digest in manifest["sha256"].items():
        assert hashlib.sha256((MODEL / name).read_bytes()).hexdigest() == digest
    assert sum(path.stat().st_size for path in MODEL.iterdir()) < 8_500_000
    embedder = StaticEmbedder()
    assert embedder.identity.model == "minilm-256-sentences"
    rows = embedder.embed(["My dog is ill", "our puppy was sick", "the price of copper"])
    near = rows @ embedder.embed_query("Whose pet has a disease?")
    assert min(near[:2]) > near[2]
