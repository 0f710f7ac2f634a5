"""Built-in embedder: similar texts get similar vectors, and every vector can be compared."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.paths import resources
from app.embed.model import Embedder
from app.embed.static_embedder import MAX_CHARACTERS, MODEL, StaticEmbedder
from app.errors import ModelUnavailableError

FOLDER = resources() / "models" / f"static-{MODEL}"
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)
EMBEDDER = StaticEmbedder()


def near(a: str, b: str) -> float:
    """Return the cosine of two texts."""
    rows = EMBEDDER.embed([a, b])
    return float(rows[0] @ rows[1])


def assert_comparable(rows: np.ndarray) -> None:
    assert rows.dtype == np.float32
    assert np.isfinite(rows).all()
    lengths = np.linalg.norm(rows, axis=1)
    assert np.all((lengths == 0) | (np.abs(lengths - 1) < 1e-5))


@given(st.lists(ANY_TEXT, max_size=8))
def test_any_texts_give_comparable_rows_and_a_batch_equals_its_texts_alone(texts: list[str]) -> None:
    rows = EMBEDDER.embed(texts)
    assert rows.shape == (len(texts), 256)
    assert_comparable(rows)
    for row, text in zip(rows, texts, strict=True):
        assert np.array_equal(row, EMBEDDER.embed_query(text))


def test_naughty_strings_give_comparable_rows(naughty: str) -> None:
    assert_comparable(EMBEDDER.embed([naughty, naughty + " and plain words"]))


def test_shared_naughty_strings_give_comparable_rows(blns: list[str]) -> None:
    assert_comparable(EMBEDDER.embed(blns))


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\x00", "\ud800", "\u200b\ufe0f"])
def test_a_text_with_nothing_in_it_is_zero(text: str) -> None:
    assert not EMBEDDER.embed([text]).any()


def test_no_texts_give_no_rows() -> None:
    assert EMBEDDER.embed([]).shape == (0, 256)


def test_what_means_the_same_is_nearer_than_what_does_not() -> None:
    assert near("my dog is ill", "the puppy was sick") > near("my dog is ill", "the train was late") + 0.2
    assert near("we bought a car", "they purchased an automobile") > 0.6


def test_case_accents_and_wide_letters_do_not_matter() -> None:
    assert near("Café MÜNCHEN", "cafe munchen") == pytest.approx(1, abs=1e-5)
    assert near("Ｈｅｌｌｏ ｗｏｒｌｄ", "hello world") == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("text", "alike", "other"),
    [
        ("我昨天去了北京大学", "北京大学在哪里", "今天天气很好"),
        ("東京に行きました", "東京の天気", "犬が好きです"),
        ("мы поехали в Петербург", "поездка в Петербурге", "погода сегодня хорошая"),
        ("ฉันไปเชียงใหม่เมื่อวาน", "เชียงใหม่สวยมาก", "สุนัขของฉันป่วย"),
        ("שלום עולם", "עולם חדש", "הכלב חולה"),
        ("party 🎉", "🎉🎉", "🚗"),
    ],
)
def test_scripts_without_words_of_their_own_meet_in_shared_pieces(text: str, alike: str, other: str) -> None:
    assert near(text, alike) > near(text, other) + 0.1


def test_a_foreign_word_does_not_drown_the_rest() -> None:
    assert near("we visited the old temple in 北京", "we visited the old temple") > 0.7


def test_a_long_text_is_read_up_to_the_limit() -> None:
    text = "the lighthouse keeper wrote a letter. " * 30_000
    assert np.array_equal(EMBEDDER.embed_query(text), EMBEDDER.embed_query(text[:MAX_CHARACTERS]))
    assert_comparable(EMBEDDER.embed(["x" * 1_000_000, "語" * 1_000_000, "\ufdfa" * 1_000_000]))


def test_threads_get_what_one_caller_gets() -> None:
    texts = [f"letter {number} about the garden and 花{number}" for number in range(400)]
    expected = EMBEDDER.embed(texts)
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(EMBEDDER.embed, [texts] * 8):
            assert np.array_equal(rows, expected)


def test_two_openings_are_the_same_model(static: Embedder) -> None:
    assert static.identity == EMBEDDER.identity
    assert (static.identity.provider, static.identity.dimensions) == ("static", 256)
    assert np.array_equal(static.embed_query("a garden"), EMBEDDER.embed_query("a garden"))


def test_a_closed_embedder_says_so() -> None:
    embedder = StaticEmbedder()
    embedder.close()
    embedder.close()
    with pytest.raises(ModelUnavailableError, match="closed"):
        embedder.embed(["a"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the model."""
    return Path(shutil.copytree(FOLDER, tmp_path / "model"))


def test_a_copy_elsewhere_opens(folder: Path) -> None:
    assert StaticEmbedder(folder).identity == EMBEDDER.identity


@pytest.mark.parametrize("name", ["manifest.json", "table.npy", "scales.npy", "vocabulary.json"])
def test_a_missing_file_is_named_a_missing_model(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(ModelUnavailableError, match="cannot be read"):
        StaticEmbedder(folder)


@pytest.mark.parametrize("name", ["manifest.json", "table.npy", "scales.npy", "vocabulary.json"])
def test_a_cut_file_is_damage(folder: Path, name: str) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelUnavailableError, match="damaged"):
        StaticEmbedder(folder)


def test_a_manifest_of_another_shape_is_damage(folder: Path) -> None:
    for content in ([], {"sha256": {}}, {"sha256": None}):
        (folder / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
        with pytest.raises(ModelUnavailableError, match="damaged"):
            StaticEmbedder(folder)


def test_the_model_comes_with_its_licence() -> None:
    assert "Apache License" in (FOLDER / "LICENSE").read_text(encoding="utf-8")
    assert "all-MiniLM-L6-v2" in (FOLDER / "NOTICE").read_text(encoding="utf-8")
