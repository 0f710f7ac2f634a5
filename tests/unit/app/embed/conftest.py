"""The embedders under test, opened once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.embed.embedder_factory import open_embedder
from app.embed.model import Embedder
from tests.helpers.guards.isolation import SAVED_KEY

MINILM = "fastembed:sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture(scope="session")
def static() -> Iterator[Embedder]:
    embedder = open_embedder("static")
    yield embedder
    embedder.close()


@pytest.fixture(scope="session")
def minilm_folder(pytestconfig: pytest.Config) -> Path:
    """Return the folder with all-MiniLM-L6-v2 as ONNX that ``KEEPSAKE_MINILM`` names; skip without one."""
    named = pytestconfig.stash[SAVED_KEY].get("KEEPSAKE_MINILM")
    if not named:
        pytest.skip("needs all-MiniLM-L6-v2 as ONNX in the folder named by KEEPSAKE_MINILM")
    return Path(named)


@pytest.fixture(scope="session")
def minilm(minilm_folder: Path) -> Iterator[Embedder]:
    embedder = open_embedder(MINILM, folder=minilm_folder)
    yield embedder
    embedder.close()
