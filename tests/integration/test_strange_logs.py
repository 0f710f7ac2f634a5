"""A write-ahead log beside the database that is not its own: of another vault, or an older one that was put back."""

import shutil
from pathlib import Path

import pytest

from app.host import Host
from app.store.database_file import log_of
from app.store.preflight import FOREIGN_LOG
from app.store.store import DATABASE

MESSAGES = 400


def append(host: Host, session: str, count: int) -> None:
    messages = [{"role": "user", "content": f"{session} {number} " + "word " * 30} for number in range(count)]
    host.ask("session.append", session=session, messages=messages)


def running_copy(vault: Path, copies: Path, session: str) -> Path:
    """Write to a vault and return a copy of its log as it lay there meanwhile."""
    host = Host(vault, serve=False)
    host.start()
    try:
        append(host, session, MESSAGES)
        return Path(shutil.copy(log_of(vault / DATABASE), copies / f"{session}-wal"))
    finally:
        host.stop()


def counts(vault: Path) -> dict[str, int]:
    """Open a vault, check it, and return how many messages each conversation has."""
    host = Host(vault, serve=False)
    host.start()
    try:
        checked = host.ask("vault.check")
        assert [finding.what for finding in checked.findings if finding.severity == "error"] == []
        return {item.id: item.message_count for item in host.ask("session.list", limit=50)}
    finally:
        host.stop()


def set_aside(vault: Path) -> list[str]:
    return sorted(path.name for path in vault.glob(f"{DATABASE}-wal.*"))


@pytest.mark.slow
@pytest.mark.parametrize("later", [0, 100, 3_000])
def test_an_older_log_put_back_beside_a_closed_database(vault: Path, tmp_path: Path, later: int) -> None:
    old = running_copy(vault, tmp_path, "first")
    host = Host(vault, serve=False)
    host.start()
    append(host, "second", later or 1)
    host.stop()
    shutil.copy(old, log_of(vault / DATABASE))
    assert counts(vault) == {"first": MESSAGES, "second": later or 1}
    assert set_aside(vault) == [DATABASE + FOREIGN_LOG]
    assert counts(vault) == {"first": MESSAGES, "second": later or 1}


@pytest.mark.slow
@pytest.mark.parametrize("is_killed", [False, True])
def test_the_log_of_another_vault(vault: Path, tmp_path: Path, *, is_killed: bool) -> None:
    other = tmp_path / "other"
    foreign = running_copy(other, tmp_path, "foreign")
    host = Host(vault, serve=False)
    host.start()
    append(host, "own", MESSAGES)
    host.stop()
    if is_killed:  # the header then says that there is a log
        data = bytearray((vault / DATABASE).read_bytes())
        data[18:20] = b"\x02\x02"
        (vault / DATABASE).write_bytes(data)
    shutil.copy(foreign, log_of(vault / DATABASE))
    assert counts(vault) == {"own": MESSAGES}
    assert set_aside(vault) == [DATABASE + FOREIGN_LOG]


def test_what_was_set_aside_is_named(vault: Path, tmp_path: Path) -> None:
    shutil.copy(running_copy(vault, tmp_path, "first"), log_of(vault / DATABASE))
    host = Host(vault, serve=False)
    host.start()
    try:
        findings = [finding.what for finding in host.ask("vault.check").findings]
        assert any(DATABASE + FOREIGN_LOG in what and "whole without it" in what for what in findings), findings
    finally:
        host.stop()
