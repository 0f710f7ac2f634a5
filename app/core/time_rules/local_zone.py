"""Name of the machine's time zone."""

import os
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

_LINK = Path("/etc/localtime")
_FILE = Path("/etc/timezone")
_FOLDER = "zoneinfo/"


def local_zone() -> str:
    """Return the IANA name of the machine's zone, else its present offset such as ``+01:00``."""
    for name in (os.environ.get("TZ", "").lstrip(":"), _from_link(), _from_file()):
        if name and _is_zone(name):
            return name
    return datetime.now().astimezone().strftime("%z")[:5]


def _from_link() -> str:
    try:
        target = os.path.realpath(_LINK)
    except OSError:
        return ""
    return target.partition(_FOLDER)[2]


def _from_file() -> str:
    try:
        return _FILE.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True
