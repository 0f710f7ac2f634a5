"""Files of a mirrored folder: what a killed writer left goes, and a person's files stay."""

import os
from pathlib import Path

from app.exchange.mirror import mirrored_files


def test_what_a_killed_writer_left_is_removed_and_a_persons_file_is_not(tmp_path: Path) -> None:
    left, fresh, own = (
        tmp_path / name for name in ("Note.md.0123456789ab.partial", "Note.md.ba9876543210.partial", "Download.partial")
    )
    for path in (left, fresh, own):
        path.write_text("words")
    for path in (left, own):
        os.utime(path, (0, 0))
    mirrored_files.scan(tmp_path)
    assert (left.exists(), fresh.exists(), own.exists()) == (False, True, True)
