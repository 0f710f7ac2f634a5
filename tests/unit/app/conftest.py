"""Services on a real vault, for tests below the host."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.app.shelf import Shelf


@pytest.fixture
def shelf(vault: Path) -> Iterator[Shelf]:
    """Return a vault's services and its index."""
    made = Shelf(vault)
    yield made
    made.close()
