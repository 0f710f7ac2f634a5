"""The Debian package: made of the folder that PyInstaller built."""

import gzip
import shutil
import subprocess
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

from system_libraries import UnknownLibraryError, requirements

ROOT = Path(__file__).resolve().parent.parent
IDENTITY = "io.github.keepsake.Keepsake"
NAME = "keepsake"
MAINTAINER = "The Keepsake team <keepsake@users.noreply.github.com>"
ICON_SIZES = (16, 24, 32, 48, 64, 128, 256, 512)

# What the libraries load from the system, by its package: OpenGL is the driver's, and goes with the screen's protocols.
LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libxcb.so.1": "libxcb1",
}
GLIBC = ("ld-linux", "libc.so.", "libdl.so.", "libm.so.", "libpthread.so.", "libresolv.so.", "librt.so.")
FILES = ("fontconfig-config", "fonts-dejavu-core | fonts-freefont-ttf")
"""Fonts and their settings, which are the person's."""
RECOMMENDS = ("gnome-keyring | kwalletmanager", "xdg-utils")

CONTROL = """\
Package: {name}
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: {depends}
Recommends: {recommends}
Section: utils
Priority: optional
Description: long-term memory of one person, on their own machine
 Keepsake keeps conversations with assistants, notes and what is known of people
 and things, and finds them again by words and by meaning. Agents can share this
 memory through MCP or a local socket, as far as the person allows.
 .
 Nothing leaves the machine. Neither an account nor a download is needed: the
 model that search by meaning needs is part of the package.
"""

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Keepsake
Comment: The package holds a Python interpreter, Qt and other libraries. Their
 licences are in /usr/share/doc/keepsake/THIRD-PARTY-NOTICES.txt.gz.

Files: *
Copyright: the Keepsake team
License: Expat
"""

CHANGES = """\
{name} ({version}) stable; urgency=medium

  * See CHANGELOG.md.gz.

 -- {maintainer}  {date}
"""

# The program brings its interpreter and libraries along, as every bundle does.
OVERRIDES = """\
# The program is a bundle: it brings the interpreter and the libraries it was tested with.
keepsake: embedded-library *
keepsake: custom-library-search-path *
keepsake: shared-library-lacks-prerequisites *
keepsake: library-not-linked-against-libc *
keepsake: hardening-no-relro *
keepsake: hardening-no-pie *
keepsake: sharedobject-in-library-directory-missing-soname *
# The end of PyInstaller's program is an archive of the Python modules, which strip would cut off.
keepsake: unstripped-binary-or-object *
keepsake: spelling-error-in-binary *
keepsake: package-installs-python-bytecode *
keepsake: package-contains-python-dot-directory *
# Messages of util-linux that name a pager; the program does not print them.
keepsake: missing-depends-on-sensible-utils *
"""


def depends(folder: Path) -> list[str]:
    """Return the packages that the program needs from the system.

    Args:
        folder: What PyInstaller built.

    Raises:
        UnknownLibraryError: It loads a library that no package here brings.
    """
    wanted = requirements(folder)
    names = sorted(name for name in wanted.libraries if not name.startswith(GLIBC))
    if unknown := [name for name in names if name not in LIBRARIES]:
        raise UnknownLibraryError(f"No dependency of the Debian package brings {', '.join(unknown)}.")
    oldest = ".".join(map(str, wanted.glibc))
    return [f"libc6 (>= {oldest})", *(LIBRARIES[name] for name in names), *FILES]


def build(folder: Path, version: str, work: Path, dist: Path) -> Path:
    """Build ``keepsake_<version>_<architecture>.deb``.

    Args:
        folder: What PyInstaller built, with the notices.
        version: The program's version.
        work: Folder for the package's tree; holds ``icons``.
        dist: Where the package goes.

    Returns:
        The package.
    """
    architecture = subprocess.run(
        ["dpkg", "--print-architecture"], capture_output=True, text=True, check=True
    ).stdout.strip()
    tree = work / "deb"
    shutil.rmtree(tree, ignore_errors=True)
    _install_program(folder, tree)
    _install_desktop(tree, work / "icons", version)
    _install_documentation(folder, tree, version)
    _install_completions(folder, tree)
    _settle_modes(tree)
    size = sum(path.lstat().st_size for path in tree.rglob("*") if path.is_file()) // 1024
    control = CONTROL.format(
        name=NAME,
        version=version,
        architecture=architecture,
        maintainer=MAINTAINER,
        size=size,
        depends=", ".join(depends(folder)),
        recommends=", ".join(RECOMMENDS),
    )
    _write(tree / "DEBIAN" / "control", control)
    path = dist / f"{NAME}_{version}_{architecture}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z6", "--build", str(tree), str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return path


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _write_compressed(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def _install_program(folder: Path, tree: Path) -> None:
    shutil.copytree(folder, tree / "usr" / "lib" / NAME, symlinks=True)
    for name in ("LICENSE", "THIRD-PARTY-NOTICES.txt", "keepsake.cdx.json"):
        (tree / "usr" / "lib" / NAME / name).unlink(missing_ok=True)
    link = tree / "usr" / "bin" / NAME
    link.parent.mkdir(parents=True)
    link.symlink_to(f"../lib/{NAME}/{NAME}")


def _install_desktop(tree: Path, icons: Path, version: str) -> None:
    share, linux = tree / "usr" / "share", ROOT / "packaging" / "linux"
    _write(share / "applications" / f"{IDENTITY}.desktop", (linux / f"{IDENTITY}.desktop").read_text(encoding="utf-8"))
    described = (linux / f"{IDENTITY}.metainfo.xml").read_text(encoding="utf-8")
    described = described.replace("@VERSION@", version).replace("@DATE@", _released().date().isoformat())
    _write(share / "metainfo" / f"{IDENTITY}.metainfo.xml", described)
    for size in ICON_SIZES:
        target = share / "icons" / "hicolor" / f"{size}x{size}" / "apps" / f"{IDENTITY}.png"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(icons / f"keepsake-{size}.png", target)
    drawing = (ROOT / "resources" / "icons" / "keepsake.svg").read_text(encoding="utf-8")
    _write(share / "icons" / "hicolor" / "scalable" / "apps" / f"{IDENTITY}.svg", drawing)


def _released() -> datetime:
    """Return the time of the last commit, or of the changelog where this is no repository."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    process = subprocess.run(command, capture_output=True, text=True, check=False) if shutil.which("git") else None
    seconds = process.stdout.strip() if process is not None and process.returncode == 0 else ""
    return datetime.fromtimestamp(float(seconds or (ROOT / "CHANGELOG.md").stat().st_mtime), UTC)


