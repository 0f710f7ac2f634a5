"""Transcripts that grow, are cut, replaced or deleted while they are watched."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.exchange.transcripts.folders import FileList, transcript_folders
from app.host import Host
from tests.helpers import transcripts as made
from tests.helpers.guards.unexpected_logs import AllowLogs

LIMIT_S = 30.0
SESSION = f"claude-code:{made.CLAUDE_SESSION}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with the clients' folders, for one test."""
    folder = tmp_path / "home"
    for name, value in {"HOME": "", "USERPROFILE": "", "XDG_CONFIG_HOME": "config", "APPDATA": "config"}.items():
        monkeypatch.setenv(name, str(folder / value))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KEEPSAKE_CAPTURE_WATCH_SECONDS", "0.2")
    monkeypatch.setenv("KEEPSAKE_CAPTURE_WATCH", "true")
    (folder / ".claude" / "projects" / "garden").mkdir(parents=True)
    return folder


@pytest.fixture
def watching(home: Path, vault: Path) -> Iterator[Host]:
    del home
    host = Host(vault, serve=False)
    host.start()
    until(lambda: host.ask("capture.status").watching)
    yield host
    host.stop()


def until(holds: Callable[[], Any]) -> None:
    end = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def said(host: Host, session: str = SESSION) -> list[str]:
    known = {one.id for one in host.ask("session.list", limit=100)}
    if session not in known:
        return []
    return [message.content for message in host.ask("session.messages", session=session, limit=1000)]


def claude_path(home: Path) -> Path:
    return home / ".claude" / "projects" / "garden" / f"{made.CLAUDE_SESSION}.jsonl"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_new_turns_are_found_and_a_partial_line_waits(watching: Host, home: Path) -> None:
    path = claude_path(home)
    first, second = (made.lines([made.claude_line(n, "user", f"turn {n} heron")]) for n in (1, 2))
    append(path, first + second[:20])
    until(lambda: said(watching) == ["turn 1 heron"])
    append(path, second[20:])
    until(lambda: said(watching) == ["turn 1 heron", "turn 2 heron"])
    assert any(hit.session_id == SESSION for hit in watching.ask("memory.search", query="heron").hits)


def test_a_restart_doubles_nothing_and_goes_on_where_it_was(watching: Host, home: Path, vault: Path) -> None:
    path = claude_path(home)
    append(path, made.lines(made.claude_events()[:8]))
    until(lambda: len(said(watching)) == 5)
    watching.stop()
    append(path, made.lines(made.claude_events()[8:]))
    again = Host(vault, serve=False)
    again.start()
    try:
        until(lambda: len(said(again)) == made.CLAUDE_MESSAGES - 1)
        assert again.ask("exchange.import", path=str(path)).messages == 0
    finally:
        again.stop()


def test_cut_replaced_and_deleted_files(watching: Host, home: Path) -> None:
    path = claude_path(home)
    append(path, made.lines([made.claude_line(n, "user", f"turn {n}") for n in range(4)]))
    until(lambda: len(said(watching)) == 4)
    path.write_bytes(made.lines([made.claude_line(3, "user", "turn 3"), made.claude_line(4, "user", "turn 4")]))
    until(lambda: len(said(watching)) == 5)
    path.unlink()
    path.write_bytes(made.lines([made.claude_line(5, "user", "turn 5")]))
    until(lambda: len(said(watching)) == 6)
    path.unlink()
    other = path.with_name("other.jsonl")
    append(other, made.lines([made.claude_line(6, "user", "elsewhere", session="other")]))
    until(lambda: said(watching, "claude-code:other") == ["elsewhere"])
    assert said(watching) == [f"turn {n}" for n in range(6)]


def test_every_client_is_followed(watching: Host, home: Path) -> None:
    codex = home / ".codex" / "sessions" / "2025" / "12" / "08" / "rollout-x.jsonl"
    chats = home / ".gemini" / "tmp" / "hash" / "chats"
    for folder in (codex.parent, chats):
        folder.mkdir(parents=True)
    codex.write_bytes(made.lines(made.codex_events()))
    (chats / "session-1.jsonl").write_bytes(made.lines(made.gemini_lines()))
    database = home / "config" / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    database.parent.mkdir(parents=True)
    made.cursor_database(home / "state.vscdb").rename(database)  # as a whole, as Cursor's own is when it is old
    gemini = "gemini:477739d0-1b78-4aa7-9116-02d08c952344"

    until(lambda: len(said(watching, f"codex:{made.CODEX_SESSION}")) == made.CODEX_MESSAGES)
    until(lambda: len(said(watching, gemini)) == made.GEMINI_MESSAGES)
    until(lambda: len(said(watching, "cursor:98251e54")) == made.CURSOR_MESSAGES)
    with sqlite3.connect(database) as connection:
        bubble = {"type": 1, "bubbleId": "b9", "text": "And the tap?"}
        headers = [{"bubbleId": one, "type": 1} for one in ("b1", "b2", "b3", "b9")]
        composer = made.cursor_composer(fullConversationHeadersOnly=headers, lastUpdatedAt=int(time.time() * 1000))
        made.put_composer(connection, composer, bubble)
    connection.close()
    until(lambda: said(watching, "cursor:98251e54")[-1] == "And the tap?")
    assert len(said(watching, "cursor:98251e54")) == made.CURSOR_MESSAGES + 1


