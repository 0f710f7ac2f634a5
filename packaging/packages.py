"""Build everything a person can install: ``make packages`` fills ``dist/``.

Wheel and source archive everywhere. With PyInstaller, for the platform this runs on: the folder ``dist/keepsake``; on
Linux from it an archive, a Debian package and, where the runtime of AppImage is at hand, an AppImage; on macOS
``Keepsake.app``; on Windows what ``windows/keepsake.iss`` packs. The folder needs CPython 3.12 or newer with a shared
library, because that is what the newest Qt needs.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

from system_libraries import UnknownLibraryError

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
WORK = ROOT / "build" / "packages"
SPEC = ROOT / "packaging" / "pyinstaller" / "keepsake.spec"
OLDEST = (3, 12)
RUNTIME = "APPIMAGE_RUNTIME"


class PackagingError(Exception):
    """Why a package cannot be built, in a sentence a person can act on."""


def version() -> str:
    """Return the program's version, from ``pyproject.toml``."""
    for line in (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines():
        if line.startswith("version = "):
            return line.split('"')[1]
    raise PackagingError("pyproject.toml names no version.")


def run(command: list[str], **environment: str) -> None:
    """Run a command, and show what it says only if it fails.

    Raises:
        PackagingError: It failed.
    """
    process = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if process.returncode:
        sys.stderr.buffer.write(process.stdout)
        raise PackagingError(f"'{' '.join(command[:4])} …' ended with {process.returncode}; it says why above.")


def build_wheel() -> list[Path]:
    """Build the wheel from the source archive, so that the archive is known to be whole."""
    shutil.rmtree(WORK / "source", ignore_errors=True)
    run(
        [
            sys.executable,
            "-c",
            "import sys; from setuptools import build_meta as m; m.build_sdist(sys.argv[1])",
            str(DIST),
        ]
    )
    archive = DIST / f"keepsake-{version()}.tar.gz"
    with tarfile.open(archive) as opened:
        opened.extractall(WORK / "source", filter="data")
    source = next((WORK / "source").iterdir())
    before = set(DIST.glob("*.whl"))
    for old in before:
        old.unlink()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--quiet"]
    run([*pip, "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(DIST), str(source)])
    return [archive, *DIST.glob("*.whl")]


def build_folder() -> Path:
    """Build ``dist/keepsake`` with PyInstaller.

    Raises:
        PackagingError: This Python cannot make it, PyInstaller failed, or the program holds what it does not name.
    """
    import contents  # noqa: PLC0415  (beside this script)

    if sys.version_info < OLDEST:
        raise PackagingError("The program is packaged with CPython 3.12 or newer; run this with PYTHON=python3.13.")
    if sys.platform != "win32" and not sysconfig.get_config_var("Py_ENABLE_SHARED") and sys.platform == "linux":
        raise PackagingError("This Python was built without its shared library, which PyInstaller ships; use another.")
    icons = WORK / "icons"
    run([sys.executable, str(ROOT / "packaging" / "icons.py"), str(icons)], QT_QPA_PLATFORM="offscreen")
    pyinstaller = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR"]
    run([*pyinstaller, "--distpath", str(DIST), "--workpath", str(WORK / "pyinstaller"), str(SPEC)])
    folder = DIST / "keepsake"
    bill = [str(ROOT / "packaging" / "bill_of_materials.py"), str(WORK / "notices"), version()]
    run([sys.executable, *bill, str(WORK / "pyinstaller" / "keepsake" / "binaries.json")])
    for file in (WORK / "notices").iterdir():
        shutil.copy2(file, folder / file.name)
    shutil.copy2(WORK / "notices" / "keepsake.cdx.json", DIST / f"keepsake-{version()}.cdx.json")
    shutil.copy2(ROOT / "LICENSE", folder / "LICENSE")
    if unnamed := contents.check(folder):
        raise PackagingError("The program holds what it does not name, or should not hold:\n" + "\n".join(unnamed))
    return folder


def build_archive(folder: Path) -> Path:
    """Pack the folder as ``keepsake-<version>-linux-<machine>.tar.xz``."""
    path = DIST / f"keepsake-{version()}-linux-{platform.machine()}.tar.xz"
    with tarfile.open(path, "w:xz", preset=6) as archive:
        archive.add(folder, f"keepsake-{version()}", filter=_as_root)
    return path


def _as_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


def build_appimage(folder: Path) -> Path | None:
    """Build an AppImage if the variable ``APPIMAGE_RUNTIME`` names its runtime, ``None`` otherwise."""
    runtime, squash = os.environ.get(RUNTIME), shutil.which("mksquashfs")
    if not runtime or squash is None:
        return None
    tree = WORK / "Keepsake.AppDir"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(folder, tree / "usr" / "lib" / "keepsake", symlinks=True)
    linux = ROOT / "packaging" / "linux"
    identity = "io.github.keepsake.Keepsake"
    shutil.copy2(linux / f"{identity}.desktop", tree / f"{identity}.desktop")
    shutil.copy2(WORK / "icons" / "keepsake-256.png", tree / f"{identity}.png")
    (tree / "AppRun").symlink_to("usr/lib/keepsake/keepsake")
    image = WORK / "keepsake.squashfs"
    image.unlink(missing_ok=True)
    run([squash, str(tree), str(image), "-root-owned", "-noappend", "-quiet", "-no-progress", "-comp", "zstd"])
    path = DIST / f"keepsake-{version()}-{platform.machine()}.AppImage"
    path.write_bytes(Path(runtime).read_bytes() + image.read_bytes())
    path.chmod(0o755)
    return path


def build_all() -> list[Path]:
    """Build what this platform can, and return the files."""
    import debian_package  # noqa: PLC0415  (beside this script)

    DIST.mkdir(exist_ok=True)
    WORK.mkdir(parents=True, exist_ok=True)
    wheel = build_wheel()
    folder = build_folder()
    wheel.append(DIST / f"keepsake-{version()}.cdx.json")
    if sys.platform == "linux":
        wheel.append(build_archive(folder))
        if shutil.which("dpkg-deb") is None:
            print("No Debian package: dpkg-deb is not installed.")
        else:
            wheel.append(debian_package.build(folder, version(), WORK, DIST))
        image = build_appimage(folder)
        if image is None:
            print(f"No AppImage: {RUNTIME} names no runtime, or mksquashfs is not installed.")
        else:
            wheel.append(image)
    return wheel


def main() -> int:
    """Run from the command line; return the exit status."""
    argparse.ArgumentParser(description="Build wheel, archive and installers into dist/.").parse_args()
    try:
        packages = build_all()
    except (PackagingError, UnknownLibraryError) as error:
        print(f"keepsake packages: {error}", file=sys.stderr)
        return 1
    for path in packages:
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
