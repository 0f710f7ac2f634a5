"""Arrays in memory agree with plain SQL after random writes, edits, deletions and undo."""

import random

import apsw
import numpy as np
import pytest

from app.core.stores import STORES
from app.index.columns import chunk_columns as module
from app.index.columns.chunk_columns import ChunkColumns, last_chunk
from app.index.columns.index_cache import IndexCache
from tests.helpers.access import EVERYTHING
from tests.unit.app.vault_harness import VaultHarness

WORDS = ("heron", "herons", "grebe", "teal", "我们今天", "ขอบคุณครับ", "é", "😀", "nest", "walking")
SESSIONS = ("kitchen", "garden", "moon")
STEPS = 40


class Player:
    """Random changes to a vault."""

    def __init__(self, vault_harness: VaultHarness, seed: int) -> None:
        self.harness = vault_harness
        self.random = random.Random(seed)
        self.done: list[int] = []

    def text(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.choice((1, 3, 9, 150, 400))))

    def step(self) -> None:
        kept = self.harness.rows("SELECT id, version FROM memories WHERE valid_until IS NULL ORDER BY id")
        session = self.random.choice(SESSIONS)
        is_forgotten = self.harness.rows("SELECT 1 FROM sessions WHERE id = ? AND forgotten_at > 0", session)
        is_there = self.harness.rows("SELECT 1 FROM sessions WHERE id = ?", session) and not is_forgotten
        match self.random.randrange(9):
            case 0 | 1 | 2 if not is_forgotten:
                role = self.random.choice(("user", "assistant", "tool"))
                self.harness.say(*(self.text() for _ in range(3)), session=session, role=role)
            case 3:
                self.harness.save(self.text(), title=self.text()[:20], store=self.random.choice(STORES))
            case 4 if kept:
                self.harness.do(
                    self.harness.memories.update(EVERYTHING, *self.random.choice(kept), content=self.text())
                )
            case 5 if kept:
                made = self.harness.do(self.harness.memories.delete(EVERYTHING, self.random.choice(kept)[0]))
                self.done += made.changes.history_ids
            case 6 if is_there:
                self.done.append(self.harness.forget(session))
            case 7 if self.done:
                self.harness.undo(self.done.pop())
            case _:
                self.harness.sync()


@pytest.fixture(params=range(3))
def player(vault_harness: VaultHarness, request: pytest.FixtureRequest) -> Player:
    return Player(vault_harness, request.param)


def read(vault_harness: VaultHarness, index_cache: IndexCache) -> tuple[ChunkColumns, bool]:
    def work(connection: apsw.Connection) -> tuple[ChunkColumns, bool]:
        columns = index_cache.columns(connection, last_chunk(connection))
        return columns, columns.is_up_to_date(connection)

    return vault_harness.do(vault_harness.store.read(work))


def indexed_sizes(vault_harness: VaultHarness) -> dict[int, int]:
    """Return the words of each chunk as FTS5 has stored them, one varint a column."""
    sizes: dict[int, int] = {}
    for chunk, coded in vault_harness.rows("SELECT id, sz FROM chunks_fts_docsize"):
        value = sizes[chunk] = 0
        for byte in coded:
            value = value << 7 | byte & 0x7F
            if byte < 0x80:
                sizes[chunk] += value
                value = 0
    return sizes


def test_a_chunk_has_as_many_words_as_the_index_says(player: Player) -> None:
    for _ in range(STEPS):
        player.step()
    stored = dict(player.harness.rows("SELECT chunk_id, words FROM chunk_lengths"))
    assert stored == indexed_sizes(player.harness)
    assert stored


def test_the_columns_are_what_sql_says(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_NEW", 60)  # some new chunks are read one by one, some with all the others
    kept = IndexCache()
    for number in range(STEPS):
        player.step()
        if number % 5 and number + 1 < STEPS:
            continue
        columns, is_up_to_date = read(player.harness, kept)
        rows = player.harness.rows(
            "SELECT id, kind, role, store, coalesce(memory_id, session_id), iif(kind = 'memory', 0, seq_start),"
            " iif(kind = 'passage', seq_end - seq_start, 0), created_at, max(words, 1)"
            " FROM chunks JOIN chunk_lengths ON chunk_id = id ORDER BY id"
        )
        ids = [row[0] for row in rows]
        assert described(columns, ids) == rows
        assert set(ids) <= set(np.flatnonzero(columns.exists).tolist())
        assert is_up_to_date == (np.flatnonzero(columns.exists).tolist() == ids)


def described(columns: ChunkColumns, ids: list[int]) -> list[tuple[object, ...]]:
    types = [columns.types[number] for number in columns.sort[ids]]
    is_memory = [chunk_type.kind == "memory" for chunk_type in types]
    first = np.where(is_memory, 0, columns.first[ids]).tolist()
    arrays = (first, columns.more[ids].tolist(), columns.created[ids].tolist(), columns.length[ids].tolist())
    owners = map(columns.name, columns.owner[ids].tolist())
    return [
        (chunk, each.kind, each.role, each.store, owner, *rest)
        for chunk, each, owner, *rest in zip(ids, types, owners, *arrays, strict=True)
    ]


def test_the_words_of_a_session_are_those_of_its_messages(player: Player) -> None:
    for _ in range(STEPS):
        player.step()
    columns, _ = read(player.harness, IndexCache())
    sums = "SELECT session_id, sum(max(words, 1)), sum(iif(role = 'user', max(words, 1), 0))"
    for session, words, by_user in player.harness.rows(
        f"{sums} FROM chunks JOIN chunk_lengths ON chunk_id = id WHERE kind = 'message' GROUP BY session_id"
    ):
        number = columns.numbers[session]
        assert (columns.words[number], columns.user_words[number]) == (words, by_user)
    assert columns.read == len(player.harness.rows("SELECT 1 FROM chunks"))
