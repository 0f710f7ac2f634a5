"""A disk that fills up, where the machine lets us make one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SmallDisk = Callable[[int], Path]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """Mount memory-backed disks: ``small_disk(8)`` returns the path of one of 8 MB; skip where mounting is denied."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("needs the right to mount a small disk (root on Linux)")
    mounted: list[Path] = []

    def mount(megabytes: int) -> Path:
        place = tmp_path / f"disk{len(mounted)}"
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0700", "keepsake-test", str(place)]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        if answer.returncode:
            pytest.skip(f"mounting a small disk was denied: {answer.stderr.strip()}")
        mounted.append(place)
        return place

    yield mount
    for place in mounted:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def make_read_only(place: Path) -> None:
    """Mount the disk at ``place`` again so that nothing on it can be changed; skip where that is denied."""
    answer = subprocess.run(["mount", "-o", "remount,ro", str(place)], capture_output=True, text=True, check=False)
    if answer.returncode:
        pytest.skip(f"mounting a disk read-only was denied: {answer.stderr.strip()}")


def make_writable(place: Path) -> None:
    """Undo ``make_read_only``."""
    subprocess.run(["mount", "-o", "remount,rw", str(place)], check=True)
