"""Real ONNX models as fastembed wants them, small enough to be written by hand.

The cross-encoder likes the longest text best, the late interaction model the one with most words of the question.
"""

import json
import struct
from pathlib import Path

from tests.unit.app.embed.onnx_file import field, model, node, value, write_tokenizer


def _graph() -> bytes:
    """Return a graph that adds the numbers of all tokens."""
    to_float = field(1, "to") + field(3, 1) + field(20, 2)
    axes = field(1, "axes") + field(8, 1) + field(20, 7)
    keep = field(1, "keepdims") + field(3, 1) + field(20, 2)
    return (
        field(1, node("Cast", ["input_ids"], "numbers", to_float))
        + field(1, node("ReduceSum", ["numbers"], "logits", axes, keep))
        + field(2, "judge")
        + field(11, value("input_ids", 7, "texts", "tokens"))
        + field(12, value("logits", 1, "texts", 1))
    )


def write_rerank_model(folder: Path, words: tuple[str, ...] = ()) -> Path:
    """Write the model's files into ``folder`` and return it.

    Args:
        folder: A folder that is made.
        words: What it likes more than other words, the last one best.
    """
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "model.onnx").write_bytes(model(_graph()))
    write_tokenizer(folder, words)
    return folder


_DEPTH = 16
"""Number of tokens of the late interaction model."""


def _constant(name: str, kind: int, dimensions: int, content: bytes) -> bytes:
    """Return a step of a graph that gives a list of numbers, or one number."""
    tensor = (field(1, dimensions) if dimensions else b"") + field(2, kind) + field(9, content)
    return node("Constant", [], name, field(1, "value") + field(5, tensor) + field(20, 4))


def _one_hot_graph() -> bytes:
    """Return a graph that gives every token a dimension of its own."""
    return (
        field(1, _constant("depth", 7, 0, struct.pack("<q", _DEPTH)))
        + field(1, _constant("values", 1, 2, struct.pack("<2f", 0.0, 1.0)))
        + field(1, node("OneHot", ["input_ids", "depth", "values"], "vectors"))
        + field(2, "interaction")
        + field(11, value("input_ids", 7, "texts", "tokens"))
        + field(11, value("attention_mask", 7, "texts", "tokens"))
        + field(12, value("vectors", 1, "texts", "tokens", _DEPTH))
    )


def write_late_interaction_model(folder: Path, words: tuple[str, ...]) -> Path:
    """Write a late interaction model that knows ``words`` into ``folder`` and return it."""
    folder.mkdir(parents=True)
    (folder / "vespa_colbert.onnx").write_bytes(model(_one_hot_graph()))
    # The second token marks texts, and questions are filled up with [MASK].
    write_tokenizer(folder, ("[TEXT]", "[MASK]", *words))
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "mask_token": "[MASK]"}
    (folder / "special_tokens_map.json").write_text(json.dumps(special))
    return folder
