"""Crash during erasure: the next start finishes it, and no byte is left."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from app.erasure.model import ErasureReceipt
from app.host import Host
from tests.helpers.engine import engine_of
from tests.helpers.processes.warm_process import start_module

SECRET = "The xylozwickian lighthouse of 秘密花园, told to nobody else. "
TRACES = [b"lozwick", "秘密花园".encode(), "密花".encode(), b"told to nobody"]
TURNS = 1_500


def start(vault: Path) -> Host:
    running = Host(vault, serve=False, overrides={"embedding.model": "hashed"})
    running.start()
    return running


@pytest.fixture
def filled(vault: Path) -> Path:
    host = start(vault)
    turns = [{"role": "user", "content": f"{SECRET} {number}"} for number in range(TURNS)]
    host.ask("session.append", session="secret", messages=turns)
    host.ask("session.append", session="kept", messages=[{"role": "user", "content": f"kept {n}"} for n in range(9)])
    host.ask("note.save", id="note", content=SECRET * 20)
    host.ask("vault.settle")
    host.stop()
    return vault


def kill_after(vault: Path, lines: int) -> int:
    """Kill the erasing process after some progress, and return its status."""
    with start_module("tests.integration.processes.erasing", str(vault)) as process:
        assert process.stdout is not None
        for _ in range(lines):
            if not process.stdout.readline():
                break
        process.kill()
    return process.returncode


def finished(host: Host) -> ErasureReceipt:
    async def until_done() -> ErasureReceipt:
        service: Any = engine_of(host).erasure
        async with asyncio.timeout(60):
            while (found := await service.receipts())[0].finished_at is None:
                await asyncio.sleep(0.01)
        return found[0]

    return host.submit(until_done()).result()


@pytest.mark.slow
def test_killed_while_forgetting(filled: Path, tmp_path: Path) -> None:
    interrupted = 0
    for lines in (1, 2, 4):
        vault = tmp_path / f"killed-{lines}"
        shutil.copytree(filled, vault)
        status = kill_after(vault, lines)
        host = start(vault)
        try:
            assert host.ask("vault.check").findings == ()
            receipt = finished(host)
            assert receipt.verified
            assert receipt.removed["sessions"] == receipt.removed["memories"] == 1
            assert receipt.removed["messages"] == TURNS
            assert [session.id for session in host.ask("session.list")] == ["kept"]
            assert host.ask("session.get", session="kept").message_count == 9
            assert host.ask("vault.check").findings == ()
            files = [path for path in vault.glob("**/*") if path.is_file()]
            assert not [path for path in files if any(trace in path.read_bytes() for trace in TRACES)]
            interrupted += status != 0 and bool(receipt.notes)
        finally:
            host.stop()
    assert interrupted
