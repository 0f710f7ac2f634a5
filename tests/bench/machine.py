"""What machine a figure was measured on, and how much memory a process takes."""

import os
import platform
from pathlib import Path


def machine() -> str:
    """Return the processor, cores and Python of this machine in one line."""
    model = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return f"{model or platform.processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def resident_mb(pid: int | None = None) -> float:
    """Return the resident memory of a process in MB (Linux)."""
    return _status_mb("VmRSS:", pid)


def mapped_mb(pid: int | None = None) -> float:
    """Return how much of the resident memory is of mapped files, which the system takes back when it needs room."""
    return _status_mb("RssFile:", pid)


def _status_mb(field: str, pid: int | None) -> float:
    status = Path(f"/proc/{pid or os.getpid()}/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024
