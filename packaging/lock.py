"""Pin every package again: ``python packaging/lock.py [--upgrade]`` writes two files beside this one.

``constraints.txt`` has what the program needs and what builds and packages it, ``constraints-dev.txt`` what only its
developers need besides. Both are for every platform and Python from 3.11 on, with hashes.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "packaging" / "constraints.txt"
DEVELOPERS = ROOT / "packaging" / "constraints-dev.txt"


def command(uv: str, target: Path, extras: list[str], more: list[str]) -> list[str]:
    """Return the resolver's command line, which reads what builds the program from its standard input."""
    options = ["--universal", "--python-version", "3.11", "--generate-hashes"]
    # No trace of the machine that resolved: neither its index nor its paths.
    silent = ["--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate", "--quiet"]
    chosen = [part for extra in extras for part in ("--extra", extra)]
    return [uv, "pip", "compile", "pyproject.toml", "-", *chosen, *options, *silent, "-o", str(target), *more]


def pins(text: str) -> list[str]:
    """Return the pins of a lock, each with its hashes."""
    return [block.rstrip("\n") + "\n" for block in re.split(r"\n(?=\S)", text) if "==" in block]


def only_in(whole: str, part: str) -> str:
    """Return the pins of ``whole`` whose packages ``part`` does not pin."""
    known = {pin.split("==")[0] for pin in pins(part)}
    return "".join(pin for pin in pins(whole) if pin.split("==")[0] not in known)


def lock(uv: str, extra: list[str]) -> None:
    """Resolve everything, then the part that the program and its packages need, and write both files.

    Raises:
        subprocess.CalledProcessError: The resolver failed; it has said why.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    given = "\n".join(project["build-system"]["requires"])
    with tempfile.TemporaryDirectory() as name:
        whole, part = Path(name, "whole.txt"), Path(name, "part.txt")
        # The resolver keeps the versions of the file that it is to write.
        kept = [path.read_text(encoding="utf-8") for path in (CONSTRAINTS, DEVELOPERS) if path.exists()]
        whole.write_text("".join(kept), encoding="utf-8")
        subprocess.run(command(uv, whole, ["dev", "packages"], extra), cwd=ROOT, input=given, text=True, check=True)
        same = ["--constraint", str(whole)]
        subprocess.run(command(uv, part, ["packages"], same), cwd=ROOT, input=given, text=True, check=True)
        everything, needed = whole.read_text(encoding="utf-8"), part.read_text(encoding="utf-8")
    CONSTRAINTS.write_text(needed, encoding="utf-8")
    DEVELOPERS.write_text(only_in(everything, needed), encoding="utf-8")


def main(extra: list[str]) -> int:
    """Resolve and write the pins; return the exit status."""
    uv = shutil.which("uv")
    if uv is None:
        print("keepsake lock: needs uv on the PATH (https://docs.astral.sh/uv).", file=sys.stderr)
        return 1
    try:
        lock(uv, extra)
    except subprocess.CalledProcessError as error:
        return int(error.returncode)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
