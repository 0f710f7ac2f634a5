"""Long notes are saved at once and indexed in steps, with the same chunks as in one."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from app.host import Host
from app.index import long_memories
from app.index.chunking import pieces
from app.index.long_memories import AT_ONCE
from tests.helpers.access import EVERYTHING
from tests.unit.app.vault_harness import VaultHarness

LONG = " ".join(f"Word{number} stands in a sentence of its own." for number in range(4000))


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    running = Host(tmp_path / "vault", serve=False, overrides={"index.vectors": False})
    running.start()
    yield running
    running.stop()


def chunks(host: Host) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(host.vault / "memory.db"), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute(
        "SELECT seq_start, text, store FROM chunk_texts WHERE kind = 'memory' ORDER BY 1"
    ).fetchall()
    connection.close()
    return rows


def expected(text: str, store: str = "private") -> list[tuple[object, ...]]:
    found = pieces(f"Long\n{text}")
    assert len(found) > 3 * AT_ONCE
    return [(number, piece.text if number == 0 else f"Long\n{piece.text}", store) for number, piece in enumerate(found)]


def test_all_of_it_is_indexed_in_the_end(host: Host) -> None:
    note = host.ask("note.save", title="Long", content=LONG)
    assert host.ask("note.get", id=note.id).content == LONG
    assert len(chunks(host)) >= AT_ONCE
    host.ask("vault.settle")
    assert chunks(host) == expected(LONG)
    assert host.ask("memory.search", query="Word3999").hits[0].id == note.id
    assert host.ask("vault.check").ok


def test_an_update_replaces_every_chunk(host: Host) -> None:
    note = host.ask("note.save", title="Long", content=LONG)
    changed = LONG.replace("Word", "Name")
    note = host.ask("note.update", id=note.id, version=note.version, content=changed, store="shared")
    assert {store for _, _, store in chunks(host)} == {"shared"}
    host.ask("vault.settle")
    assert chunks(host) == expected(changed, "shared")
    assert not host.ask("memory.search", query="Word3999", recipe="words").hits
    note = host.ask("note.update", id=note.id, version=note.version, content="Short")
    host.ask("vault.settle")
    assert [text for _, text, _ in chunks(host)] == ["Long\nShort"]


def test_a_deleted_note_leaves_nothing(host: Host) -> None:
    note = host.ask("note.save", title="Long", content=LONG)
    host.ask("note.delete", id=note.id)
    host.ask("vault.settle")
    assert chunks(host) == []


def moved(vault_harness: VaultHarness, steps: int) -> None:
    for _ in range(steps):
        vault_harness.do(vault_harness.store.write(lambda connection: long_memories.step(connection, None)))


def left(vault_harness: VaultHarness) -> int:
    return int(vault_harness.rows("SELECT count(*) FROM chunks WHERE kind = 'memory'")[0][0])


@pytest.mark.parametrize("steps", [0, 1, 3, 100])
def test_a_deleted_one_leaves_a_little_at_a_time_though_cut_off(vault: Path, steps: int) -> None:
    vault_harness = VaultHarness(vault)
    note = vault_harness.save(LONG)
    vault_harness.sync()
    before = left(vault_harness)
    vault_harness.do(vault_harness.memories.delete(EVERYTHING, note.id))
    assert left(vault_harness) == before > 3 * AT_ONCE
    moved(vault_harness, steps)
    assert left(vault_harness) == max(0, before - steps * AT_ONCE)
    assert vault_harness.check() == []
    vault_harness.close()
    again = VaultHarness(vault)
    try:
        again.sync()
        assert left(again) == 0
        assert again.vectors() == {}
        assert again.rows("SELECT 1 FROM meta WHERE key LIKE 'chunks:%'") == []
        assert again.check() == []
    finally:
        again.close()


@pytest.mark.parametrize("steps", [0, 1, 3, 100])
@pytest.mark.parametrize("back", [0, 1, 3])
def test_a_restored_one_comes_back_from_wherever_it_was(vault_harness: VaultHarness, steps: int, back: int) -> None:
    note = vault_harness.save(LONG)
    vault_harness.sync()
    texts = "SELECT seq_start, text FROM chunk_texts ORDER BY seq_start"
    before = vault_harness.rows(texts)
    vault_harness.do(vault_harness.memories.delete(EVERYTHING, note.id))
    moved(vault_harness, steps)
    vault_harness.do(vault_harness.memories.restore(EVERYTHING, note.id))
    moved(vault_harness, back)
    assert vault_harness.check() == []
    vault_harness.sync()
    assert vault_harness.rows(texts) == before
    assert vault_harness.wrong_vectors() == []
    assert vault_harness.check() == []


def test_a_deleted_one_is_found_no_more_though_its_chunks_are_there(vault: Path) -> None:
    host = Host(vault, serve=False)
    host.start()
    try:
        note = host.ask("note.save", title="Long", content=LONG.replace("sentence", "quarry"))
        other = host.ask("note.save", content="The quarry is closed.")
        host.ask("vault.settle")
        host.ask("job.pause", job="index")
        assert host.ask("memory.search", query="quarry", legs=["vector"]).hits
        deleted = host.call("note.delete", {"id": note.id}).result().changes
        assert deleted is not None
        for legs in (["words"], ["vector"], None):
            assert {hit.id for hit in host.ask("memory.search", query="quarry", legs=legs).hits} == {other.id}
        host.ask("memory.undo", history_ids=list(deleted.history_ids))
        assert note.id in {hit.id for hit in host.ask("memory.search", query="quarry").hits}
    finally:
        host.stop()


def test_the_next_start_goes_on(tmp_path: Path) -> None:
    first = Host(tmp_path / "vault", serve=False, overrides={"index.vectors": False})
    first.start()
    first.ask("note.save", title="Long", content=LONG)
    first.stop()
    again = Host(tmp_path / "vault", serve=False, overrides={"index.vectors": False})
    again.start()
    try:
        again.ask("vault.settle")
        assert chunks(again) == expected(LONG)
    finally:
        again.stop()
