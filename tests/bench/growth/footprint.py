"""How much memory this process takes and how much disk a folder does (Linux)."""

import os
from pathlib import Path

_BLOCK = 512  # what ``st_blocks`` counts in, whatever the file system's own are
_NAMES = {"VmRSS": "rss_mb", "RssAnon": "private_mb", "RssFile": "mapped_mb", "VmHWM": "peak_mb"}


def memory() -> dict[str, float]:
    """Return this process's resident memory in MB: all, its own, what is mapped from files, and the most it ever was.

    Mapped pages are the system's to take back when another program needs them.
    """
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    values = dict(line.split(":", 1) for line in lines)
    return {name: round(int(values[field].split()[0]) / 1024, 1) for field, name in _NAMES.items()}


def disk_bytes(folder: Path) -> int:
    """Return what the files of a folder take on the disk."""
    return sum(path.stat().st_blocks * _BLOCK for path in folder.rglob("*") if path.is_file())


def files(folder: Path) -> dict[str, int]:
    """Return what each file or folder in a folder takes on the disk."""
    return {
        path.name: disk_bytes(path) if path.is_dir() else path.stat().st_blocks * _BLOCK
        for path in sorted(folder.iterdir())
    }


def cores() -> int:
    """Return on how many cores this process may run."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
