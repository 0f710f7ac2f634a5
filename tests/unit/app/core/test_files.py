"""Files that are there, are not there, or cannot be looked at."""

from pathlib import Path

import pytest

from app.core.files import is_there


def test_a_path_that_cannot_be_looked_at_is_not_taken_for_a_missing_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert is_there(tmp_path / "a")
    assert not is_there(tmp_path / "b")
    assert not is_there(tmp_path / "a" / "b")
    with pytest.raises(OSError, match="loop"):
        is_there(tmp_path / "loop")
