"""Install and try what ``make packages`` built: ``make packages-check``.

The wheel goes into an environment of its own. The Debian package goes into a fresh Debian made by debootstrap, which
needs root: it is installed, tried, upgraded from the version before with a vault that holds something, and purged.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
IDENTITY = "io.github.keepsake.Keepsake"
PERSON = "keeper"
MIRROR = "http://deb.debian.org/debian"
BEFORE = "0.0.9"


class CheckError(Exception):
    """What is wrong with a package."""


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)


def run(*command: str, **environment: str) -> str:
    """Run a command and return what it printed.

    Raises:
        CheckError: It failed.
    """
    process = subprocess.run(
        command,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if process.returncode:
        raise CheckError(f"{' '.join(command)}\n{process.stdout}\nended with {process.returncode}.")
    return process.stdout


def only(pattern: str) -> Path:
    """Return the one file of ``dist/`` with a name like that.

    Raises:
        CheckError: There is none, or more than one.
    """
    files = list(DIST.glob(pattern))
    if len(files) != 1:
        raise CheckError(f"dist/ must hold one {pattern}, and holds {len(files)}. Run 'make packages' first.")
    return files[0]


def check_metadata() -> None:
    """Validate desktop entry, description and package with the tools of the distributions."""
    folder = ROOT / "build" / "packages" / "deb" / "usr" / "share"
    commands = {
        "desktop-file-validate": [str(folder / "applications" / f"{IDENTITY}.desktop")],
        "appstreamcli": ["validate", "--no-net", str(folder / "metainfo" / f"{IDENTITY}.metainfo.xml")],
        "lintian": ["--fail-on", "error,warning", "--allow-root", str(only("keepsake_*.deb"))],
    }
    for program, arguments in commands.items():
        if shutil.which(program) is None:
            say(f"left out  {program} is not installed")
            continue
        lines = [line for line in run(program, *arguments).splitlines() if "root privileges" not in line]
        say(f"ok        {program}: {lines[-1].strip() if lines else 'nothing to report'}")


def check_wheel(python: str) -> None:
    """Install the wheel outside the tree, and try it from another folder."""
    with tempfile.TemporaryDirectory(prefix="keepsake-wheel-") as name:
        venv = Path(name) / "venv"
        run(python, "-m", "venv", str(venv))
        pip = [
            str(venv / "bin" / "python"),
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "--quiet",
            "--quiet",
        ]
        run(*pip, "--require-hashes", "--no-deps", "-r", str(CONSTRAINTS))
        run(*pip, "--no-deps", "--no-index", str(only("keepsake-*.whl")))
        run("chmod", "-R", "a-w", str(venv / "lib"))
        output = run("env", "-C", "/", str(venv / "bin" / "keepsake"), "--self-test", HOME=name)
        _check_names(venv)
        run("chmod", "-R", "u+w", str(venv / "lib"))
    say(f"ok        wheel: {output.splitlines()[-1]}")


def _check_names(venv: Path) -> None:
    """Make sure that nothing but ``keepsake`` was installed that another program could want to import."""
    names = "'app', 'ui', 'resources', 'migrations'"
    code = f"from importlib.util import find_spec; print(*[name for name in ({names}) if find_spec(name)])"
    if taken := run("env", "-C", "/", str(venv / "bin" / "python"), "-c", code).strip():
        raise CheckError(f"The wheel takes names that belong to others: {taken}")


def check_folder() -> None:
    """Try the packed folder from where it is unpacked."""
    with tempfile.TemporaryDirectory(prefix="keepsake-archive-") as name:
        run("tar", "-xJf", str(only("keepsake-*-linux-*.tar.xz")), "-C", name)
        program = next(Path(name).glob("*/keepsake"))
        output = run("env", "-i", "-C", "/", f"HOME={name}", str(program), "--self-test")
    say(output.rstrip())
    say("ok        archive")


class CleanDebian:
    """A fresh Debian in a folder.

    Args:
        folder: Where it lies.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, command: str, user: str = "root") -> str:
        """Run a shell command inside and return what it printed."""
        home = "/root" if user == "root" else f"/home/{user}"
        inside = ["chroot", f"--userspec={user}", str(self.folder), "/usr/bin/env", "-i", f"HOME={home}"]
        path = "PATH=/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin"
        return run(*inside, path, "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "/bin/sh", "-c", f"cd; {command}")

    def copy_in(self, source: Path, name: str) -> str:
        """Copy a file or folder in; return its path inside."""
        target = self.folder / "srv" / name
        target.parent.mkdir(exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy2(source, target)
        run("chmod", "-R", "a+rX", str(target))
        return f"/srv/{name}"


@contextmanager
def clean_debian(suite: str) -> Iterator[CleanDebian]:
    """Make a fresh Debian in a temporary folder, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="keepsake-debian-"))
    folder.chmod(0o755)  # for the person inside
    mounts = []
    try:
        run("debootstrap", "--variant=minbase", suite, str(folder), MIRROR)
        for kind, source, target in (("proc", "proc", "proc"), ("tmpfs", "shm", "dev/shm")):
            (folder / target).mkdir(exist_ok=True)
            run("mount", "-t", kind, source, str(folder / target))
            mounts.append(folder / target)
        for name in ("resolv.conf", "hosts"):
            if Path("/etc", name).exists():
                shutil.copyfile(Path("/etc", name), folder / "etc" / name)
        for own in Path("/etc/apt/apt.conf.d").glob("*proxy*"):
            shutil.copyfile(own, folder / "etc" / "apt" / "apt.conf.d" / own.name)
        system = CleanDebian(folder)
        system.run(f"apt-get -qq update && useradd --create-home {PERSON}")
        yield system
    finally:
        for mount in reversed(mounts):
            subprocess.run(["umount", str(mount)], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def older_package(package: Path, folder: Path) -> Path:
    """Return the package under a lower version, to upgrade from."""
    tree = folder / "older"
    run("dpkg-deb", "-R", str(package), str(tree))
    control = tree / "DEBIAN" / "control"
    lines = control.read_text(encoding="utf-8").splitlines()
    changed = [f"Version: {BEFORE}" if line.startswith("Version:") else line for line in lines]
    control.write_text("\n".join(changed) + "\n", encoding="utf-8")
    path = folder / f"keepsake_{BEFORE}.deb"
    run("dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(path))
    shutil.rmtree(tree)
    return path


def check_debian(suite: str) -> None:
    """Install, try, upgrade and purge the Debian package in a fresh system."""
    package = only("keepsake_*.deb")
    with clean_debian(suite) as system, tempfile.TemporaryDirectory() as name:
        say(f"ok        a clean Debian {suite} was made")
        older = system.copy_in(older_package(package, Path(name)), "older.deb")
        newer = system.copy_in(package, "newer.deb")
        sample = system.copy_in(ROOT / "resources" / "sample", "sample")
        system.run(f"apt-get -qq install -y --no-install-recommends {older}")
        filled = system.run(f"keepsake import {sample}/conversations.jsonl", PERSON)
        say("ok        the version before is installed, and its vault holds conversations")
        before = system.run("keepsake memory stats --json", PERSON)
        system.run(f"apt-get -qq install -y --no-install-recommends {newer}")
        after = system.run("keepsake memory stats --json", PERSON)
        if _counts(before) != _counts(after) or not filled:
            raise CheckError(f"The vault is not the same after the upgrade: {before} and {after}")
        say("ok        upgraded; the vault is the same")
        say(system.run("keepsake --self-test", PERSON).rstrip())
        for file in (
            "/usr/share/man/man1/keepsake.1.gz",
            "/usr/share/bash-completion/completions/keepsake",
            f"/usr/share/applications/{IDENTITY}.desktop",
        ):
            system.run(f"test -s {file}")
        system.run("apt-get -qq purge -y keepsake")
        system.run("test ! -e /usr/lib/keepsake && test ! -e /usr/bin/keepsake")
        system.run("test -s .local/share/keepsake/vault/memory.db", PERSON)
        say("ok        purged; nothing of the program is left, and the vault is kept")


def _counts(answer: str) -> tuple[object, ...]:
    import json  # noqa: PLC0415

    counts = json.loads(answer)
    return counts["sessions"], counts["messages"], counts["memories"]


def main() -> int:
    """Run from the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Install and try what make packages built.")
    parser.add_argument("--suite", default="bookworm", help="which Debian (default: bookworm)")
    parser.add_argument("--python", default=sys.executable, help="the Python that the wheel is installed with")
    parser.add_argument("--only", choices=("metadata", "archive", "wheel", "debian"), help="check one thing alone")
    options = parser.parse_args()
    can_debian = os.geteuid() == 0 and shutil.which("debootstrap") is not None
    checks = {
        "metadata": check_metadata,
        "archive": check_folder,
        "wheel": partial(check_wheel, options.python),
        "debian": partial(check_debian, options.suite),
    }
    try:
        for name, check in checks.items():
            if options.only not in (None, name):
                continue
            if name == "debian" and not can_debian:
                say("left out  the clean Debian: it needs root and debootstrap")
            else:
                check()
    except CheckError as error:
        print(f"keepsake packages-check: {error}", file=sys.stderr)
        return 1
    say("What was checked works.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
