"""Make the environment Keepsake runs and is tested in: ``python3 packaging/bootstrap.py``.

Needs nothing but Python 3.11. It makes ``.venv``, installs the pinned packages and the program, and, on Debian and
its relatives, the libraries and fonts Qt lacks, if it may (root, or sudo without a password). Run again, it is instant.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
DEVELOPERS = ROOT / "packaging" / "constraints-dev.txt"
"""What only tests and checks need; no package of the program is built beside it."""
OLDEST = (3, 11)
STAMP = "keepsake-setup"

# What Qt's platform plugins load, and the Debian package that brings it.
LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xinerama.so.0": "libxcb-xinerama0",
}

# A script people write in, by one of its languages, and a small font for it.
FONTS = {
    "en": "fonts-dejavu-core",
    "ar": "fonts-dejavu-core",
    "zh": "fonts-droid-fallback",
    "th": "fonts-tlwg-loma-ttf",
}

QT_STARTS = "from PySide6.QtWidgets import QApplication; QApplication(['keepsake'])"


class SetupError(Exception):
    """Why the environment cannot be made, in a sentence a person can act on."""


class Apt:
    """Debian's package installer, when the machine has one and lets us use it.

    Args:
        allowed: Whether system packages may be installed at all.
    """

    def __init__(self, *, allowed: bool) -> None:
        self.exists = sys.platform == "linux" and shutil.which("apt-get") is not None
        self._prefix = _root_prefix() if allowed and self.exists else None

    def install(self, packages: list[str]) -> bool:
        """Install packages; return whether that was permitted and worked."""
        if self._prefix is None:
            return False
        print("Installing system packages:", *packages, flush=True)
        command = [*self._prefix, "apt-get", "-qq", "-o", "Dpkg::Use-Pty=0"]
        install = [*command, "install", "-y", "--no-install-recommends", *packages]
        # A bare machine has no package lists yet, an old one has stale ones.
        return _succeeds(install, quiet=True) or (_succeeds([*command, "update"]) and _succeeds(install))


def _root_prefix() -> list[str] | None:
    """Return the command prefix that runs as root without a password, or ``None``."""
    environment = ["env", "DEBIAN_FRONTEND=noninteractive"]
    if os.geteuid() == 0:
        return environment
    if shutil.which("sudo") and _succeeds(["sudo", "-n", "true"], quiet=True):
        return ["sudo", "-n", *environment]
    return None


def _succeeds(command: list[str], *, quiet: bool = False, **variables: str) -> bool:
    environment = {**os.environ, **variables}
    sink = subprocess.DEVNULL if quiet else None
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, env=environment, check=False)
    return done.returncode == 0


def find_python() -> tuple[str, str]:
    """Return an interpreter that is new enough, and its version such as ``3.12``.

    Raises:
        SetupError: None was found.
    """
    if sys.version_info >= OLDEST:
        return sys.executable, f"{sys.version_info[0]}.{sys.version_info[1]}"
    for version in ("3.14", "3.13", "3.12", "3.11"):
        path = shutil.which(f"python{version}")
        if path and _succeeds([path, "-c", ""], quiet=True):
            return path, version
    here = ".".join(str(part) for part in sys.version_info[:2])
    raise SetupError(f"Keepsake needs Python 3.11 or later and this is {here}; install a newer one and run this again.")


def python_of(venv: Path) -> Path:
    """Return the interpreter inside an environment."""
    return venv / "Scripts" / "python.exe" if sys.platform == "win32" else venv / "bin" / "python"


def pins(*, has_dev: bool) -> list[Path]:
    """Return the files that name what is installed."""
    return [CONSTRAINTS, DEVELOPERS] if has_dev else [CONSTRAINTS]


def fingerprint(version: str, *, has_dev: bool) -> str:
    """Return what the environment depends on, as one line."""
    digest = hashlib.sha256()
    for source in (*pins(has_dev=has_dev), ROOT / "pyproject.toml", Path(__file__)):
        digest.update(source.read_bytes())
    return f"{digest.hexdigest()} {version} {ROOT}\n"


def is_current(venv: Path, wanted: str) -> bool:
    """Return whether an earlier run finished with the same files, interpreter and place."""
    stamp = venv / STAMP
    return python_of(venv).exists() and stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted


def make_venv(python: str, version: str, venv: Path, apt: Apt, *, may_be_kept: bool) -> None:
    """Make an empty environment, unless there is one of the same Python version that may be kept.

    Raises:
        SetupError: The folder holds something else, or Python lacks its venv parts.
    """
    mark = venv / "pyvenv.cfg"
    is_same = mark.is_file() and f"version = {version}." in mark.read_text(encoding="utf-8")
    if may_be_kept and is_same and python_of(venv).exists():
        return
    if venv.exists() and not mark.is_file() and any(venv.iterdir()):
        raise SetupError(f"{venv} is not a Python environment and is not empty; name another folder with --venv.")
    if not _succeeds([python, "-c", "import ensurepip, venv"], quiet=True):
        package = f"python{version}-venv"
        if not apt.install([package]):
            raise SetupError(f"Python cannot make environments here: {_advice(apt, [package])}")
    print(f"Making the Python {version} environment in {venv}", flush=True)
    if not _succeeds([python, "-m", "venv", "--clear", str(venv)]):
        raise SetupError(f"The environment {venv} could not be made; the reason is above.")


def install_packages(venv: Path, *, has_dev: bool) -> None:
    """Install the pinned packages, then the program itself from this folder.

    Raises:
        SetupError: pip failed.
    """
    pip = [str(python_of(venv)), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    if any(venv.rglob("apsw-*.dist-info")):
        # Of an earlier environment. It has the module of apsw-sqlite3mc, without ciphers: each takes the other's files.
        _succeeds([*pip, "--quiet", "uninstall", "--yes", "apsw", "apsw-sqlite3mc"])
    pip.append("install")
    if not sys.stdout.isatty():
        # Twice, for its warnings too: they are about the machine's own pip configuration. Errors are still said.
        pip += ["--quiet", "--quiet"]
    print("Installing the Python packages (about 650 MB on disk); this takes a minute or two.", flush=True)
    # A person's own `user = true` would make pip refuse to work inside an environment.
    # The pins name all that is needed. Left to resolve, pip takes the newest release of a package that another one
    # wants with an extra, such as coverage[toml], and then refuses it for having no hash.
    named = [part for file in pins(has_dev=has_dev) for part in ("-r", str(file))]
    if not _succeeds([*pip, "--require-hashes", "--no-deps", *named], PIP_USER="0"):
        raise SetupError(
            "The Python packages could not be installed; pip says why above. Check the connection and "
            "`pip config list`, then run the same command again."
        )
    itself = ["--no-deps", "--no-build-isolation", "--no-index", "-e", str(ROOT)]
    if not _succeeds([*pip, *itself], PIP_USER="0"):
        raise SetupError("Keepsake itself could not be installed; pip says why above.")


def missing_system_packages() -> list[str]:
    """Return the Debian packages of libraries and fonts this machine lacks."""
    packages = [package for library, package in LIBRARIES.items() if not _loads(library)]
    if shutil.which("fc-list") is None:
        return [*packages, "fontconfig", *dict.fromkeys(FONTS.values())]
    return [*packages, *dict.fromkeys(font for language, font in FONTS.items() if not _has_font(language))]


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _has_font(language: str) -> bool:
    command = ["fc-list", f":lang={language}", "family"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    return bool(process.stdout.strip())


def prepare_system(venv: Path, apt: Apt) -> None:
    """Install what Qt lacks where that is possible, and make sure that Qt starts.

    Raises:
        SetupError: Qt does not start.
    """
    missing = missing_system_packages() if sys.platform == "linux" else []
    if missing and apt.install(missing):
        missing = []
    if not _succeeds([str(python_of(venv)), "-c", QT_STARTS], QT_QPA_PLATFORM="offscreen"):
        raise SetupError(f"Qt does not start on this machine (the reason is above): {_advice(apt, missing)}")
    if missing:
        print(f"Everything works without a screen. For the window: {_advice(apt, missing)}")


def _advice(apt: Apt, packages: list[str]) -> str:
    """Return what a person can do about missing packages."""
    if not packages:
        return "install your system's graphics libraries and run this again."
    if apt.exists:
        return f"run `sudo apt-get install {' '.join(packages)}` and then this again."
    return f"install what your system calls these Debian packages: {' '.join(packages)}, and run this again."


def set_up(venv: Path, *, system: bool, has_dev: bool) -> None:
    """Bring an environment up to date.

    Args:
        venv: Its folder; made when missing.
        system: Whether system packages may be installed.
        has_dev: Whether it gets the developers' tools. One without them is made anew, so that nothing of before stays.

    Raises:
        SetupError: It could not be done.
    """
    python, version = find_python()
    wanted = fingerprint(version, has_dev=has_dev)
    if is_current(venv, wanted):
        return
    apt = Apt(allowed=system)
    make_venv(python, version, venv, apt, may_be_kept=has_dev)
    install_packages(venv, has_dev=has_dev)
    prepare_system(venv, apt)
    (venv / STAMP).write_text(wanted, encoding="utf-8")
    print(f"Ready: {venv}")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Make the environment Keepsake runs and is tested in.")
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv", help="folder of the environment (default: .venv)")
    parser.add_argument("--no-system", action="store_true", help="never install system packages, only name them")
    parser.add_argument("--no-dev", action="store_true", help="leave out what only tests and checks need")
    options = parser.parse_args(arguments)
    try:
        set_up(options.venv.absolute(), system=not options.no_system, has_dev=not options.no_dev)
    except SetupError as error:
        print(f"keepsake set-up: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"keepsake set-up: {error.strerror or error}: {error.filename or options.venv}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("keepsake set-up: stopped; run the same command to go on.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
