"""Real vaults, cheaply: one file migrated a run, copied for each test."""

import functools
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from app.core.paths import migrations
from app.store.store import DATABASE, Store

if TYPE_CHECKING:
    from app.host import Host


@functools.cache
def _empty_database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        Store.open(Path(folder), migrations()).close()
        return (Path(folder) / DATABASE).read_bytes()


def make_vault(folder: Path) -> None:
    """Make an empty vault with a lane of its own, without the work of the migrations."""
    folder.mkdir(mode=0o700)
    database = folder / DATABASE
    database.touch(0o600)
    database.write_bytes(_empty_database())
    with closing(apsw.Connection(str(database))) as connection:
        connection.execute("UPDATE lanes SET lane = (random() & 0x7ffffffffffffffe) + 1")


@pytest.fixture(scope="session")
def template_db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database file with the current schema and nothing in it; never write to it."""
    path = tmp_path_factory.mktemp("template") / DATABASE
    path.write_bytes(_empty_database())
    return path


@pytest.fixture
def migrated_db(template_db: Path, tmp_path: Path) -> Path:
    """Return the test's own copy of an empty, migrated database file."""
    return Path(shutil.copy(template_db, tmp_path / DATABASE))


@pytest.fixture
def vault(template_db: Path, tmp_path: Path) -> Path:
    """Return the test's own empty vault folder."""
    folder = tmp_path / "vault"
    folder.mkdir(mode=0o700)
    copy = Path(shutil.copy(template_db, folder / DATABASE))
    copy.chmod(0o600)
    return folder


@pytest.fixture(scope="session")
def sample_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a vault folder with the sample in it; never write to it."""
    from app.cli.demo import fill
    from app.host import Host

    folder = tmp_path_factory.mktemp("sample") / "vault"
    filling = Host(folder, serve=False)
    filling.start()
    try:
        fill(filling, lambda _line: None)
    finally:
        filling.stop()
    return folder


@pytest.fixture
def sample_vault(sample_template: Path, tmp_path: Path) -> Path:
    """Return the test's own copy of a vault with the sample in it: conversations, notes, facts, names and agents.

    A file whose tests want it has ``def vault(sample_vault: Path) -> Path: return sample_vault``.
    """
    return Path(shutil.copytree(sample_template, tmp_path / "vault"))


@pytest.fixture
def host(vault: Path) -> Iterator["Host"]:
    """Run a host on the test's vault; ``host.ask("note.save", content="...")`` asks it."""
    from app.host import Host

    running = Host(vault)
    running.start()
    yield running
    running.stop()
