"""Recovery of a closed vault: what is stopped leaves the vault as it was."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.stop_signal import StopSignal
from app.errors import CancelledByPersonError
from app.host import Host
from app.store.store import DATABASE
from app.upkeep.closed_vault import ClosedVault


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    host = Host(tmp_path / "v", serve=False, overrides={"index.vectors": False})
    host.start()
    host.ask("note.save", title="Roses", content="Prune the climbing rose in March.")
    host.ask("backup.now")
    host.stop()
    return tmp_path / "v"


def contents(vault: Path) -> dict[str, bytes]:
    found = (path for path in vault.rglob("*") if path.is_file() and "trace" not in path.parts)
    return {str(path.relative_to(vault)): path.read_bytes() for path in found}


def work_of(name: str) -> Callable[[ClosedVault], object]:
    return {
        "check": lambda closed: closed.check(),
        "restore": lambda closed: closed.restore(closed.backups()[0].name),
        "salvage": lambda closed: closed.salvage(),
    }[name]


class StopAt(StopSignal):
    """A signal that is set when it was looked at so many times."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self._left = looks

    @property
    def is_set(self) -> bool:
        self._left -= 1
        if self._left < 0:
            self.set()
        return super().is_set

    def check(self) -> None:
        if self.is_set:
            super().check()


@pytest.mark.parametrize("name", ["check", "restore", "salvage"])
@pytest.mark.parametrize("looks", [0, 3, 17])
def test_stopped_work_changes_nothing(vault: Path, name: str, looks: int) -> None:
    before, siblings = contents(vault), sorted(vault.parent.iterdir())
    stop = StopAt(looks)
    try:
        work_of(name)(ClosedVault(vault, stop))
    except CancelledByPersonError:
        after = contents(vault)
        owners = [files.pop("lock", b"").split()[:1] for files in (before, after)]
        assert owners[0] == owners[1]  # what follows says what the owner did, who has gone
        assert after == before
        assert sorted(vault.parent.iterdir()) == siblings
    host = Host(vault, serve=False, overrides={"index.vectors": False})
    host.start()
    assert len(host.ask("note.ids")) == 1
    host.stop()


@pytest.mark.parametrize("name", ["check", "restore", "salvage"])
def test_work_is_stopped_at_its_first_look(vault: Path, name: str) -> None:
    stop = StopSignal()
    stop.set()
    with pytest.raises(CancelledByPersonError):
        work_of(name)(ClosedVault(vault, stop))


@pytest.mark.parametrize("name", ["check", "restore", "salvage"])
def test_work_that_nobody_stops_is_done(vault: Path, name: str) -> None:
    work_of(name)(ClosedVault(vault, StopSignal()))
    assert (vault / DATABASE).stat().st_size
