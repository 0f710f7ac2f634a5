"""Fills a vault with generated conversations and notes, in a process of its own."""

import sys
import tempfile
from pathlib import Path

from app.host import Host
from tests.bench.scale.corpus import Corpus


def main() -> int:
    """Fill the vault named first with as many messages and notes as the next arguments say."""
    vault, messages, notes = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    host = Host(vault, serve=False, overrides={"backup.daily": False})
    host.start()
    try:
        with tempfile.TemporaryDirectory() as folder:
            host.ask("exchange.import", path=str(Corpus().write(Path(folder) / "corpus.jsonl", messages)))
        corpus = Corpus(11)
        for number in range(notes):
            host.ask("note.save", title=f"Note {number}", content=corpus.words(40))
        host.ask("vault.settle", names=True)
    finally:
        host.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
