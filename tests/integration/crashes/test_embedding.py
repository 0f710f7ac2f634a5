"""Crash while another model is prepared: old vectors answer, work resumes."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.changes import Event, Progress
from app.core.paths import migrations
from app.embed.hashed_embedder import HashedEmbedder
from app.host import Host
from app.index.vectors.vector_repo import HAS_VECTOR
from app.store.store import Store
from app.store.vector_bytes import encode
from tests.helpers.processes.warm_process import start_module
from tests.integration.processes.embedding import remote
from tests.unit.app.embed.embedding_server import Answer, EmbeddingServer

TURNS = 4_000


def killed_after(vault: Path, texts: int, turns: int = TURNS, *address: str) -> None:
    """Run the process and kill it after vectors of more than ``texts`` texts."""
    arguments = [str(vault), str(turns), *address]
    with start_module("tests.integration.processes.embedding", *arguments, has_input=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            state, done = line.split()
            assert state in {"ready", "running"}
            if int(done) > texts:
                break
        process.kill()


def rows(vault: Path, sql: str) -> list[tuple[object, ...]]:
    store = Store.open(vault, migrations())
    try:
        return asyncio.run(store.read(lambda connection: connection.execute(sql).fetchall()))
    finally:
        store.close()


@contextmanager
def finishing(vault: Path, model: str, address: str = "") -> Iterator[Host]:
    """Open the vault for the block, then wait until ``model`` serves, and check it."""
    host = Host(vault, serve=False, overrides=remote(address))
    done = threading.Event()

    def hear(event: Event) -> None:
        if isinstance(event, Progress) and event.job == "embedding" and event.state == "finished":
            done.set()

    host.subscribe(hear)
    host.start()
    try:
        yield host
        assert done.wait(60)
        host.ask("vault.settle")
        assert host.ask("embedding.status").serving.model == model
        assert host.ask("vault.check").findings == ()
    finally:
        host.stop()


@pytest.mark.slow
def test_killed_while_building(vault: Path) -> None:
    made = 0
    for _ in range(2):
        killed_after(vault, made)
        states = rows(vault, "SELECT state FROM generations ORDER BY id")
        assert states == [("serving",), ("building",)]
        again = int(str(rows(vault, "SELECT count(*) FROM vectors_2_rowids")[0][0]))
        assert made < again < TURNS
        made = again
    with finishing(vault, "hashed") as host:
        host.ask("session.append", session="t", messages=[{"role": "user", "content": "said meanwhile"}])
        result = host.ask("memory.search", query="garden", limit=3)
        assert result.legs == ("words", "vector")
    stored = rows(vault, "SELECT text, embedding FROM vectors_2 v JOIN chunk_texts c ON c.id = v.chunk_id")
    texts = [str(text) for text, _ in stored]
    assert len(texts) == len(rows(vault, f"SELECT 1 FROM chunks WHERE {HAS_VECTOR}"))
    assert "said meanwhile" in texts
    right = encode([row.tobytes() for row in HashedEmbedder().embed(texts)])
    assert [row for _, row in stored] == right


@pytest.mark.slow
def test_killed_while_a_service_makes_them(vault: Path, service: EmbeddingServer) -> None:
    """Count the texts that were sent: each once, but for the interrupted batch."""
    turns, made, runs = 400, 0, 2
    for _ in range(runs):
        service.script = [Answer(503, body=b""), Answer(drops=True), Answer(is_half=True)]
        killed_after(vault, made + 40, turns, service.address)
        again = int(str(rows(vault, "SELECT count(*) FROM vectors_2_rowids")[0][0]))
        assert made < again < turns
        made = again
    with finishing(vault, "openai-compatible:m", service.address):
        pass
    (count,) = rows(vault, "SELECT count(*) FROM vectors_2_rowids")[0]
    texts = [text for request in service.requested for text in request["input"] if text.startswith("turn")]
    assert count == len(set(texts)) == turns
    failed = 3 * runs * 8
    assert len(texts) <= turns + failed + runs * 8
