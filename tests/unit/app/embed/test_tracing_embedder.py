"""Embedding shows in the trace as counts and times."""

import json
from pathlib import Path

import pytest

from app.embed.hashed_embedder import HashedEmbedder
from app.embed.tracing_embedder import TracedEmbedder
from app.errors import ModelUnavailableError
from app.trace.trace import Trace


class Closed(HashedEmbedder):
    def embed_query(self, text: str) -> object:
        raise ModelUnavailableError(f"no room for {text}")


def test_texts_and_failures_are_counted_and_not_repeated(tmp_path: Path) -> None:
    trace = Trace(tmp_path)
    embedder = TracedEmbedder(Closed(), trace)
    assert embedder.embed(["violet", "marigold"]).shape == (2, embedder.identity.dimensions)
    with pytest.raises(ModelUnavailableError):
        embedder.embed_query("marigold")
    embedder.close()
    trace.close()
    text = (tmp_path / "trace.jsonl").read_text()
    made, failed = (json.loads(line) for line in text.splitlines())
    assert (made["event"], made["texts"], made["characters"], made["status"]) == ("embedding.texts", 2, 14, "ok")
    assert (made["provider"], made["dimensions"]) == ("hashed", embedder.identity.dimensions)
    assert (failed["event"], failed["status"]) == ("embedding.query", "model_unavailable")
    assert "marigold" not in text
