"""Size of a vault of imported notes, beside the text that it holds.

``python -m tests.bench.space FOLDER --json OUT`` imports the notes of a folder, waits until all is searchable and
then until names are found, and prints the size of ``memory.db`` both times, and of its largest tables and indexes.
"""

import argparse
import json
import sys
import tempfile
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import apsw

from app.host import Host

_LARGEST = 12
_OVERRIDES = {"backup.daily": False}


@dataclass(frozen=True, slots=True)
class Space:
    """Sizes in MB: of the notes' text, of the file without and with names, and of its parts."""

    text: float
    searchable: float
    with_names: float
    largest: dict[str, float]


def main() -> int:
    """Measure one folder and print it."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.space", description=__doc__)
    parser.add_argument("notes", type=Path, help="a folder of Markdown notes")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="keepsake-space-") as folder:
        space = _measure(Path(folder) / "vault", options.notes)
    sys.stdout.write(f"{space.text:>8.2f}  text\n")
    for name, size in (("searchable", space.searchable), ("with names", space.with_names)):
        sys.stdout.write(f"{size:>8.2f}  {name}, {size / space.text:.2f} times\n")
    for name, size in space.largest.items():
        sys.stdout.write(f"{size:>8.2f}  {name}\n")
    if options.json:
        options.json.write_text(json.dumps(asdict(space), indent=1) + "\n", encoding="utf-8")
    return 0


def _measure(vault: Path, notes: Path) -> Space:
    file = vault / "memory.db"
    host = Host(vault, serve=False, overrides=_OVERRIDES)
    host.start()
    try:
        host.ask("exchange.import", path=str(notes))
        host.ask("vault.settle")
        searchable = file.stat().st_size
        host.ask("vault.settle", names=True)
    finally:
        host.stop()
    with closing(apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        text = int(connection.execute("SELECT sum(octet_length(title) + octet_length(content)) FROM memories").get)
        sizes = connection.execute(
            "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT ?", (_LARGEST,)
        )
        largest = {str(name): _mb(int(str(size))) for name, size in sizes}
    return Space(_mb(text), _mb(searchable), _mb(file.stat().st_size), largest)


def _mb(size: int) -> float:
    return round(size / 1e6, 2)


if __name__ == "__main__":
    sys.exit(main())
