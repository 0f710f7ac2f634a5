import os
import socket
import sys
from pathlib import Path

import pytest

from app.errors import MachineError
from app.rpc.server import listener
from app.rpc.server.listener import listen_on_path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Unix sockets")


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Short, whatever pytest calls its folder.
    place = Path(os.environ["HOME"]) / f"r{os.getpid()}"
    place.mkdir(mode=0o700, exist_ok=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place))
    return place


def test_each_vault_has_its_own_address(tmp_path: Path, runtime: Path) -> None:
    first, one = listen_on_path(tmp_path / "a")
    second, two = listen_on_path(tmp_path / "b")
    first.close()
    second.close()
    assert one != two
    assert one.is_relative_to(runtime)


def test_what_a_dead_host_left_is_removed(tmp_path: Path, runtime: Path) -> None:
    dead, path = listen_on_path(tmp_path)
    dead.close()
    assert path.exists()
    again, same = listen_on_path(tmp_path)
    again.close()
    assert same == path


def test_what_killed_hosts_of_other_vaults_left_is_removed(tmp_path: Path, runtime: Path) -> None:
    dead, abandoned = listen_on_path(tmp_path / "killed")
    fresh, made_just_now = listen_on_path(tmp_path / "starting")
    alive, answered = listen_on_path(tmp_path / "running")
    dead.close()
    fresh.close()
    foreign = abandoned.with_name("another-program.sock")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(foreign))
    for path in (abandoned, answered, foreign):
        os.utime(path, (0, 0))
    opened, own = listen_on_path(tmp_path / "own")
    assert not abandoned.exists()
    assert all(path.exists() for path in (made_just_now, answered, foreign, own))
    alive.close()
    opened.close()
    for path in (made_just_now, answered, foreign, own):
        path.unlink()


def test_socket_in_use_is_left_alone(short_vault: Path, runtime: Path) -> None:
    first, path = listen_on_path(short_vault)
    second, other = listen_on_path(short_vault)
    assert other == short_vault / "keepsake.sock"
    with socket.socket(socket.AF_UNIX) as probe:
        probe.connect(str(path))
    first.close()
    second.close()


@pytest.fixture
def short_vault(runtime: Path) -> Path:
    made = runtime / "v"
    made.mkdir(mode=0o700, exist_ok=True)
    (made / "keepsake.sock").unlink(missing_ok=True)
    return made


def test_a_runtime_folder_with_a_long_name_is_passed_over(
    short_vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / ("x" * 120)))
    listening, path = listen_on_path(short_vault)
    listening.close()
    assert path == short_vault / "keepsake.sock"


def test_a_runtime_folder_others_can_change_is_passed_over(
    short_vault: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = runtime / "shared"
    shared.mkdir(exist_ok=True)
    shared.chmod(0o777)
    monkeypatch.setattr(listener, "runtime_dir", lambda: shared / "keepsake")
    listening, path = listen_on_path(short_vault)
    listening.close()
    assert path == short_vault / "keepsake.sock"


def test_a_folder_open_to_others_is_closed_to_them(tmp_path: Path, runtime: Path) -> None:
    (runtime / "keepsake").mkdir(exist_ok=True)
    (runtime / "keepsake").chmod(0o755)
    listening, path = listen_on_path(tmp_path)
    listening.close()
    assert path.parent.stat().st_mode & 0o077 == 0


def test_nowhere_to_listen_is_said_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("x" * 120)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    monkeypatch.setattr(listener.tempfile, "gettempdir", lambda: str(deep))
    with pytest.raises(MachineError, match="No folder can hold"):
        listen_on_path(deep)
