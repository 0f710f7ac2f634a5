"""mem0 over its local Qdrant, storing turns as they are (``infer=False``): no language model is asked.

mem0 wants a model's name and key to be set up; the client is made with a key that opens nothing and is never used, and
the embedding model is one that looks given vectors up.
"""

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench.growth.peers.peer import LIMIT, measure
from tests.bench.growth.workload import DIMENSIONS, Turn

if TYPE_CHECKING:
    from tests.bench.growth.workload import Floats

_PERSON = "person"
_NO_SERVICE = {"provider": "openai", "config": {"api_key": "none"}}


class Given:
    """An embedding model that knows the vectors of the texts at hand."""

    def __init__(self, config: Any) -> None:
        self.config = config
        self.known: dict[str, list[float]] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Return the vector of a text."""
        return self.known[text]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        """Return the vectors of texts."""
        return [self.known[text] for text in texts]


class Mem0:
    """The memory of one person; a conversation is a run."""

    batch = 40

    def __init__(self, folder: Path) -> None:
        mem0: Any = importlib.import_module("mem0")
        place = {"collection_name": "turns", "path": str(folder / "qdrant"), "embedding_model_dims": DIMENSIONS}
        self._memory = mem0.Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": place | {"on_disk": True}},
                "llm": _NO_SERVICE,
                "embedder": _NO_SERVICE,
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._given = self._memory.embedding_model = Given(self._memory.embedding_model.config)

    def add(self, turns: Sequence[Turn], vectors: "Floats") -> None:
        """Store turns, those of a conversation with one call."""
        self._given.known = {turn.text: row for turn, row in zip(turns, vectors.tolist(), strict=True)}
        for session in dict.fromkeys(turn.session for turn in turns):
            said = [{"role": turn.role, "content": turn.text} for turn in turns if turn.session == session]
            self._memory.add(said, user_id=_PERSON, run_id=session, infer=False)

    def search(self, text: str, vector: "Floats") -> int:
        """Return how many answers there were."""
        self._given.known = {text: vector.tolist()}
        return len(self._memory.search(text, top_k=LIMIT, filters={"user_id": _PERSON})["results"])

    def close(self) -> None:
        """Let the databases go."""
        self._memory.vector_store.client.close()
        self._memory.close()


if __name__ == "__main__":
    sys.exit(measure(Mem0))
