"""Archives that tests unpack."""

import tarfile
from pathlib import Path


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive made by tar, with the guards that this Python has: 3.11.4 is the first with a filter."""
    with tarfile.open(archive) as opened:
        if hasattr(tarfile, "data_filter"):
            opened.extractall(folder, filter="data")
        else:
            opened.extractall(folder)
