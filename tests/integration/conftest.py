"""A service that makes vectors, on this machine."""

from collections.abc import Iterator

import pytest

from tests.unit.app.embed.embedding_server import EmbeddingServer


@pytest.fixture
def service() -> Iterator[EmbeddingServer]:
    """Return a service whose vectors have eight numbers."""
    made = EmbeddingServer(width=8)
    yield made
    made.close()
