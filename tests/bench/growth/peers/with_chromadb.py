"""chromadb's persistent client: one collection, cosine distance, vectors given."""

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench.growth.peers.peer import LIMIT, measure
from tests.bench.growth.workload import Turn

if TYPE_CHECKING:
    from tests.bench.growth.workload import Floats


class Chroma:
    """A collection of turns."""

    batch = 1_000

    def __init__(self, folder: Path) -> None:
        chromadb: Any = importlib.import_module("chromadb")
        config: Any = importlib.import_module("chromadb.config")
        self._client = chromadb.PersistentClient(str(folder), settings=config.Settings(anonymized_telemetry=False))
        self._turns = self._client.get_or_create_collection(
            "turns", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def add(self, turns: Sequence[Turn], vectors: "Floats") -> None:
        """Store turns with who said them, where and when."""
        self._turns.add(
            ids=[str(turn.number) for turn in turns],
            embeddings=vectors,
            documents=[turn.text for turn in turns],
            metadatas=[{"session": turn.session, "role": turn.role, "created_at": turn.created_at} for turn in turns],
        )

    def search(self, text: str, vector: "Floats") -> int:
        """Return how many answers there were."""
        found = self._turns.query(query_embeddings=[vector], n_results=LIMIT)
        return len(found["documents"][0])

    def close(self) -> None:
        """Let the client go."""
        if hasattr(self._client, "close"):
            self._client.close()


if __name__ == "__main__":
    sys.exit(measure(Chroma))
