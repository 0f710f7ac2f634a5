"""The builder of the table that the carried one is trained from: its parts in small."""

import importlib.util
import json
import math
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_static_model", ROOT / "packaging" / "build_static_model.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def weights() -> dict[str, np.ndarray]:
    """Return the weights of a one-layer network of width 24 with random numbers."""
    rng = np.random.default_rng(7)
    shapes = {
        "embeddings.word_embeddings.weight": (1200, 24),
        "embeddings.token_type_embeddings.weight": (2, 24),
        "embeddings.position_embeddings.weight": (8, 24),
        "encoder.layer.0.intermediate.dense.weight": (48, 24),
        "encoder.layer.0.intermediate.dense.bias": (48,),
        "encoder.layer.0.output.dense.weight": (24, 48),
        "encoder.layer.0.output.dense.bias": (24,),
    }
    squares = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"]
    for name in squares:
        shapes[f"encoder.layer.0.{name}.weight"] = (24, 24)
        shapes[f"encoder.layer.0.{name}.bias"] = (24,)
    for name in ("embeddings.", "encoder.layer.0.attention.output.", "encoder.layer.0.output."):
        shapes[f"{name}LayerNorm.weight"] = shapes[f"{name}LayerNorm.bias"] = (24,)
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


def test_erf_is_the_error_function(builder: ModuleType) -> None:
    points = np.linspace(-4, 4, 101)
    assert np.allclose(builder.erf(points), [math.erf(point) for point in points], atol=2e-7)


def test_tensors_reads_what_the_format_says(builder: ModuleType) -> None:
    numbers = np.arange(6, dtype="<f4")
    header = {"__metadata__": {"format": "pt"}, "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}
    head = json.dumps(header).encode()
    read = builder.tensors(len(head).to_bytes(8, "little") + head + numbers.tobytes())
    assert read.keys() == {"a"}
    assert np.array_equal(read["a"], numbers.reshape(2, 3))


def test_other_weights_are_refused(builder: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"")
    (tmp_path / "vocab.txt").write_bytes(b"")
    with pytest.raises(SystemExit, match="not the published file"):
        builder.build(tmp_path / "out", tmp_path / "model.safetensors", tmp_path / "vocab.txt")


def test_each_token_stands_alone(builder: ModuleType, weights: dict[str, np.ndarray]) -> None:
    network = builder.Network(weights)
    together = builder.token_vectors(network, [1000, 1001, 1002])
    alone = builder.token_vectors(network, [1001])
    assert together.shape == (3, 24)
    assert np.allclose(together[1], alone[0])
    assert not np.allclose(together[0], together[1])


def test_the_projection_keeps_the_strong_axes_and_cannot_come_out_mirrored(builder: ModuleType) -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(400, 12)) * np.linspace(4, 0.1, 12)
    out = builder.projected(vectors, 4)
    assert out.shape == (400, 4)
    spread = np.sqrt((out**2).mean(0))
    assert np.all(np.diff(spread) < 0)
    assert np.allclose(np.abs(builder.projected(-vectors, 4)), np.abs(out))


def test_rare_tokens_weigh_more(builder: ModuleType) -> None:
    out = np.linalg.norm(builder.weighted(np.ones((4, 3)), [1010, 1996, 5000, 30000]), axis=1)
    assert out[0] == out[1]
    assert np.all(np.diff(out[1:]) > 0)
    assert out.mean() == pytest.approx(1)


def test_bytes_are_within_half_a_step(builder: ModuleType) -> None:
    vectors = np.random.default_rng(5).normal(size=(50, 16))
    vectors[7] = 0
    table, scales = builder.quantised(vectors)
    assert table.dtype == np.int8
    assert np.all(np.abs(table * scales[:, None] - vectors) <= scales[:, None] * 0.501)
    assert not table[7].any()


def test_latin_tokens_and_punctuation_are_kept(builder: ModuleType) -> None:
    vocabulary = ["[unused]"] * 999 + ["!", "a", "é", "я", "京", "##ing", "€", "‘", "##λ"]
    assert [vocabulary[i] for i in builder.kept(vocabulary)] == ["!", "a", "é", "##ing", "€", "‘"]


def test_writing_twice_gives_the_same_bytes(builder: ModuleType, tmp_path: Path) -> None:
    vectors = np.random.default_rng(9).normal(size=(5, 8))
    for name in ("one", "two"):
        builder.write(tmp_path / name, list("abcde"), vectors)
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
    assert not np.load(tmp_path / "one" / "table.npy")[0].any()
