"""A service that makes vectors, on this machine."""

from collections.abc import Iterator

import pytest

from tests.unit.app.embed.service import Service


@pytest.fixture
def service() -> Iterator[Service]:
    """Return a service whose vectors have eight numbers."""
    made = Service(width=8)
    yield made
    made.close()
