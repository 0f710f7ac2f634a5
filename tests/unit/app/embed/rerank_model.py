"""A real ONNX model as fastembed wants one, small enough to be written by hand: it likes the longest text best."""

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
