"""Texts of memories' chunks and the words of the index after many changes."""

import random
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import pytest

from app.core.stores import STORES
from app.errors import KeepsakeError
from app.host import Host
from app.index.chunking import pieces
from app.index.searchable_text import memory_text
from app.memories import repo
from app.memories.model import Memory
from app.store.connection import open_writer
from app.store.store import DATABASE

_WORDS: Final = ("heron", "东京", "Zürich", "🦩", "naïve", "otter", "x\0y", "α", "пруд")
_BREAKS: Final = (" ", " ", "\n", "\n\n", "  ", ". ")
_TITLES: Final = ("", "Heron", "东京 🦩", "T" * 200)
_KINDS: Final = ("save", "save", "content", "content", "title", "delete", "restore", "archive", "undo", "forget")
_STEPS: Final = 60


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed", "backup.daily": False})
    running.start()
    yield running
    running.stop()


def text(chance: random.Random, words: int) -> str:
    return "".join(chance.choice(_WORDS) + chance.choice(_BREAKS) for _ in range(words)) + "end"


def change(host: Host, chance: random.Random, notes: list[str]) -> None:
    """Do one thing to a note, or save another; what is not possible is refused."""
    kind = chance.choice(
        ("save", "save", "content", "content", "title", "delete", "restore", "archive", "undo", "forget")
    )
    note = chance.choice(notes) if notes else ""
    if kind == "save" or not notes:
        content = text(chance, chance.choice((1, 50, 500, 5_000)))
        notes.append(host.ask("note.save", content=content, title=chance.choice(_TITLES)).id)
    elif kind in ("content", "title"):
        now = host.ask("note.get", id=note)
        fields = {"title": chance.choice(_TITLES)} if kind == "title" else {"content": text(chance, 9) + now.content}
        host.ask("note.update", id=note, version=now.version, **fields)
    elif kind == "undo":
        entries = host.ask("memory.history", limit=20)
        host.ask("memory.undo", history_ids=[entry.id for entry in chance.sample(entries, min(len(entries), 1))])
    elif kind == "archive":
        host.ask("archive.put", ids=[note])
    elif kind == "forget":
        host.ask("memory.forget_forever", ids=[note], confirm=True)
    else:
        host.ask(f"note.{kind}", id=note)


def expected(memory: Memory) -> list[str]:
    head = f"{memory.title}\n" if memory.title else ""
    cut = [piece.text for piece in pieces(memory_text(memory))]
    return [*cut[:1], *(head + piece for piece in cut[1:])]


@pytest.mark.parametrize("seed", range(2))
def test_texts_are_those_of_the_memories(host: Host, seed: int) -> None:
    chance, notes = random.Random(seed), list[str]()
    for _ in range(_STEPS):
        with suppress(KeepsakeError):
            change(host, chance, notes)
    host.ask("vault.settle")
    with closing(open_writer(host.vault / DATABASE)) as connection:
        connection.execute("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
        said: dict[str, list[str]] = {}
        for memory, words in connection.execute(
            "SELECT memory_id, text FROM chunk_texts ORDER BY memory_id, seq_start"
        ):
            said.setdefault(str(memory), []).append(str(words))
        rows = connection.execute("SELECT id FROM memories WHERE valid_until IS NULL").fetchall()
        memories = [repo.get(connection, str(row[0]), stores=STORES) for row in rows]
        assert said == {memory.id: expected(memory) for memory in memories if memory is not None}
        assert len(said) > 3
        assert connection.execute("SELECT count(*) FROM chunks WHERE content_start IS NULL").get == 0
