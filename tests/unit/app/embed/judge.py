"""A real ONNX model as fastembed wants one, small enough to be written by hand: it likes the longest text best."""

import json
from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers


def _number(value: int) -> bytes:
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    return bytes([*parts, value])


def _field(number: int, value: int | str | bytes) -> bytes:
    """Return one field of a protocol buffer."""
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    content = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(content)) + content


def _value(name: str, kind: int, *dimensions: str | int) -> bytes:
    shape = b"".join(_field(1, _field(1 if isinstance(one, int) else 2, one)) for one in dimensions)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def _node(name: str, source: str, target: str, *attributes: bytes) -> bytes:
    return _field(1, source) + _field(2, target) + _field(4, name) + b"".join(_field(5, one) for one in attributes)


def _model() -> bytes:
    """Return a graph that adds the numbers of all tokens."""
    to_float = _field(1, "to") + _field(3, 1) + _field(20, 2)
    axes = _field(1, "axes") + _field(8, 1) + _field(20, 7)
    keep = _field(1, "keepdims") + _field(3, 1) + _field(20, 2)
    graph = (
        _field(1, _node("Cast", "input_ids", "numbers", to_float))
        + _field(1, _node("ReduceSum", "numbers", "logits", axes, keep))
        + _field(2, "judge")
        + _field(11, _value("input_ids", 7, "texts", "tokens"))
        + _field(12, _value("logits", 1, "texts", 1))
    )
    return _field(1, 7) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 11))


def write_judge(folder: Path) -> Path:
    """Write the model's files into ``folder`` and return it."""
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_bytes(_model())
    tokenizer = Tokenizer(models.WordLevel({"[PAD]": 0, "[UNK]": 1}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512, "pad_token": "[PAD]"}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]", "unk_token": "[UNK]"}))
    return folder
