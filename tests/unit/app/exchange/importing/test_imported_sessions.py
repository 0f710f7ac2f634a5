"""Imports of conversations are undone as one: of every format, also where messages were added to what was there."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import StaleError
from app.host import Host


def said(host: Host) -> dict[str, list[str]]:
    return {
        session.id: [message.content for message in host.ask("session.messages", session=session.id)]
        for session in host.ask("session.list")
    }


def claude_code(path: Path, *texts: str) -> Path:
    lines = [
        {
            "type": "user",
            "sessionId": "walk",
            "uuid": f"u{number}",
            "timestamp": f"2026-03-01T10:00:{number:02}Z",
            "message": {"role": "user", "content": text},
        }
        for number, text in enumerate(texts)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def chatgpt(path: Path, *texts: str) -> Path:
    mapping: dict[str, Any] = {"root": {"id": "root", "parent": None, "children": ["0"], "message": None}}
    for number, text in enumerate(texts):
        mapping[str(number)] = {
            "id": str(number),
            "parent": str(number - 1) if number else "root",
            "children": [str(number + 1)] if number + 1 < len(texts) else [],
            "message": {
                "id": f"m{number}",
                "author": {"role": "user"},
                "create_time": 1_700_000_000 + number,
                "content": {"content_type": "text", "parts": [text]},
            },
        }
    talk = {"id": "walk", "title": "Walk", "create_time": 1_700_000_000, "mapping": mapping}
    talk["current_node"] = str(len(texts) - 1)
    path.write_text(json.dumps([talk]), encoding="utf-8")
    return path


@pytest.fixture(params=[claude_code, chatgpt])
def export(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    suffix = "walk.jsonl" if request.param is claude_code else "conversations.json"
    return lambda *texts: request.param(tmp_path / suffix, *texts)


def take_in(host: Host, path: Path) -> Any:
    return host.ask("exchange.import", path=str(path))


def test_an_import_names_its_run_and_is_undone_as_one(host: Host, export: Any) -> None:
    report = take_in(host, export("To the mill.", "And back."))
    assert (report.sessions, report.messages, bool(report.run_id)) == (1, 2, True)
    assert host.ask("history.step").act.id == report.run_id
    assert said(host) == {}
    host.ask("history.step", step="redo")
    assert list(said(host).values()) == [["To the mill.", "And back."]]


def test_of_a_conversation_that_was_there_only_the_new_messages_go(host: Host, export: Any) -> None:
    take_in(host, export("To the mill."))
    second = take_in(host, export("To the mill.", "And back."))
    assert second.run_id
    host.ask("history.undo", id=second.run_id)
    assert list(said(host).values()) == [["To the mill."]]
    host.ask("history.undo", id=f"undo:{second.run_id}")
    assert list(said(host).values()) == [["To the mill.", "And back."]]
    host.ask("history.undo", id=second.run_id)
    assert list(said(host).values()) == [["To the mill."]]
    again = take_in(host, export("To the mill.", "And back."))
    assert (again.messages > 0, list(said(host).values())) == (True, [["To the mill.", "And back."]])
    host.ask("history.undo", id=again.run_id)
    assert list(said(host).values()) == [["To the mill."]]


def test_importing_again_brings_back_what_was_undone(host: Host, export: Any) -> None:
    first = take_in(host, export("To the mill.", "And back."))
    host.ask("memory.undo", run_id=first.run_id)
    again = take_in(host, export("To the mill.", "And back."))
    assert list(said(host).values()) == [["To the mill.", "And back."]]
    host.ask("memory.undo", run_id=again.run_id)
    assert said(host) == {}


def test_a_conversation_that_went_on_or_got_a_title_stays(host: Host, export: Any) -> None:
    report = take_in(host, export("To the mill."))
    (session,) = said(host)
    host.ask("session.append", session=session, messages=[{"role": "user", "content": "I was there."}])
    with pytest.raises(StaleError, match="went on since"):
        host.ask("history.undo", id=report.run_id)
    assert said(host)[session] == ["To the mill.", "I was there."]


def test_a_conversation_that_was_renamed_stays_until_that_is_undone(host: Host, export: Any) -> None:
    report = take_in(host, export("To the mill."))
    (session,) = said(host)
    host.ask("session.rename", session=session, title="The mill")
    with pytest.raises(StaleError, match="Undo this first: Renamed the conversation ‘The mill’"):
        host.ask("history.undo", id=report.run_id)
    host.ask("history.step")
    host.ask("history.step")
    assert said(host) == {}


def test_a_deleted_conversation_of_an_import_comes_back_alone(host: Host, export: Any) -> None:
    report = take_in(host, export("To the mill."))
    (session,) = said(host)
    host.ask("session.forget", session=session)
    with pytest.raises(StaleError, match="Undo this first: Deleted the conversation"):
        host.ask("history.undo", id=report.run_id)
    host.ask("history.step")
    assert list(said(host)) == [session]