def test_an_unreadable_file_is_named_and_the_others_go_on(watching: Host, home: Path) -> None:
    broken = home / "config" / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    made.cursor_database(broken)
    data = broken.read_bytes()
    broken.write_bytes(data[:4096] + b"\x55" * (len(data) - 4096))
    append(claude_path(home), made.lines([made.claude_line(1, "user", "fine")]))
    until(lambda: said(watching) == ["fine"])
    until(lambda: watching.ask("capture.status").failures)
    assert "state.vscdb" in watching.ask("capture.status").failures[0]


def test_what_was_there_before_is_left_to_an_import(home: Path, vault: Path) -> None:
    path = claude_path(home)
    append(path, made.lines([made.claude_line(1, "user", "long ago")]))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    host = Host(vault, serve=False)
    host.start()
    try:
        append(path.with_name("new.jsonl"), made.lines([made.claude_line(2, "user", "now", session="new")]))
        until(lambda: said(host, "claude-code:new") == ["now"])
        assert said(host) == []
    finally:
        host.stop()


def test_nothing_is_read_unless_the_person_wants_it(home: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPSAKE_CAPTURE_WATCH", "false")
    append(claude_path(home), made.lines([made.claude_line(1, "user", "mine")]))
    host = Host(vault, serve=False)
    host.start()
    try:
        assert not host.ask("capture.status").watching
        time.sleep(0.5)
        assert said(host) == []
    finally:
        host.stop()


def test_links_and_other_names_are_not_listed(home: Path) -> None:
    real = claude_path(home)
    append(real, b"{}\n")
    real.with_name("link.jsonl").symlink_to(real)
    append(real.with_name("notes.md"), b"x")
    (real.parent / "folder.jsonl").mkdir()
    found = FileList(transcript_folders({"HOME": str(home)}, "linux"))
    assert [name for _, name, _ in found.files()] == [str(real)]
    append(real.with_name("second.jsonl"), b"{}\n")
    os.utime(real.parent)
    assert len(list(found.files())) == 2


def test_what_comes_while_the_database_is_locked_is_taken_in_afterwards(
    watching: Host, home: Path, vault: Path, allow_logs: AllowLogs
) -> None:
    allow_logs("Another program holds the vault's database")  # of the schedules
    other = apsw.Connection(str(vault / "memory.db"))
    other.set_busy_timeout(10_000)
    other.execute("BEGIN IMMEDIATE")
    try:
        append(claude_path(home), made.lines([made.claude_line(1, "user", "a heron")]))
        until(lambda: watching.ask("capture.status").failures)
        assert said(watching) == []
    finally:
        other.execute("ROLLBACK")
        other.close()
    until(lambda: said(watching) == ["a heron"])
    until(lambda: not watching.ask("capture.status").failures)


def test_a_watch_that_begins_on_a_locked_database_goes_on_once_it_can(
    home: Path, vault: Path, monkeypatch: pytest.MonkeyPatch, allow_logs: AllowLogs
) -> None:
    allow_logs("Another program holds the vault's database")  # of the schedules
    monkeypatch.delenv("KEEPSAKE_CAPTURE_WATCH")
    path = claude_path(home)
    append(path, made.lines([made.claude_line(1, "user", "long ago")]))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    host = Host(vault, serve=False)
    host.start()
    other = apsw.Connection(str(vault / "memory.db"))
    other.set_busy_timeout(10_000)
    try:
        other.execute("BEGIN IMMEDIATE")
        host.ask("settings.set", name="capture.watch", value=True)
        until(lambda: any("not followed for now" in failure for failure in host.ask("capture.status").failures))
        other.execute("ROLLBACK")
        append(path.with_name("new.jsonl"), made.lines([made.claude_line(2, "user", "now", session="new")]))
        until(lambda: said(host, "claude-code:new") == ["now"])
        assert said(host) == []
        until(lambda: host.ask("capture.status").failures == ())
    finally:
        other.close()
        host.stop()
