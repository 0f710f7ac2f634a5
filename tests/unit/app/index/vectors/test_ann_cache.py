"""Approximate vector index: it answers like the database, and is rebuilt when in doubt."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest

from app.core.paths import migrations
from app.embed.model import EmbeddingIdentity
from app.index.repo import Chunk, insert_chunks
from app.index.vectors.ann_cache import FILE, AnnCache
from app.index.vectors.vector_repo import Generation, open_generation, store_vectors
from app.store.connection import open_writer
from app.store.migrate import migrate

WIDTH = 32
COUNT = 120


def unit(count: int, seed: int = 1) -> np.ndarray:
    made = np.random.default_rng(seed).standard_normal((count, WIDTH)).astype(np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True))


class Vault:
    """A database with chunks and their vectors."""

    def __init__(self, folder: Path) -> None:
        self.connection = open_writer(folder / "memory.db")
        migrate(self.connection, migrations(), lambda: None)
        self.generation = open_generation(self.connection, EmbeddingIdentity("test", "a", WIDTH, "1"), 0)
        self.rows = unit(COUNT)
        with self.connection:
            self.put(range(1, COUNT + 1))

    def put(self, ids: range) -> list[tuple[int, bytes]]:
        for one in ids:
            self.connection.execute(
                "INSERT INTO chunks (id, kind, memory_id, role, own_text, content_hash, created_at)"
                " VALUES (?, 'memory', ?, 'note', 'words', '', 0)",
                (one, f"note-{one}"),
            )
            self.connection.execute("INSERT INTO chunks_fts (rowid, text, grams) VALUES (?, 'words', '')", (one,))
        pairs = [(one, self.rows[(one - 1) % COUNT].tobytes()) for one in ids]
        store_vectors(self.connection, self.generation, pairs)
        return pairs

    def drop(self, one: int) -> None:
        self.connection.execute("DELETE FROM chunks WHERE id = ?", (one,))
        self.connection.execute(f"DELETE FROM {self.generation.table} WHERE chunk_id = ?", (one,))


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    made = Vault(tmp_path)
    yield made
    made.connection.close()


def tended(vault: Vault, folder: Path) -> AnnCache:
    ann_cache = AnnCache(folder, least=10)
    ann_cache.refresh(vault.connection, vault.generation)
    return ann_cache


def first(ann_cache: AnnCache, vault: Vault, row: int) -> int:
    found = ann_cache.nearest(vault.generation, vault.rows[row].tobytes(), 1)
    assert found is not None
    return int(found[0][0])


def test_before_it_is_made_it_cannot_tell(vault: Vault, tmp_path: Path) -> None:
    ann_cache = AnnCache(tmp_path, least=10)
    assert ann_cache.nearest(vault.generation, vault.rows[0].tobytes(), 1) is None
    assert ann_cache.needs_refresh(vault.generation, COUNT)
    assert not ann_cache.needs_refresh(vault.generation, 9)
    ann_cache.add(vault.generation, [(1, vault.rows[0].tobytes())])
    assert ann_cache.count() == 0


def test_it_holds_what_the_database_holds(vault: Vault, tmp_path: Path) -> None:
    ann_cache = tended(vault, tmp_path)
    assert ann_cache.count() == COUNT
    assert [first(ann_cache, vault, row) for row in range(5)] == [1, 2, 3, 4, 5]
    nothing = ann_cache.nearest(vault.generation, bytes(4 * WIDTH), 5)
    assert nothing is not None
    assert len(nothing[0]) == len(nothing[1]) == 0
    assert ann_cache.nearest(Generation(99, WIDTH), vault.rows[0].tobytes(), 5) is None
    assert not ann_cache.needs_refresh(vault.generation, COUNT)


def test_what_is_added_is_found_and_what_went_is_let_go(vault: Vault, tmp_path: Path) -> None:
    ann_cache = tended(vault, tmp_path)
    vault.rows[0] = unit(1, seed=9)[0]
    ann_cache.add(vault.generation, vault.put(range(COUNT + 1, COUNT + 2)))
    assert first(ann_cache, vault, 0) == COUNT + 1
    vault.drop(COUNT + 1)
    vault.drop(2)
    ann_cache.refresh(vault.connection, vault.generation)
    assert ann_cache.count() == COUNT - 1
    assert first(ann_cache, vault, 1) != 2


def test_of_a_chunk_that_was_stored_again_the_later_vector_counts(vault: Vault, tmp_path: Path) -> None:
    ann_cache = tended(vault, tmp_path)
    ann_cache.add(vault.generation, [(1, vault.rows[5].tobytes()), (2, vault.rows[0].tobytes())])
    found = ann_cache.nearest(vault.generation, vault.rows[0].tobytes(), COUNT)
    assert found is not None
    ids, scores = found[0].tolist(), found[1].tolist()
    assert ids[0] == 2
    assert len(ids) == len(set(ids)) == COUNT
    assert scores == sorted(scores, reverse=True)
    assert scores[ids.index(1)] < 1


def test_the_file_is_caught_up_with_the_database(vault: Vault, tmp_path: Path) -> None:
    tended(vault, tmp_path)
    vault.drop(3)
    vault.put(range(COUNT + 1, COUNT + 4))
    ann_cache = tended(vault, tmp_path)
    assert ann_cache.count() == COUNT + 2
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the file is read into memory")
def test_the_bytes_stay_in_the_file_until_they_are_looked_at(vault: Vault, tmp_path: Path) -> None:
    written = tended(vault, tmp_path)
    before = (tmp_path / FILE).stat().st_ino
    read = tended(vault, tmp_path)
    assert (tmp_path / FILE).stat().st_ino == before
    for ann_cache in (written, read):
        assert ann_cache._codes is not None
        owner = ann_cache._codes.numbers.base
        while isinstance(owner, np.ndarray) and not isinstance(owner, np.memmap):
            owner = owner.base
        assert isinstance(owner, np.memmap)
        # It goes on answering from a file that another one has taken the place of.
        tended(vault, tmp_path).discard()
        assert first(ann_cache, vault, 7) == 8


def test_a_few_late_vectors_stay_beside_the_file_and_many_make_a_new_one(vault: Vault, tmp_path: Path) -> None:
    tended(vault, tmp_path)
    before = (tmp_path / FILE).read_bytes()
    vault.rows[0] = unit(1, seed=9)[0]
    vault.put(range(COUNT + 1, COUNT + 3))
    ann_cache = tended(vault, tmp_path)
    assert ann_cache.count() == COUNT + 2
    assert first(ann_cache, vault, 0) == COUNT + 1
    assert (tmp_path / FILE).read_bytes() == before
    vault.put(range(COUNT + 3, COUNT + 6))
    assert tended(vault, tmp_path).count() == COUNT + 5
    assert len((tmp_path / FILE).read_bytes()) > len(before)


def test_what_was_forgotten_leaves_the_file(vault: Vault, tmp_path: Path) -> None:
    ann_cache = tended(vault, tmp_path)
    path = tmp_path / FILE
    before = path.read_bytes()
    vault.drop(2)
    ann_cache.refresh(vault.connection, vault.generation)
    assert len(path.read_bytes()) < len(before)
    ann_cache.discard()
    assert not path.exists()
    assert ann_cache.nearest(vault.generation, vault.rows[0].tobytes(), 1) is None
    ann_cache.refresh(vault.connection, vault.generation)
    assert ann_cache.count() == COUNT - 1


def truncated(content: bytes) -> bytes:
    return content[: len(content) // 2]


def flipped(content: bytes) -> bytes:
    return content[:-100] + bytes([content[-100] ^ 1]) + content[-99:]


def lengthened(content: bytes) -> bytes:
    return content.replace(b'"<i8", [120]', b'"<i8", [121]')


def other(content: bytes) -> bytes:
    return content.replace(b'"generation": 1', b'"generation": 2')


@pytest.mark.parametrize(
    "damage",
    [truncated, flipped, lengthened, other, lambda _: b"", lambda _: b"keepsake vectors 1\n[]\n", lambda _: b"\0" * 99],
)
def test_a_damaged_file_is_made_anew(vault: Vault, tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    tended(vault, tmp_path)
    path = tmp_path / FILE
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    ann_cache = tended(vault, tmp_path)
    assert ann_cache.count() == COUNT
    assert [first(ann_cache, vault, row) for row in range(COUNT)] == list(range(1, COUNT + 1))
    assert path.read_bytes() == whole


def test_the_file_of_a_database_that_went_back_in_time_is_made_anew(vault: Vault, tmp_path: Path) -> None:
    tended(vault, tmp_path)
    vault.drop(COUNT)
    vault.rows[COUNT - 1] = unit(1, seed=7)[0]
    vault.put(range(COUNT, COUNT + 1))
    assert first(tended(vault, tmp_path), vault, COUNT - 1) == COUNT


def test_a_folder_that_cannot_be_written_only_costs_time(vault: Vault, tmp_path: Path) -> None:
    assert tended(vault, tmp_path / "none").count() == COUNT


def test_the_id_of_a_chunk_is_never_given_again(vault: Vault) -> None:
    def insert(connection: apsw.Connection) -> int:
        insert_chunks(connection, [Chunk("memory", "words", "", 0, memory_id="note-x", role="note")])
        return int(connection.execute("SELECT max(id) FROM chunks").get)

    gone = insert(vault.connection)
    vault.drop(gone)
    assert insert(vault.connection) > gone
