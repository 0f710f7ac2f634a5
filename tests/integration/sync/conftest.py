"""Machines that share, and exchange points of each kind; a server is started once for all tests that need it."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.helpers.servers.postgresql import PostgresqlServer, binaries
from tests.helpers.servers.s3 import MotoServer, S3Server, has_moto
from tests.helpers.servers.webdav import ApacheServer, WebdavServer, WsgidavServer, apache
from tests.integration.sync.machines import Machine, machines_in, share


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    if binaries() is None:
        pytest.skip("PostgreSQL's server is not on this machine")
    server = PostgresqlServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def apache_server() -> Iterator[ApacheServer]:
    if apache() is None:
        pytest.skip("Apache with mod_dav is not on this machine")
    server = ApacheServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def wsgidav_server() -> Iterator[WsgidavServer]:
    if find_spec("wsgidav") is None:
        pytest.skip("WsgiDAV is not in this environment")
    server = WsgidavServer()
    yield server
    server.close()


@pytest.fixture(params=["apache_server", "wsgidav_server"])
def webdav(request: pytest.FixtureRequest) -> WebdavServer:
    """Return a WebDAV server of each kind."""
    server: WebdavServer = request.getfixturevalue(request.param)
    return server


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Server]:
    server = S3Server()
    yield server
    server.close()


@pytest.fixture(scope="session")
def moto_server() -> Iterator[MotoServer]:
    if not has_moto():
        pytest.skip("moto is not in this environment (the extra s3)")
    server = MotoServer()
    yield server
    server.close()


@pytest.fixture(params=["s3_server", "moto_server"])
def s3(request: pytest.FixtureRequest) -> S3Server:
    """Return an S3 server of each kind."""
    server: S3Server = request.getfixturevalue(request.param)
    return server


@pytest.fixture(params=["folder", "postgresql", "apache_server", "wsgidav_server", "s3_server", "moto_server"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty place."""
    if request.param == "folder":
        folder = tmp_path / "exchange"
        folder.mkdir()
        return str(folder)
    server: PostgresqlServer | WebdavServer | S3Server = request.getfixturevalue(request.param)
    return server.new_place()


@pytest.fixture
def joined(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    """Return two machines that share a folder."""
    with machines_in(tmp_path, "desktop", "laptop") as (one, other):
        share(one, other)
        yield one, other