def _release(version: str) -> dict[str, str]:
    date = format_datetime(_released())
    return {"name": NAME, "version": version, "maintainer": MAINTAINER, "date": date}


def _install_documentation(folder: Path, tree: Path, version: str) -> None:
    share = tree / "usr" / "share"
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    body = "\n".join(f" {line}" if line.strip() else " ." for line in licence.strip().splitlines())
    _write(share / "doc" / NAME / "copyright", f"{COPYRIGHT}{body}\n")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    _write_compressed(share / "doc" / NAME / "CHANGELOG.md.gz", changes)
    _write_compressed(share / "doc" / NAME / "changelog.gz", CHANGES.format(**_release(version)))
    notices = (folder / "THIRD-PARTY-NOTICES.txt").read_text(encoding="utf-8")
    _write_compressed(share / "doc" / NAME / "THIRD-PARTY-NOTICES.txt.gz", notices)
    shutil.copy2(folder / "keepsake.cdx.json", share / "doc" / NAME / "keepsake.cdx.json")
    _write_compressed(share / "man" / "man1" / "keepsake.1.gz", (ROOT / "resources" / "man" / "keepsake.1").read_text())
    _write(share / "lintian" / "overrides" / NAME, OVERRIDES)


def _install_completions(folder: Path, tree: Path) -> None:
    share = tree / "usr" / "share"
    places = {
        "bash": share / "bash-completion" / "completions" / NAME,
        "zsh": share / "zsh" / "vendor-completions" / f"_{NAME}",
        "fish": share / "fish" / "vendor_completions.d" / f"{NAME}.fish",
    }
    for shell, path in places.items():
        process = subprocess.run(
            [str(folder / NAME), "completion", shell],
            capture_output=True,
            text=True,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        _write(path, process.stdout)


def _settle_modes(tree: Path) -> None:
    """Give every file the mode it has on any machine, whatever the builder's umask was."""
    for path in [tree, *tree.rglob("*")]:
        if path.is_symlink():
            continue
        is_program = path.is_dir() or path == tree / "usr" / "lib" / NAME / NAME
        path.chmod(0o755 if is_program else 0o644)
