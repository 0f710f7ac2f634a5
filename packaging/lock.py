"""Pin every package again: ``python packaging/lock.py [--upgrade]`` writes ``constraints.txt`` beside this file.

It is for every platform and Python from 3.11 on, with hashes, with what builds, tests and packages the program.
"""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def command(uv: str, sources: list[str], extra: list[str]) -> list[str]:
    """Return the resolver's command line; ``-`` among the sources is its standard input."""
    options = ["--universal", "--python-version", "3.11", "--generate-hashes"]
    # No trace of the machine that resolved: neither its index nor its paths.
    silent = ["--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate", "--quiet"]
    return [uv, "pip", "compile", *sources, *options, *silent, "-o", "packaging/constraints.txt", *extra]


def main(extra: list[str]) -> int:
    """Resolve and write the pins; return the exit status."""
    uv = shutil.which("uv")
    if uv is None:
        print("keepsake lock: needs uv on the PATH (https://docs.astral.sh/uv).", file=sys.stderr)
        return 1
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = ["--extra", "dev", "--extra", "packages"]
    line = command(uv, ["pyproject.toml", "-", *extras], extra)
    given = "\n".join(project["build-system"]["requires"])
    return subprocess.run(line, cwd=ROOT, input=given, text=True, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
