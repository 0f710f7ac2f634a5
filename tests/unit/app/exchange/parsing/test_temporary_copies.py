"""Temporary copies of what is imported: a kill leaves none for good, and living processes keep theirs."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from app.exchange.parsing.temporary_copies import remove_abandoned, temporary_copies

KILLED = """
import os, signal
from app.exchange.parsing.temporary_copies import temporary_copies
with temporary_copies() as folder:
    (folder / "copy.db").write_text("a plain copy")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.skipif(sys.platform == "win32", reason="needs a kill without notice")
def test_what_a_kill_left_is_removed_and_what_is_in_use_stays(place: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED], check=False)
    (left,) = (path for path in place.iterdir() if path.is_dir())
    assert (left / "copy.db").exists()
    (place / "keepsake-import-earlier").mkdir()  # of a version without locks
    (place / "keepsake-import-file").touch()
    (place / "keepsake-import-link").symlink_to(place)
    with temporary_copies() as folder:
        assert not left.exists()
        assert not (place / "keepsake-import-earlier").exists()
        (folder / "copy.db").touch()
        remove_abandoned()
        assert (folder / "copy.db").exists()
        assert folder.stat().st_mode & 0o077 == 0
    assert not folder.exists()
    assert sorted(path.name for path in place.iterdir() if path.is_symlink() or path.is_file()) == [
        "keepsake-import-file",
        "keepsake-import-link",
    ]
