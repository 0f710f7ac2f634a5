"""Starting and stopping a vault's engine, and many who ask it at once."""

import asyncio
import gc
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import pytest

from app.changes import Event, Progress
from app.config.config import FILE
from app.errors import (
    InputError,
    KeepsakeError,
    MachineError,
    TimeLimitError,
    UnknownOperationError,
    VaultDamagedError,
    VaultLockedError,
    VaultNewerError,
    VaultUnusableError,
)
from app.host import Host
from app.store.store import DATABASE
from tests.helpers.engine import engine_of

if TYPE_CHECKING:
    from app.api.registry import Reply


def say(host: Host, session: str, text: str) -> int:
    seqs: tuple[int, ...] = host.ask(
        "session.append", session=session, messages=[{"role": "user", "content": text}]
    ).seqs
    return seqs[0]


def long_file(folder: Path, turns: int = 20_000) -> Path:
    file = folder / "long.jsonl"
    with file.open("w") as stream:
        for number in range(turns):
            record = {"session": f"s{number // 500}", "role": "user", "content": f"turn {number}"}
            stream.write(json.dumps(record) + "\n")
    return file


class Watch:
    """Hears the feed and knows when something was said."""

    def __init__(self, host: Host, wanted: Callable[[Event], bool]) -> None:
        self.events: list[Event] = []
        self.seen = threading.Event()
        self._wanted = wanted
        host.subscribe(self._hear)

    def _hear(self, event: Event) -> None:
        self.events.append(event)
        if self._wanted(event):
            self.seen.set()


# Starting and stopping ----------------------------------------------------------------------------------------------


def test_stopping_twice_and_before_starting(vault: Path) -> None:
    host = Host(vault)
    host.stop()
    host.start()
    host.stop()
    host.stop()
    with pytest.raises(MachineError, match="closed"):
        host.ask("vault.status")


def test_no_call_is_possible_before_the_start(vault: Path) -> None:
    with pytest.raises(MachineError, match="not open"):
        Host(vault).ask("vault.status")


def test_two_hosts_on_one_vault(host: Host) -> None:
    second = Host(host.vault)
    with pytest.raises(VaultLockedError, match="Another Keepsake"):
        second.start()
    second.stop()
    assert say(host, "s", "still here") == 1


def test_a_vault_can_be_opened_again_at_once(vault: Path) -> None:
    for number in range(3):
        host = Host(vault)
        host.start()
        assert say(host, "s", "again") == number + 1
        host.stop()


def refused(vault: Path) -> KeepsakeError:
    """Return why the vault does not open; a second try must say the same, so nothing is left running."""
    failures = []
    for _ in range(2):
        host = Host(vault)
        with pytest.raises(KeepsakeError) as caught:
            host.start()
        host.stop()
        failures.append(caught.value)
    assert type(failures[0]) is type(failures[1])
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("keepsake")]
    return failures[0]


def test_a_vault_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear")
    assert isinstance(refused(tmp_path / "letter"), VaultUnusableError)
    assert (tmp_path / "letter").read_text() == "dear"


@pytest.mark.parametrize("name", ["x" * 5_000, "nul\0inside"])
def test_a_vault_with_an_impossible_name(tmp_path: Path, name: str) -> None:
    assert isinstance(refused(tmp_path / name), VaultUnusableError)


def test_a_vault_whose_path_is_not_utf_8(tmp_path: Path) -> None:
    with pytest.raises(VaultUnusableError, match="not UTF-8"):
        Host(tmp_path / "caf\udce9").start()


