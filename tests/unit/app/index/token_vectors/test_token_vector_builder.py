"""Token vectors of a real vault: made in the background, gone with their texts, made anew for another model."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.core.paths import migrations
from app.host import Host
from app.index.token_vectors import token_repo
from app.recovery.salvage import salvage
from app.store.connection import open_reader, open_writer
from app.store.encryption.vault_encryption import VaultEncryption
from app.store.migrate import expected_objects, migrations_in, objects_of
from app.store.store import DATABASE
from tests.helpers.encryption import PASSPHRASE, needs_cipher
from tests.helpers.engine import engine_of
from tests.unit.app.embed.rerank_model import write_late_interaction_model

MODEL = "answerdotai/answerai-colbert-small-v1"
WORDS = ("boat", "harbour", "red", "storm")


def start(vault: Path, folder: Path | None, **settings: Any) -> Host:
    named = {} if folder is None else {"search.reranker": MODEL, "search.reranker_folder": str(folder)}
    host = Host(vault, serve=False, overrides={"embedding.model": "hashed"} | named | settings)
    host.start()
    return host


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_late_interaction_model(tmp_path / "model", WORDS)


@pytest.fixture
def host(vault: Path, model: Path) -> Iterator[Host]:
    host = start(vault, model)
    yield host
    host.stop()


def say(host: Host, *texts: str, session: str = "s") -> None:
    host.ask("session.append", session=session, messages=[{"role": "user", "content": text} for text in texts])


def settle(host: Host) -> None:
    host.ask("vault.settle", token_vectors=True)


def read(vault: Path, sql: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(open_reader(vault / DATABASE)) as connection:
        return connection.execute(sql, values).fetchall()


def codes(vault: Path, table: str = "token_vectors_1") -> dict[str, bytes | None]:
    """Return the codes of each text."""
    rows = read(vault, f"SELECT c.text, t.codes FROM {table} t LEFT JOIN chunk_texts c ON c.id = t.chunk_id")
    return {str(text): code for text, code in rows}


def names(vault: Path) -> list[str]:
    return [row[0] for row in read(vault, "SELECT name FROM sqlite_schema WHERE name LIKE 'token%' ORDER BY name")]


def test_every_message_and_memory_gets_small_codes(vault: Path, host: Host) -> None:
    say(host, "red boat", "storm " * 900, "!", session="s")
    host.ask("session.append", session="s", messages=[{"role": "tool", "content": "boat", "tool_name": "t"}])
    host.ask("note.save", title="", content="A harbour")
    host.ask("note.save", title="Long", content=" ".join(f"red boat {n} in a storm." for n in range(300)))
    settle(host)
    found = codes(vault)
    assert None not in found.values()
    assert {"red boat", "A harbour"} <= set(found)
    assert "boat" not in found
    assert sum(text.startswith("Long") for text in found) == token_repo.PIECES
    assert all(len(code) <= 3_000 for code in found.values() if code is not None)
    state = host.ask("embedding.status").token_vectors
    assert (state.model, state.texts, state.waiting, state.failure) == (MODEL, len(found), 0, "")


def test_without_such_a_model_there_is_nothing(vault: Path) -> None:
    host = start(vault, None)
    say(host, "red boat")
    settle(host)
    assert names(vault) == []
    assert host.ask("embedding.status").token_vectors is None
    host.stop()


def test_work_goes_on_where_a_restart_cut_it_off(vault: Path, model: Path) -> None:
    host = start(vault, model)
    say(host, *[f"boat {number}" for number in range(100)])
    settle(host)
    host.stop()
    with closing(open_writer(vault / DATABASE)) as connection:
        connection.execute("UPDATE token_vectors_1 SET codes = NULL WHERE chunk_id % 2")
    kept = {text: code for text, code in codes(vault).items() if code is not None}
    host = start(vault, model)
    settle(host)
    host.stop()
    found = codes(vault)
    assert len(found) == 100
    assert None not in found.values()
    assert kept.items() <= found.items()


def test_a_pause_holds_until_it_ends(vault: Path, host: Host) -> None:
    builder = engine_of(host).index.token_vectors
    job = builder._job
    host.submit(_on_loop(lambda: job.advance(0, 1_000))).result()
    host.ask("job.cancel", job="token_vectors")  # pauses it
    say(host, "red boat")
    settle(host)
    assert codes(vault) == {"red boat": None}
    host.ask("job.resume", job="token_vectors")
    settle(host)
    assert codes(vault)["red boat"] is not None


async def _on_loop(work: Callable[[], Any]) -> Any:
    await asyncio.sleep(0)
    return work()


def test_they_go_with_their_texts(vault: Path, host: Host) -> None:
    say(host, "red boat", "storm", session="gone")
    say(host, "harbour", session="kept")
    note = host.ask("note.save", content="red storm")
    settle(host)
    host.ask("memory.forget_forever", ids=[note.id], sessions=["gone"], backups="delete", confirm=True)
    settle(host)
    assert list(codes(vault)) == ["harbour"]
    host.ask("vault.reindex")
    settle(host)
    assert [code is not None for code in codes(vault).values()] == [True]
    assert host.ask("vault.check").findings == ()


def test_they_go_from_backups_too(vault: Path, host: Host) -> None:
    say(host, "red boat", session="gone")
    say(host, "harbour", session="kept")
    settle(host)
    host.ask("backup.now")
    receipt = host.ask("memory.forget_forever", sessions=["gone"], backups="rewrite", confirm=True)
    assert [file.outcome for file in receipt.backups] == ["rewritten"]
    assert receipt.verified
    (backup,) = (vault / "backups").glob("*.db")
    with closing(open_reader(backup)) as connection:
        rows = connection.execute("SELECT c.text FROM token_vectors_1 t LEFT JOIN chunk_texts c ON c.id = t.chunk_id")
        assert rows.fetchall() == [("harbour",)]


def test_a_message_is_read_again_when_the_one_before_it_goes(vault: Path, host: Host) -> None:
    say(host, "storm storm", "boat", "harbour")
    settle(host)
    before = codes(vault)
    work = engine_of(host).index.indexer

    def withhold(connection: apsw.Connection) -> dict[str, bytes | None]:
        work.messages_withheld(connection, "s", [(1, 1)])
        rows = connection.execute(
            "SELECT c.text, t.codes FROM token_vectors_1 t JOIN chunk_texts c ON c.id = t.chunk_id"
        )
        return {str(text): code for text, code in rows.fetchall()}

    held = host.submit(engine_of(host).store.write(withhold)).result()
    assert held == {"boat": None, "harbour": before["harbour"]}
    engine_of(host).index.token_vectors.wake()
    settle(host)
    after = codes(vault)
    assert after["boat"] not in {None, before["boat"]}


def test_a_text_that_changed_while_it_was_read_is_read_again(vault: Path, host: Host) -> None:
    say(host, "red boat", "storm")
    settle(host)

    def work(connection: apsw.Connection) -> list[Any]:
        generation = token_repo.TokenGeneration(1, 16)
        ids = [row[0] for row in connection.execute("SELECT id FROM chunks WHERE kind = 'message' ORDER BY id")]
        texts = token_repo.texts_of(connection, ids)
        connection.execute("UPDATE token_vectors_1 SET codes = NULL")
        connection.execute("DELETE FROM chunks WHERE id = ?", (ids[0],))
        token_repo.store_codes(connection, generation, texts, [b"old"] * len(texts))
        return connection.execute("SELECT chunk_id, codes FROM token_vectors_1").fetchall()

    rows = host.submit(engine_of(host).store.write(work)).result()
    assert [code for _, code in rows] == [None]


def test_another_model_makes_its_own_and_the_first_ones_go_after_a_week(vault: Path, model: Path) -> None:
    host = start(vault, model)
    say(host, "red boat")
    settle(host)
    host.stop()
    file = model / "vespa_colbert.onnx"
    file.write_bytes(file.read_bytes() + b"\x3a\x00")  # another build
    host = start(vault, model)
    say(host, "storm")
    settle(host)
    host.stop()
    assert {name for name in names(vault) if name[-1].isdigit()} == {"token_vectors_1", "token_vectors_2"}
    assert None not in codes(vault, "token_vectors_2").values()
    # The earlier ones miss the new message, and are ready when that model comes back.
    assert codes(vault)["storm"] is None
    _age(vault)
    host = start(vault, model)
    settle(host)
    host.stop()
    assert {name for name in names(vault) if name[-1].isdigit()} == {"token_vectors_2"}
    host = start(vault, None)
    settle(host)
    host.stop()
    _age(vault)
    host = start(vault, None)
    settle(host)
    host.stop()
    assert names(vault) == []


def _age(vault: Path) -> None:
    """Let the retired generations be of a week ago."""
    with closing(open_writer(vault / DATABASE)) as connection:
        connection.execute(
            "UPDATE meta SET value = json_set(value, '$.retired_at', json_extract(value, '$.retired_at') - ?)"
            " WHERE key LIKE 'token_vectors:%' AND json_extract(value, '$.retired_at') IS NOT NULL",
            (token_repo.KEPT_MS,),
        )


def test_a_missing_model_is_one_sentence_and_searches_go_on(vault: Path, tmp_path: Path) -> None:
    host = start(vault, tmp_path / "nothing")
    say(host, "red boat")
    settle(host)
    failures = [failure for failure in host.ask("vault.status").notes if "colbert" in failure]
    assert len(failures) == 1
    assert "which is not there" in failures[0]
    found = host.ask("memory.search", query="boat")
    assert [hit.snippet for hit in found.hits] == ["red boat"]
    assert [note for note in found.notes if "could not be reranked" in note]
    host.stop()


def test_an_earlier_model_whose_files_are_gone_breaks_no_search(vault: Path, model: Path) -> None:
    host = start(vault, model)
    say(host, "red boat", "storm")
    settle(host)
    host.stop()
    (model / "vespa_colbert.onnx").write_bytes(b"not a model")
    host = start(vault, model)
    say(host, "boat in the harbour")
    settle(host)
    assert len(host.ask("memory.search", query="boat").hits) == 2
    host.ask("vault.check")
    host.stop()
    assert codes(vault)["red boat"] is not None
    assert codes(vault)["boat in the harbour"] is None


def test_the_schema_is_the_same_with_them(vault: Path, model: Path) -> None:
    host = start(vault, model)
    say(host, "red boat")
    settle(host)
    host.stop()
    with closing(open_writer(vault / DATABASE)) as connection:
        scripts = [step.sql for step in migrations_in(migrations())]
        assert objects_of(connection) == expected_objects(scripts)


def test_a_salvaged_vault_makes_them_anew(vault: Path, model: Path, tmp_path: Path) -> None:
    host = start(vault, model)
    say(host, "red boat", "storm")
    settle(host)
    host.stop()
    into = tmp_path / "saved"
    salvage(vault, into)
    assert names(into) == []
    host = start(into, model)
    settle(host)
    host.stop()
    assert set(codes(into)) == {"red boat", "storm"}
    assert None not in codes(into).values()


@needs_cipher
def test_an_encrypted_vault_shows_no_code(vault: Path, model: Path) -> None:
    VaultEncryption(vault).encrypt(PASSPHRASE)
    host = start(vault, model)
    say(host, "red boat in the harbour", "storm " * 40)
    settle(host)
    host.ask("backup.now")
    found = host.submit(
        engine_of(host).store.read(
            lambda connection: [row[0] for row in connection.execute("SELECT codes FROM token_vectors_1")]
        )
    ).result()
    host.stop()
    assert len(found) == 2
    files = [path.read_bytes() for path in vault.rglob("*") if path.is_file()]
    assert not [code for code in found for data in files if code in data]


def test_a_model_that_breaks_is_told_and_tried_again(vault: Path, host: Host) -> None:
    say(host, "red boat")
    settle(host)
    builder = engine_of(host).index.token_vectors
    inner = builder.model.model.opened().model
    session, inner.model = inner.model, object()
    say(host, "storm")
    settle(host)
    assert [note for note in host.ask("vault.status").notes if "failed; results keep their original order" in note]
    assert codes(vault)["storm"] is None
    inner.model = session
    say(host, "harbour")  # wakes it
    settle(host)
    assert None not in codes(vault).values()
    assert host.ask("embedding.status").token_vectors.failure == ""
