"""A report of growth, printed."""

from typing import Any


def show(report: dict[str, Any]) -> None:
    """Print what was measured."""
    print(f"{report['machine']}; {report['cores']} cores were used")
    for name, runs in report["systems"].items():
        for size, run in runs.items():
            print(f"\n{int(size):,} turns, {name} {report['versions'].get(name, '')}")
            for line in _lines(run):
                print(f"  {line}")


def reported(stopped: dict[str, Any]) -> str:
    """Return in words where a system was stopped."""
    if "error" in stopped:
        return f"failed with {stopped['size']:,} turns"
    minutes = f"{stopped['seconds'] / 60:.0f} min"
    if stopped["phase"] == "fill":
        return f"stopped after {minutes} at {int(stopped['at'] or 0):,} turns"
    return f"stopped after {minutes} of questions to {stopped['size']:,} turns"


def _lines(run: dict[str, Any]) -> list[str]:
    lines = []
    if "add_per_s" in run:
        lines.append(f"added {run['add_per_s']:,} a second, with {run['add_cpu_s']} s of processor")
        lines.append(f"{run['disk_per_message']:,} bytes a turn on the disk")
        lines.append(f"memory after that {run['fill_memory']}")
    if "memory" in run:
        lines.append(f"opened again in {run['open_ms']} ms; memory after the questions {run['memory']}")
    lines += [f"search, {name}: {times}" for name, times in run.get("search", {}).items()]
    if "stopped" in run:
        lines.append(("not tried: " if run["stopped"].get("is_left_out") else "") + reported(run["stopped"]))
    for part in ("typed", "importing", "re_embedding"):
        lines += [f"{part}, {name}: {value}" for name, value in run.get(part, {}).items()]
    for name, times in run.get("filters", {}).items():
        found = times.get("failed") or f"p50 {times['p50_ms']} ms, p95 {times['p95_ms']} ms"
        lines.append(f"filter {name}: {found}  ({times['operator']})")
    lines += [f"{phase} failed: {reason}" for phase, reason in run.get("failed", {}).items()]
    return lines