def test_a_failed_start_is_told_once(
    vault: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr("app.host.Engine", fail)
    with pytest.raises(RuntimeError, match="broken"):
        Host(vault).start()
    assert "Traceback" not in capfd.readouterr().err


def test_a_vault_from_a_newer_version(vault: Path) -> None:
    connection = apsw.Connection(str(vault / DATABASE))
    connection.pragma("user_version", 999)
    connection.close()
    before = (vault / DATABASE).read_bytes()
    assert isinstance(refused(vault), VaultNewerError)
    assert (vault / DATABASE).read_bytes() == before


def test_a_database_that_is_none(vault: Path) -> None:
    (vault / DATABASE).write_bytes(b"not a database at all, but long enough to be looked at" * 100)
    assert isinstance(refused(vault), VaultDamagedError)


@pytest.mark.parametrize("text", ["search = [", "[sto", "a = 1\na = 2\n"])
def test_settings_that_cannot_be_read(vault: Path, text: str) -> None:
    (vault / FILE).write_text(text)
    assert isinstance(refused(vault), InputError)
    assert (vault / FILE).read_text() == text


@pytest.mark.parametrize("text", ["[search]\nrecipe = 'nonsense'\n", "[store]\nread_limit = true\n"])
def test_a_setting_that_cannot_be_used_is_named_and_its_default_counts(vault: Path, text: str) -> None:
    (vault / FILE).write_text(text)
    host = Host(vault)
    host.start()
    section, name = text.partition("]")[0][1:], text.partition("\n")[2].partition(" ")[0]
    [said] = [note for note in host.ask("vault.status").notes if "Another value counts." in note]
    assert f"{section}.{name}" in said
    assert "nonsense" not in said
    [now] = [item for item in host.ask("settings.list") if item.name == f"{section}.{name}"]
    assert (now.source, now.value) == ("default", now.default)
    host.stop()
    assert (vault / FILE).read_text() == text


def test_a_read_only_disk(vault: Path, small_disk: Callable[[int], Path]) -> None:
    import shutil
    import subprocess

    place = small_disk(8)
    shutil.copytree(vault, place / "vault")
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    host = Host(place / "vault", serve=False)
    host.start()
    try:
        assert "cannot be written" in host.ask("vault.status").read_only
    finally:
        host.stop()


def test_a_trace_that_cannot_be_kept_does_not_keep_the_vault_closed(vault: Path) -> None:
    (vault / "trace").write_text("a file where the folder should be")
    host = Host(vault)
    host.start()
    assert say(host, "s", "words") == 1
    host.ask("memory.search", query="words")
    host.stop()


def test_an_embedder_that_is_not_there_leaves_search_by_words(vault: Path) -> None:
    host = Host(vault, overrides={"embedding.model": "fastembed:no/such-model"})
    host.start()
    try:
        say(host, "s", "words to find")
        assert host.ask("vault.settle").notes
        found = host.ask("memory.search", query="find")
        assert [hit.seq for hit in found.hits] == [1]
        assert found.notes
    finally:
        host.stop()


def test_without_vectors_no_call_waits_for_them(vault: Path) -> None:
    host = Host(vault, overrides={"index.vectors": False})
    host.start()
    try:
        say(host, "s", "long " * 500)
        assert host.ask("vault.settle").notes == ()
        assert host.ask("memory.search", query="long").legs == ("words",)
        assert host.ask("vault.check").findings == ()
    finally:
        host.stop()


# Calls --------------------------------------------------------------------------------------------------------------


def test_an_unknown_operation(host: Host) -> None:
    with pytest.raises(UnknownOperationError, match="no operation"):
        host.ask("nothing.here")


def test_a_read_that_takes_too_long_is_stopped(vault: Path) -> None:
    host = Host(vault, overrides={"store.read_limit": 0.1})
    host.start()
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    try:

        def work(connection: apsw.Connection) -> object:
            return connection.execute(endless).get

        store = engine_of(host).store
        with pytest.raises(TimeLimitError, match="too long"):
            host.submit(store.read(work)).result()
        assert say(host, "s", "goes on") == 1
    finally:
        host.stop()


def test_many_write_and_read_at_once(host: Host) -> None:
    writers, turns = 8, 40

    def write(number: int) -> list[int]:
        return [
            say(host, "together" if turn % 2 else f"alone {number}", f"writer {number} turn {turn}")
            for turn in range(turns)
        ]

    def read(number: int) -> int:
        found = [host.ask("memory.search", query=f"writer {number}", limit=5).candidates for _ in range(20)]
        return max(found)

    with ThreadPoolExecutor(2 * writers) as pool:
        written = [pool.submit(write, number) for number in range(writers)]
        read_ones = [pool.submit(read, number) for number in range(writers)]
        numbers = [done.result() for done in written]
        assert all(isinstance(done.result(), int) for done in read_ones)
    together = host.ask("session.messages", session="together", limit=10_000)
    assert [turn.seq for turn in together] == list(range(1, writers * turns // 2 + 1))
    for number in range(writers):
        mine = [turn.content for turn in together if turn.content.startswith(f"writer {number} ")]
        assert mine == [f"writer {number} turn {turn}" for turn in range(1, turns, 2)]
        assert numbers[number][0::2] == list(range(1, turns // 2 + 1))
        assert numbers[number][1::2] == sorted(set(numbers[number][1::2]))
    host.ask("vault.settle")
    assert host.ask("vault.check").findings == ()


# Long work ----------------------------------------------------------------------------------------------------------


def importing(host: Host, file: Path) -> "Future[Reply]":
    """Start an import and return once the first of it is in."""
    watch = Watch(host, lambda event: isinstance(event, Progress) and event.job == "import" and event.done > 0)
    future = host.call("exchange.import", {"path": str(file), "job": "import"})
    assert watch.seen.wait(30)
    return future


def test_a_cancelled_import_keeps_what_is_in_and_a_second_one_completes_it(host: Host, tmp_path: Path) -> None:
    file = long_file(tmp_path)
    future = importing(host, file)
    assert "import" in [job.job for job in host.ask("job.list")]
    with pytest.raises(InputError, match="running already"):
        host.ask("exchange.import", path=str(file), job="import")
    assert host.ask("job.cancel", job="import")
    report = future.result(30).value
    assert report.cancelled
    assert 0 < report.messages < 20_000
    assert host.ask("memory.stats").messages == report.messages
    assert "import" not in [job.job for job in host.ask("job.list")]
    assert not host.ask("job.cancel", job="import")
    second = host.ask("exchange.import", path=str(file))
    assert (second.messages, second.unchanged) == (20_000 - report.messages, report.messages)
    assert host.ask("memory.stats").messages == 20_000


def test_closing_during_an_import_ends_it_in_order(vault: Path, tmp_path: Path) -> None:
    host = Host(vault)
    host.start()
    future = importing(host, long_file(tmp_path))
    host.stop()
    report = future.result(0).value
    assert report.cancelled
    again = Host(vault)
    again.start()
    assert again.ask("memory.stats").messages == report.messages
    assert again.ask("vault.check").findings == ()
    again.stop()


def test_closing_while_a_call_waits_for_the_index(vault: Path) -> None:
    host = Host(vault)
    host.start()
    for number in range(50):
        say(host, "s", f"turn {number}")
    waiting = host.call("vault.settle", {})
    host.stop()
    assert waiting.done()
    failure = waiting.exception()
    assert failure is None or isinstance(failure, MachineError)


def test_a_caller_that_gives_up_while_the_vault_closes_leaves_no_lost_error(
    vault: Path, caplog: pytest.LogCaptureFixture
) -> None:
    host = Host(vault, serve=False)
    host.start()
    begun = threading.Event()

    async def wait_for_ever() -> None:
        begun.set()
        await asyncio.Event().wait()

    call = host.submit(wait_for_ever())
    assert begun.wait(30)
    closing = threading.Thread(target=host.stop)
    closing.start()
    while not host._is_closing:
        time.sleep(0.001)
    assert call.cancel()
    closing.join(30)
    gc.collect()
    assert not [record for record in caplog.records if record.name == "asyncio"]


def test_a_caller_is_answered_before_the_work_that_its_call_wakes(host: Host) -> None:
    order: list[str] = []
    background: list[asyncio.Task[None]] = []
    is_watched = threading.Event()

    async def log_when(woken: asyncio.Event) -> None:
        await woken.wait()
        order.append("woken")

    async def wake() -> None:
        woken = asyncio.Event()
        background.append(asyncio.create_task(log_when(woken)))
        while not is_watched.is_set():
            await asyncio.sleep(0)
        woken.set()

    async def finish() -> None:
        await background[0]

    call = host.submit(wake())
    call.add_done_callback(lambda _: order.append("answered"))
    is_watched.set()
    call.result(30)
    host.submit(finish()).result(30)
    assert order == ["answered", "woken"]


def test_a_caller_that_gives_up_ends_its_call(host: Host) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def wait_for_ever() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    call = host.submit(wait_for_ever())
    assert begun.wait(30)
    assert call.cancel()
    assert ended.wait(30)
