"""``keepsake hook`` and ``keepsake capture`` against a running host, as an agent's client calls them."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from app.rpc.hostfile import FILE
from tests.helpers import transcripts as made
from tests.helpers.sample_data import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sockets of Unix")

LIMIT_S = 60
SESSION = f"claude-code:{made.CLAUDE_SESSION}"
Done = subprocess.CompletedProcess[bytes]
Run = Callable[..., Done]


@pytest.fixture
def serving(vault: Path) -> Iterator[Host]:
    host = Host(vault)
    host.start()
    yield host
    host.stop()


@pytest.fixture
def run(vault: Path) -> Run:
    def keepsake(*arguments: str, given: bytes = b"", token: str = "") -> Done:
        environment = {**os.environ, "KEEPSAKE_VAULT": str(vault), "PYTHONPATH": str(ROOT), "KEEPSAKE_TOKEN": token}
        command = [sys.executable, "-m", "app", *arguments]
        return subprocess.run(
            command, input=given, capture_output=True, timeout=LIMIT_S, env=environment, cwd=vault, check=False
        )

    return keepsake


def called(path: Path, event: str = "Stop", **more: Any) -> bytes:
    given = {"session_id": made.CLAUDE_SESSION, "transcript_path": str(path), "cwd": "/home/alice/garden"}
    return json.dumps({**given, "hook_event_name": event, "stop_hook_active": False, **more}).encode()


def transcript(folder: Path, events: list[dict[str, Any]] | None = None) -> Path:
    path = folder / f"{made.CLAUDE_SESSION}.jsonl"
    path.write_bytes(made.lines(made.claude_events() if events is None else events))
    return path


def said(host: Host, session: str = SESSION) -> list[str]:
    messages: list[Any] = host.ask("session.messages", session=session, limit=1000)
    return [message.content for message in messages]


BAD_INPUT = [
    b"",
    b"garbage",
    b"[]",
    b'"text"',
    b"{}",
    b"\xff\xfe",
    b'{"a":' * 5000,
    b'{"transcript_path": 3, "prompt": []}',
    b'{"transcript_path": "/does/not/exist.jsonl"}',
    b'{"transcript_path": "/tmp"}',
    b'{"transcript_path": "\\u0000"}',
]


@pytest.mark.parametrize("given", BAD_INPUT)
@pytest.mark.parametrize("event", ["stop", "pre-compact", "prompt"])
def test_bad_input_never_fails_the_agent(serving: Host, run: Run, event: str, given: bytes) -> None:
    done = run("hook", event, given=given)
    assert (done.returncode, done.stdout) == (0, b"")
    assert event == "prompt" or done.stderr.startswith(b"keepsake hook: ")


@pytest.mark.parametrize(
    "host_file", [None, b"{", b"[]", b'{"socket": "/nowhere", "port": 0, "token": "x"}', b'{"socket": 3}']
)
def test_without_a_host_the_agent_goes_on(vault: Path, run: Run, tmp_path: Path, host_file: bytes | None) -> None:
    if host_file is not None:
        (vault / FILE).write_bytes(host_file)
    for event in ("session-start", "prompt", "stop", "pre-compact"):
        done = run("hook", event, given=called(transcript(tmp_path), prompt="When?"))
        assert (done.returncode, done.stdout) == (0, b"")
        assert b"not running" in done.stderr


def test_a_host_file_that_is_a_link_or_pipe_is_not_followed(vault: Path, run: Run, tmp_path: Path) -> None:
    os.mkfifo(vault / FILE)
    done = run("hook", "prompt", given=called(tmp_path, prompt="When?"))
    assert (done.returncode, done.stdout) == (0, b"")


def test_stop_takes_in_only_what_is_new(serving: Host, run: Run, tmp_path: Path) -> None:
    events = made.claude_events()
    path = transcript(tmp_path, events[:8])
    with path.open("ab") as file:
        file.write(made.lines(events[8:9])[:-30])  # the client is still writing this line

    assert run("hook", "stop", given=called(path)).stderr == b""
    first = said(serving)
    path.write_bytes(made.lines(events))
    for event in ("stop", "pre-compact", "stop"):
        assert run("hook", event, given=called(path)).returncode == 0

    whole = said(serving)
    assert whole[: len(first)] == first
    assert len(whole) + len(said(serving, f"{SESSION}:af1ff21")) == made.CLAUDE_MESSAGES
    assert whole.count("ok") == 2  # said twice, not stored twice
    assert serving.ask("exchange.import", path=str(path)).messages == 0


def test_an_import_before_or_between_doubles_nothing(serving: Host, run: Run, tmp_path: Path) -> None:
    events = made.claude_events()
    path = transcript(tmp_path, events[:8])
    serving.ask("exchange.import", path=str(path))
    run("hook", "stop", given=called(path))
    path.write_bytes(made.lines(events))
    serving.ask("exchange.import", path=str(path))
    run("hook", "stop", given=called(path))
    assert len(said(serving)) == made.CLAUDE_MESSAGES - 1


def test_a_transcript_that_was_cut_or_replaced_is_read_again_without_doubles(
    serving: Host, run: Run, tmp_path: Path
) -> None:
    path = transcript(tmp_path)
    run("hook", "stop", given=called(path))
    before = said(serving)
    path.write_bytes(made.lines([*made.claude_events()[3:6], made.claude_line(99, "user", "After the cut")]))
    run("hook", "stop", given=called(path))
    assert said(serving) == [*before, "After the cut"]


def test_what_a_hook_told_is_recognised_in_the_transcript_and_not_stored_again(
    serving: Host, run: Run, tmp_path: Path
) -> None:
    serving.ask("note.save", content="The tomatoes are watered at six every morning", title="Watering")
    answer = json.loads(
        run("hook", "prompt", given=called(tmp_path / "t", "UserPromptSubmit", prompt="tomatoes?")).stdout
    )
    output = answer["hookSpecificOutput"]
    assert output["hookEventName"] == "UserPromptSubmit"
    recalled = output["additionalContext"]
    assert "watered at six" in recalled
    events = [
        made.claude_line(1, "user", f"tomatoes?\n\n{recalled}"),
        made.claude_line(2, "user", f"<system-reminder>\n{recalled}\n</system-reminder>", isMeta=True),
        made.claude_line(
            3,
            "assistant",
            [{"type": "tool_use", "id": "t1", "name": "mcp__keepsake__memory_search", "input": {"query": "tomatoes"}}],
        ),
        made.claude_line(
            4,
            "user",
            [{"type": "tool_result", "tool_use_id": "t1", "content": "The tomatoes are watered at six every morning"}],
        ),
        made.claude_line(5, "assistant", "At six."),
    ]
    run("hook", "stop", given=called(transcript(tmp_path, events)))

    stored = said(serving)
    assert stored[0] == "tomatoes?"
    assert not any("watered at six" in text for text in stored)
    assert stored[-1] == "At six."
    assert serving.ask("capture.status").recalled == 3


def test_secrets_in_a_transcript_are_not_stored_in_clear(serving: Host, run: Run, tmp_path: Path) -> None:
    secret = "ghp" + "_" + "a8Kx2mQ9vB4nZ7tY1cR6wE3uI5oP0sLdFgHj"
    events = [
        made.claude_line(1, "user", f"Use {secret} for it"),
        made.claude_line(
            2, "assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": f"curl -H {secret}"}}]
        ),
        made.claude_line(
            3, "user", [{"type": "tool_result", "tool_use_id": "t", "content": f"PASSWORD=hunter2hunter {secret}"}]
        ),
    ]
    run("hook", "stop", given=called(transcript(tmp_path, events)))
    assert said(serving)[0] == "Use [secret: GitHub token] for it"
    assert serving.ask("capture.status").secrets == 4
    serving.stop()
    for file in serving.vault.rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes()


def test_an_agent_below_full_trust_gets_conversations_of_its_own_only(serving: Host, run: Run, tmp_path: Path) -> None:
    token = serving.ask("agent.add", name="coder", trust="inner").token
    low = serving.ask("agent.add", name="guest", trust="familiar").token
    path = transcript(tmp_path)
    assert b"needs inner trust" in run("hook", "stop", given=called(path), token=low).stderr
    assert run("hook", "stop", given=called(path), token=token).stderr == b""
    assert serving.ask("session.get", session=SESSION).agent == "coder"

    other = tmp_path / "other"
    other.mkdir()
    mine = transcript(other, [made.claude_line(50, "user", "planted", session="theirs")])
    serving.ask(
        "session.append",
        messages=[{"role": "user", "content": "mine"}],
        session="claude-code:theirs",
        agent="Claude Code",
    )
    run("hook", "stop", given=called(mine), token=token)
    assert said(serving, "claude-code:theirs") == ["mine"]
    assert run("hook", "stop", given=called(path), token="kst_wrong").returncode == 0


def test_a_conversation_that_the_person_forgot_stays_forgotten(serving: Host, run: Run, tmp_path: Path) -> None:
    path = transcript(tmp_path)
    run("hook", "stop", given=called(path))
    serving.ask("session.forget", session=SESSION)
    with path.open("ab") as file:
        file.write(made.lines([made.claude_line(70, "user", "one more")]))
    assert run("hook", "stop", given=called(path)).returncode == 0
    assert SESSION not in {session.id for session in serving.ask("session.list")}


def start(run: Run, place: Path, *arguments: str, **fields: Any) -> str:
    """Return what a hook tells as a session starts in a folder, ``""`` for nothing."""
    given = called(place / "t.jsonl", "SessionStart", source="startup", **fields)
    answer = run("hook", "session-start", *arguments, given=given).stdout
    return str(json.loads(answer)["hookSpecificOutput"]["additionalContext"]) if answer else ""


def test_session_start_answers_within_its_budget(serving: Host, run: Run, tmp_path: Path) -> None:
    for number in range(30):
        note = serving.ask("note.save", content=f"garden fact {number} " + "words " * 60, title=f"Garden {number}")
        serving.ask("note.update", id=note.id, version=note.version, pinned=True)
    large = start(run, tmp_path)
    small = start(run, tmp_path, "--max-tokens", "200")
    assert 0 < len(small) < len(large) < 6_000


def test_a_session_starts_with_what_is_known_of_its_folder(serving: Host, run: Run, tmp_path: Path) -> None:
    serving.ask("note.save", content="The newest note, about a gym.")
    assert start(run, tmp_path, cwd="/home/me/shop") == ""
    for number, folder in enumerate(("/home/me/shop", "/home/me/shop/web/", "/home/me/shopping", "/home/me")):
        line = made.claude_line(number, "user", f"Pear {number} is sold here.", session=f"chat-{number}", cwd=folder)
        path = tmp_path / f"chat-{number}.jsonl"
        path.write_bytes(made.lines([line]))
        run("hook", "stop", given=called(path))
        chat = f"claude-code:chat-{number}"
        serving.ask("session.digest.roll", session=chat)
        serving.ask("memory.write", content=f"Decision {number}.", session=chat)
    fact = serving.ask("fact.remember", content="I write British English.").memory.id
    serving.ask("fact.confirm", id=fact)
    text = start(run, tmp_path, cwd="/home/me/shop/")
    assert [f"Decision {number}." in text for number in range(4)] == [True, True, False, False]
    assert [f"Pear {number} is sold" in text for number in range(4)] == [True, True, False, False]
    assert text.index("Decision 0.") < text.index("I write British English.")
    assert "gym" not in text
    other_text = start(run, tmp_path, cwd="/elsewhere")
    assert "I write British English." in other_text
    assert "Decision" not in other_text
    inner = str(serving.ask("agent.add", name="guest", trust="inner").token)
    given = called(tmp_path / "t.jsonl", "SessionStart", cwd="/home/me/shop")
    assert run("hook", "session-start", given=given, token=inner).stdout == b""


def test_capture_saves_a_note_or_a_turn(serving: Host, run: Run) -> None:
    note = run("capture", "Beans are sown in May", "--tag", "garden", "--title=Beans").stdout.decode().strip()
    piped = run("capture", given="Ünïcödé\n".encode()).stdout.decode().strip()
    turn = run("capture", "--session", "walk", "I saw a heron").stdout.decode().strip()
    assert serving.ask("note.get", id=note).title == "Beans"
    assert serving.ask("note.get", id=piped).content.strip() == "Ünïcödé"
    assert (turn, said(serving, "walk")) == ("walk#1", ["I saw a heron"])


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("capture", " "), 65, b"empty"),
        (("capture", "a", "b"), 2, b"argument"),
        (("capture", "--store", "secret", "x"), 65, b"store"),
        (("capture", "--nonsense"), 2, b"option"),
        (("hook",), 2, b"EVENT"),
        (("hook", "never"), 2, b"session-start"),
    ],
)
def test_wrong_usage_is_answered_by_the_full_command_line(
    serving: Host, run: Run, arguments: tuple[str, ...], status: int, words: bytes
) -> None:
    done = run(*arguments)
    assert done.returncode == status
    assert words.lower() in done.stderr.lower()
