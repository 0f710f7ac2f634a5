"""Services on a real vault, for tests below the host."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.app.vault_harness import VaultHarness


@pytest.fixture
def vault_harness(vault: Path) -> Iterator[VaultHarness]:
    """Return a vault's services and its index."""
    made = VaultHarness(vault)
    yield made
    made.close()
