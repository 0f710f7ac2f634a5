"""Files and people of memories that an earlier Keepsake stored are found once the vault was opened."""

from pathlib import Path

from app.host import Host
from tests.helpers.earlier_vaults import vault_before


def test_files_and_people_of_earlier_memories_are_found(tmp_path: Path) -> None:
    older = tmp_path / "older"
    with vault_before("files_and_people", older) as connection:
        connection.executemany(
            "INSERT INTO memories (id, kind, content, content_hash, files, people, created_at, updated_at, valid_until)"
            " VALUES (?, 'observation', ?, ?, ?, ?, 1, 1, ?)",
            [
                ("obs-1", "It reads 64 KiB at once.", "1", '["src/reader.py"]', "[]", None),
                ("obs-2", "word " * 12_000, "2", "[]", '["Priya Raman"]', None),
                ("obs-4", "It went.", "4", '["src/reader.py"]', '["Priya Raman"]', 2),
            ],
        )
        connection.execute(
            "INSERT INTO chunks (kind, own_text, created_at, memory_id, seq_start, seq_end, store, role, content_hash)"
            " VALUES ('memory', 'It reads 64 KiB at once.', 1, 'obs-1', 0, 0, 'private', 'observation', '')"
        )
        connection.execute("INSERT INTO chunks_fts (rowid, text, grams) SELECT id, text, grams FROM chunk_texts")
    host = Host(older, overrides={"embedding.model": "hashed"})
    host.start()
    try:
        host.ask("vault.settle", names=True)
        assert [hit.id for hit in host.ask("memory.search", query="reader.py", recipe="words").hits] == ["obs-1"]
        assert {hit.id for hit in host.ask("memory.search", query="Priya", recipe="words").hits} == {"obs-2"}
        assert [entity.name for entity in host.ask("entity.list")] == ["Priya Raman"]
        assert host.ask("vault.check").findings == ()
    finally:
        host.stop()
