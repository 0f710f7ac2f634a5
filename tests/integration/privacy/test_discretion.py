"""Privacy of the trace, the logs and the messages of failures."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import inspect

from app.api.catalogue import declared
from app.api.operation import Operation
from app.errors import KeepsakeError
from app.host import Host
from app.rpc.client import Client
from app.trace.trace import HIDDEN
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.helpers.logged_output import KEY, texts_of, trace_of

CONTENT = "Zyxhold-Wunderkammer"
PLANTS = (CONTENT, "Wunderkammer", KEY, "QuuxPassphrase")
# What names a thing rather than says something; a failure may repeat it.
IDS = {
    "about", "agent", "around", "channel", "id", "ids", "into", "job", "memories", "memory", "messages_of", "name",
    "run_id", "schedule", "session", "sessions", "subject", "target", "template",
}  # fmt: skip
SECONDS = 60.0


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")  # plants are taken for paths, too
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "config.toml").write_text(f"[embedding]\nfolder = '{CONTENT}'\n[search]\nlimit = '{KEY}'\n")
    opened = Host(tmp_path / "vault", overrides={"backup.daily": False})
    opened.start()
    yield opened
    opened.stop()


def value_of(kind: inspect.Type, name: str, text: str) -> Any:
    """Return a value of ``kind`` that says ``text`` wherever it can say something."""
    if isinstance(kind, inspect.UnionType):
        kind = next(kind for kind in kind.types if not isinstance(kind, inspect.NoneType))
    if isinstance(kind, inspect.DataclassType | inspect.StructType):
        return {field.encode_name: value_of(field.type, field.encode_name, text) for field in kind.fields}
    if isinstance(kind, inspect.TupleType):
        return [value_of(item, name, text) for item in kind.item_types]
    if isinstance(kind, inspect.CollectionType):
        return [value_of(kind.item_type, name, text)]
    if isinstance(kind, inspect.LiteralType):
        return kind.values[0]
    plain: dict[type, Any] = {
        inspect.StrType: "ses-none" if is_id(name) else text,
        inspect.DictType: {text: text},
        inspect.AnyType: text,
        inspect.IntType: 1,
        inspect.FloatType: 0.5,
        inspect.BoolType: True,
    }
    return plain.get(type(kind), "2026-05-01T00:00:00Z")


def is_id(name: str) -> bool:
    return name in IDS or name.endswith(("_id", "_ids"))


def arguments_of(operation: Operation, folder: Path) -> Iterator[dict[str, Any]]:
    """Yield sound and faulty arguments that contain the marked texts."""
    fields = inspect.type_info(operation.arguments).fields  # type: ignore[attr-defined]
    every = {field.encode_name: value_of(field.type, field.encode_name, f"{CONTENT} {KEY}") for field in fields}
    if "path" in every:
        every["path"] = str(folder / "missing")
    yield every
    required = {field.encode_name: every[field.encode_name] for field in fields if field.required}
    yield required
    for field in fields:
        name = field.encode_name
        bad: list[Any] = [{CONTENT: [KEY]}, [CONTENT, 3, {KEY: KEY}], 1 << 80]
        if not is_id(name):
            bad += [f"{CONTENT} {KEY}", f"{KEY}\x00\ud800{CONTENT}", CONTENT * 3_000]
        yield from ({**required, name: value} for value in bad)


def planted(text: str) -> list[str]:
    return [line for line in text.splitlines() if any(plant in line for plant in PLANTS)]


def said_by(host: Host, operation: str, arguments: dict[str, Any], failed: list[str]) -> list[str]:
    """Return what a call tells of the plants if it fails; note that in ``failed``."""
    try:
        host.call(operation, arguments).result(SECONDS)
    except KeepsakeError as error:
        failed.append(operation)
        return [f"{operation}: {line}" for line in planted(texts_of(error))]
    return []


def broken_files(folder: Path) -> Iterator[Path]:
    """Write imports with the plants in the line that is wrong."""
    for name, text in {
        "lines.jsonl": f'{{"type":"note","content":"{CONTENT} {KEY}", oops\n{{"{CONTENT}": 1}}\n',
        "conversations.json": f'[{{"title":"{CONTENT}","mapping":"{KEY}"}}, {CONTENT}',
        "claude.json": f'[{{"uuid":"1","name":"{CONTENT}","chat_messages":["{KEY}", {CONTENT}]}}]',
        "note.md": f"---\ntitle: [ {CONTENT}\n  {KEY}: - :\n---\n{CONTENT}",
        "archive.zip": f"PK\x03\x04{CONTENT}",
    }.items():
        (folder / name).write_text(text)
        yield folder / name


def test_failures_logs_and_trace_hold_nothing(
    host: Host, log: io.StringIO, tmp_path: Path, allow_logs: AllowLogs
) -> None:
    allow_logs("messages were not stored")
    turn = {"role": "user", "content": f"{CONTENT} said {KEY}", "author": CONTENT, "tool_calls": [{"name": CONTENT}]}
    host.ask("session.append", session="talk", messages=[turn], title=CONTENT)
    note = host.ask("note.save", content=f"{CONTENT} [[{CONTENT}]] {KEY}", title=CONTENT, tags=[CONTENT[:20]])
    said: list[str] = []
    failed: list[str] = []
    # Encryption last: an encrypted vault is exported on request only, and the paths below exist because it was.
    for operation in sorted(declared(), key=lambda one: one.name.startswith("encryption.")):
        for arguments in arguments_of(operation, tmp_path):
            said += said_by(host, operation.name, arguments, failed)
    for text in (CONTENT, f'"{CONTENT}" tag:{CONTENT[:20]} -{KEY}', f"after:{CONTENT}", f"{KEY}*", '"' + CONTENT):
        for recipe in ("learned", "weighted", "vector", "words"):
            said += said_by(host, "memory.search", {"query": text, "recipe": recipe}, failed)
    said += said_by(host, "note.update", {"id": note.id, "version": 99, "content": CONTENT, "title": KEY}, failed)
    said += said_by(host, "session.append", {"session": "talk", "messages": [{**turn, "seq": 1}]}, failed)
    folder = tmp_path / "imports"
    folder.mkdir()
    for path in [*broken_files(folder), folder]:
        for form in ("auto", "keepsake", "chatgpt", "claude", "markdown"):
            said += said_by(host, "exchange.import", {"path": str(path), "format": form}, failed)
    with Client.connect(host.vault) as client:
        client.call("vault.status", {})
    host.stop()
    assert len(failed) > 500
    assert said == []
    assert planted(log.getvalue()) == []
    assert planted(trace_of(tmp_path / "vault")) == []
    events = [json.loads(line) for line in trace_of(tmp_path / "vault").splitlines()]
    expected = {"call", "store.write", "search", "search.fallback", "index.failed", "store.migration", "socket.opened"}
    assert expected <= {event["event"] for event in events}
    assert [event for event in events if HIDDEN in event.values()] == [], "a fact is no name, or its field not in NAMES"


def test_other_programs_learn_nothing_either(host: Host, log: io.StringIO, tmp_path: Path) -> None:
    received: list[str] = []
    with Client.connect(host.vault) as client:
        for operation, arguments in (
            (f"{CONTENT}", {}),
            ("note.save", {"content": [CONTENT], CONTENT: KEY}),
            ("note.save", {"content": f"{CONTENT}\ud800".encode("utf-8", "replace").decode(), "store": CONTENT}),
            ("settings.set", {"name": "embedding.base_url", "value": f"https://me:{KEY}@example.org"}),
            ("settings.set", {"name": f"{CONTENT}.{KEY}", "value": KEY}),
            ("exchange.import", {"path": "", "format": CONTENT}),
        ):
            try:
                client.call(operation, arguments)
            except KeepsakeError as error:
                received += [] if operation == CONTENT else planted(ascii(error.as_dict()))
            else:
                received.append(f"{operation} was accepted")
    host.stop()
    assert received == []
    assert planted(log.getvalue()) == []
    assert planted(trace_of(tmp_path / "vault")) == []
