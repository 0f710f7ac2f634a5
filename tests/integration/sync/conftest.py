"""Exchange points of each kind; a server is started once for all tests that need it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.postgresql import PostgresqlServer, binaries


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    if binaries() is None:
        pytest.skip("PostgreSQL's server is not on this machine")
    server = PostgresqlServer()
    yield server
    server.close()


@pytest.fixture(params=["folder", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty place."""
    if request.param == "folder":
        folder = tmp_path / "exchange"
        folder.mkdir()
        return str(folder)
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return server.new_database()
