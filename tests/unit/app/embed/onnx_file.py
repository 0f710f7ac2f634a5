"""Writes small ONNX models by hand, in the folder that fastembed wants."""

import json
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers


def number(given: int) -> bytes:
    """Return a number as protocol buffers write it."""
    parts = bytearray()
    while given > 127:
        parts.append(given & 127 | 128)
        given >>= 7
    return bytes([*parts, given])


def field(key: int, given: int | str | bytes) -> bytes:
    """Return one field of a protocol buffer."""
    if isinstance(given, int):
        return number(key << 3) + number(given)
    content = given.encode() if isinstance(given, str) else given
    return number(key << 3 | 2) + number(len(content)) + content


def value(name: str, kind: int, *dimensions: str | int) -> bytes:
    """Return what an input or an output looks like."""
    shape = b"".join(field(1, field(1 if isinstance(dimension, int) else 2, dimension)) for dimension in dimensions)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def node(name: str, sources: Sequence[str], target: str, *attributes: bytes) -> bytes:
    """Return one step of a graph."""
    taken = b"".join(field(1, source) for source in sources)
    return taken + field(2, target) + field(4, name) + b"".join(field(5, attribute) for attribute in attributes)


def model(graph: bytes) -> bytes:
    """Return a whole file."""
    return field(1, 7) + field(7, graph) + field(8, field(1, "") + field(2, 11))


def write_tokenizer(folder: Path, words: Sequence[str] = ()) -> None:
    """Write a tokenizer that knows ``words`` beside a model."""
    known = {word: place for place, word in enumerate(["[PAD]", "[UNK]", *words])}
    tokenizer = Tokenizer(models.WordLevel(known, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512, "pad_token": "[PAD]"}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]", "unk_token": "[UNK]"}))
