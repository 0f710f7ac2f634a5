"""A real ONNX model as fastembed wants one, small enough to be written by hand: each known word has a direction."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.unit.app.embed.onnx_file import field, model, node, value, write_tokenizer

NAME = "fastembed:sentence-transformers/all-MiniLM-L6-v2"
DIMENSIONS = 384


def _graph(words: int, dimensions: int) -> bytes:
    """Return a graph that looks tokens up in a table; padding and unknown words have a direction too."""
    table = np.eye(words + 2, dimensions, dtype=np.float32)
    entry = field(1, words + 2) + field(1, dimensions) + field(2, 1) + field(8, "table") + field(9, table.tobytes())
    return (
        field(1, node("Gather", ["table", "input_ids"], "last_hidden_state"))
        + field(2, "gazer")
        + field(5, entry)
        + field(11, value("input_ids", 7, "texts", "tokens"))
        + field(12, value("last_hidden_state", 1, "texts", "tokens", dimensions))
    )


def write_sentence_model(folder: Path, words: Sequence[str], dimensions: int = DIMENSIONS) -> Path:
    """Write the model's files into ``folder`` and return it."""
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model(_graph(len(words), dimensions)))
    write_tokenizer(folder, words)
    return folder
