"""Power supply of the machine, as far as the platform tells."""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_LINUX: Final = Path("/sys/class/power_supply")
_PMSET: Final = ("/usr/bin/pmset", "-g", "batt")
_PMSET_SECONDS: Final = 5.0
_PERCENT: Final = re.compile(r"(\d{1,3})%")
_UNKNOWN: Final = 255  # of a byte in the answer of Windows


@dataclass(frozen=True, slots=True)
class PowerState:
    """Power supply of the machine.

    Args:
        is_on_battery: Whether it runs on its battery.
        percent: How full the battery is, ``None`` where there is none or it is not known.
    """

    is_on_battery: bool = False
    percent: int | None = None


def read_power() -> PowerState:
    """Return the power supply; mains where it is unknown. May block."""
    if sys.platform == "win32":
        return _windows_power()
    if sys.platform == "darwin":
        return _macos_power()
    return linux_power(_LINUX)


def linux_power(folder: Path) -> PowerState:
    """Return the power supply that the files of the kernel describe.

    A battery of a mouse or a headset (``scope`` is ``Device``) does not count.

    Args:
        folder: The class folder, one entry for each supply.
    """
    is_on_mains, is_discharging, levels = False, False, []
    for supply in sorted(folder.iterdir()) if folder.is_dir() else []:
        kind = _text(supply / "type")
        if kind in ("Mains", "USB"):
            is_on_mains |= _text(supply / "online") == "1"
        elif kind == "Battery" and _text(supply / "scope") != "Device":
            is_discharging |= _text(supply / "status") == "Discharging"
            if (level := _text(supply / "capacity")).isdecimal():
                levels.append(int(level))
    percent = round(sum(levels) / len(levels)) if levels else None
    return PowerState(is_discharging and not is_on_mains, percent)


def macos_power(answer: str) -> PowerState:
    """Return the power supply that ``pmset -g batt`` describes."""
    match = _PERCENT.search(answer)
    return PowerState("Battery Power" in answer.partition("\n")[0], None if match is None else int(match[1]))


def windows_power(line: int, percent: int) -> PowerState:
    """Return the power supply in the terms of ``SYSTEM_POWER_STATUS``.

    Args:
        line: ``ACLineStatus``: 0 on battery, 1 on mains, 255 not known.
        percent: ``BatteryLifePercent``, 255 where it is not known.
    """
    return PowerState(line == 0, None if percent == _UNKNOWN else percent)


def _macos_power() -> PowerState:
    try:
        result = subprocess.run(  # noqa: S603  (a fixed command)
            _PMSET, capture_output=True, text=True, timeout=_PMSET_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return PowerState()
    return macos_power(result.stdout)


def _windows_power() -> PowerState:
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415  (of use on Windows alone)

        class Status(ctypes.Structure):
            _fields_ = (
                ("line", ctypes.c_ubyte),
                ("flag", ctypes.c_ubyte),
                ("percent", ctypes.c_ubyte),
                ("saver", ctypes.c_ubyte),
                ("seconds", ctypes.c_ulong),
                ("full_seconds", ctypes.c_ulong),
            )

        status = Status()
        if ctypes.windll.kernel32.GetSystemPowerStatus(ctypes.byref(status)):
            return windows_power(status.line, status.percent)
    return PowerState()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:  # a supply that has no such file, or was pulled out
        return ""
