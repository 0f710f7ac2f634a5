"""Bad input: public operations work or refuse in words, and the vault stays sound."""

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app.errors import FormatError, InputError, KeepsakeError
from app.host import Host
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.helpers.vaults import make_vault
from tests.integration.arguments import OPERATIONS, TEXTS, Known, known, replaced_texts, sound, wrong

NAMES = sorted(OPERATIONS)


@dataclass(frozen=True)
class FilledVault:
    """A vault that is open, with what is in it."""

    host: Host
    known: Known


@contextmanager
def opened(vault: Path) -> Iterator[Host]:
    host = Host(vault, serve=False)
    host.start()
    yield host
    host.stop()


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    with opened(vault) as host:
        yield host


@pytest.fixture(scope="module")
def vault_of_readers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FilledVault]:
    """Return the vault that all operations share which only read."""
    folder = tmp_path_factory.mktemp("readers")
    make_vault(folder / "vault")
    with opened(folder / "vault") as host:
        yield FilledVault(host, known(host, folder))


@pytest.fixture
def filled(request: pytest.FixtureRequest, name: str, deep_folder: Path, vault_of_readers: FilledVault) -> FilledVault:
    """Return a vault for the operation of a name."""
    if OPERATIONS[name].access == "read":
        return vault_of_readers
    host: Host = request.getfixturevalue("host")
    return FilledVault(host, known(host, deep_folder))


@pytest.fixture
def deep_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a working folder so deep that no text leads out of the test's own."""
    folder = tmp_path / "a" / "b" / "c" / "d" / "e"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def outcome(host: Host, operation: str, arguments: Mapping[str, Any]) -> str:
    """Call an operation; return "works" or the kind of the failure."""
    try:
        host.call(operation, arguments).result()
    except KeepsakeError as error:
        return error.kind if error.message.strip() else "without a word"
    return "works"


def everything(host: Host) -> tuple[int, int]:
    stats = host.ask("memory.stats")
    return stats.messages, stats.memories


@pytest.mark.parametrize("name", NAMES)
def test_any_text_anywhere(filled: FilledVault, allow_logs: AllowLogs, name: str) -> None:
    allow_logs("messages were not stored")  # what is refused after the answer can only be logged
    host, there, operation = filled.host, filled.known, OPERATIONS[name]
    for text in TEXTS:
        for arguments in replaced_texts(operation, there, text):
            kind = outcome(host, name, arguments)
            assert kind in ("works", "input"), (kind, text[:80], [*arguments])
    assert host.ask("vault.check").findings == ()
    assert (
        host.ask("session.messages", session=there.session)[0].content == "first words"
        if name != "session.forget"
        else True
    )


@pytest.mark.parametrize("name", NAMES)
def test_any_value_anywhere(filled: FilledVault, allow_logs: AllowLogs, name: str) -> None:
    allow_logs("messages were not stored")  # what is refused after the answer can only be logged
    host, there, operation = filled.host, filled.known, OPERATIONS[name]
    for arguments in wrong(operation, there):
        kind = outcome(host, name, arguments)
        assert kind in ("works", "input"), (kind, str(arguments)[:200])
    assert host.ask("vault.check").findings == ()


NEGATIVE = [
    (item.name, parameter.name)
    for item in OPERATIONS.values()
    for parameter in item.parameters
    if parameter.name in ("limit", "offset", "n")
]


def test_a_negative_count_is_refused(host: Host, deep_folder: Path) -> None:
    there = known(host, deep_folder)
    for name, parameter in NEGATIVE:
        with pytest.raises(InputError, match=f"['`.]{parameter}['`]"):
            host.call(name, sound(OPERATIONS[name], there) | {parameter: -1}).result()


def test_the_list_of_naughty_strings_goes_in_and_comes_out(host: Host, blns: list[str]) -> None:
    strings = [text for text in blns if text.strip()]
    host.ask("session.append", session="blns", messages=[{"role": "user", "content": text} for text in strings])
    notes = [host.ask("note.save", content=text, title=text[:1000], tags=[text]).id for text in strings]
    stored = [turn.content for turn in host.ask("session.messages", session="blns", limit=len(strings))]
    assert stored == [text.replace("\x00", "\u2400") for text in strings]
    assert [host.ask("note.get", id=key).content for key in notes] == stored
    for text in strings:
        host.ask("memory.search", query=text)
        host.ask("note.resolve", title=text)
        host.ask("session.find", session="blns", text=text)
    assert host.ask("vault.check").findings == ()


QUERIES = (
    '"', '""', "NEAR(", "NEAR(words first, 2)", "*", "col:", "text:words", "words AND", "OR", "NOT words", "(", ")",
    "^words", "words*", "*words", "-", "--words", '-"', "+words", "{words}", "words;", "'words", "\\", "tag:", "kind:",
    'kind:"', "after:", "after:never", "is:", "session:%", "agent:_", "role:'", "tag:* -tag:*",
)  # fmt: skip


def test_what_a_person_types_is_never_syntax(host: Host) -> None:
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "first words"}])
    for query in QUERIES:
        for recipe in ("words", "balanced", "learned"):
            host.ask("memory.search", query=query, recipe=recipe)
            host.ask("memory.search", query=f"words {query}", recipe=recipe)
    assert host.ask("session.find", session="s", text="WORDS") == [1]


def test_very_many_operators_are_refused_or_answered(host: Host) -> None:
    for part in ("tag:a", "-tag:a", "kind:note", "session:a", "is:pinned", "words", '"a b"', "-words", "entity:x"):
        assert outcome(host, "memory.search", {"query": " ".join([part] * 3_000)}) == "works"
    assert outcome(host, "note.ids", {"filter": {"tags": ["a"] * 3_000}}) in ("works", "input")
    assert outcome(host, "note.ids", {"filter": {"text": "word " * 3_000}}) == "works"
    assert outcome(host, "session.ids", {"filter": {"text": "word " * 30_000}}) == "works"
    many = [f"id{number}" for number in range(100_000)]
    assert host.ask("session.rows", ids=many) == host.ask("note.rows", ids=many) == []
    assert outcome(host, "note.delete_many", {"ids": many}) == "works"


# Files --------------------------------------------------------------------------------------------------------------


def chatgpt(count: int) -> str:
    nodes = {
        f"n{number}": {
            "id": f"n{number}",
            "parent": f"n{number - 1}" if number else None,
            "children": [f"n{number + 1}"] if number + 1 < count else [],
            "message": {
                "id": f"n{number}",
                "author": {"role": "user" if number % 2 == 0 else "assistant"},
                "create_time": 1_700_000_000 + number,
                "content": {"content_type": "text", "parts": [f"turn {number} of the talk"]},
            },
        }
        for number in range(count)
    }
    talk = {"title": "Talk", "conversation_id": "c1", "create_time": 1_700_000_000, "current_node": f"n{count - 1}"}
    return json.dumps([talk | {"mapping": nodes}, talk | {"conversation_id": "c2", "mapping": nodes}])


def test_a_truncated_zip(host: Host, tmp_path: Path) -> None:
    whole = tmp_path / "whole.zip"
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", chatgpt(50))
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole.read_bytes()[:-100])
    with pytest.raises(FormatError, match="cut short or damaged"):
        host.ask("exchange.import", path=str(cut))
    assert everything(host) == (0, 0)
    assert host.ask("exchange.import", path=str(whole)).messages == 100


def test_json_cut_in_the_middle(host: Host, tmp_path: Path) -> None:
    text = chatgpt(50)
    (tmp_path / "conversations.json").write_text(text[: len(text) * 3 // 4])
    report = host.ask("exchange.import", path=str(tmp_path / "conversations.json"))
    assert report.messages == 50
    assert report.problem_count
    (tmp_path / "conversations.json").write_text(text)
    report = host.ask("exchange.import", path=str(tmp_path / "conversations.json"))
    assert (report.messages, report.unchanged) == (50, 50)
    assert host.ask("vault.check").findings == ()


def lines(*records: Mapping[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_a_message_of_100_megabytes(host: Host, tmp_path: Path) -> None:
    big = "word " * (20 << 20)
    file = tmp_path / "big.jsonl"
    file.write_text(
        lines({"session": "s", "role": "user", "content": big}, {"session": "s", "role": "user", "content": "after"})
    )
    report = host.ask("exchange.import", path=str(file))
    assert (report.messages, report.problem_count) == (2, 0)
    assert [len(turn.content) for turn in host.ask("session.messages", session="s")] == [100 << 20, 5]
    assert host.ask("memory.search", query="word").hits[0].seq == 1
    assert host.ask("vault.check").findings == ()


def test_characters_that_cannot_be_stored(host: Host, tmp_path: Path) -> None:
    file = tmp_path / "odd.jsonl"
    turn = {
        "session": "s",
        "role": "user",
        "content": "nul \x00 half \ud83d end",
        "payload": {"x\x00": ["\udcff", float("nan")]},
    }
    file.write_text(lines(turn))
    report = host.ask("exchange.import", path=str(file))
    assert report.messages == 1
    assert host.ask("session.messages", session="s")[0].content == "nul \u2400 half \ufffd end"
    again = host.ask("exchange.import", path=str(file))
    assert (again.messages, again.unchanged) == (0, 1)


def test_numbers_repeated_and_going_back(host: Host, tmp_path: Path) -> None:
    file = tmp_path / "numbers.jsonl"
    turns = [
        {"session": "s", "role": "user", "seq": seq, "content": f"turn {place}"}
        for place, seq in enumerate((1, 2, 2, 1, 9, 3, 1 << 53, 10**30, -4))
    ]
    file.write_text(lines(*turns))
    report = host.ask("exchange.import", path=str(file))
    stored = host.ask("session.messages", session="s")
    lost = sum(problem.lost for problem in report.problems)
    assert len(stored) + lost == len(turns)
    assert [turn.seq for turn in stored] == sorted({turn.seq for turn in stored})
    assert report.problem_count
    before = everything(host)
    again = host.ask("exchange.import", path=str(file))
    assert again.messages == 0
    assert everything(host) == before
    assert host.ask("vault.check").findings == ()


def test_a_folder_of_bad_notes(host: Host, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "utf16.md").write_bytes("# Größe\nviele Wörter".encode("utf-16"))
    (folder / "front.md").write_text("---\n: [not yaml\n\t- at all\n---\nthe text stays\n")
    (folder / "long.md").write_text("[[" + "l" * 10_000 + "]] #" + "t" * 10_000 + "\n")
    (folder / "nul.md").write_bytes(b"before \x00 after")
    (folder / "binary.md").write_bytes(bytes(range(256)) * 8)
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "nothing.md").symlink_to(folder / "missing.md")
    (folder / "empty.md").write_text("")
    report = host.ask("exchange.import", path=str(folder))
    assert report.problem_count
    assert all(problem.what.strip() for problem in report.problems)
    contents = {row.title: host.ask("note.get", id=row.id).content for row in host.ask("note.list")}
    assert "viele Wörter" in contents["utf16"] or "viele Wörter" in contents.get("Größe", "")
    assert "the text stays" in contents["front"]
    assert len(contents["long"]) > 20_000
    assert host.ask("memory.search", query="viele").hits
    assert host.ask("exchange.import", path=str(folder)).memories == 0
    assert host.ask("vault.check").findings == ()


def test_a_conversation_with_a_forgotten_name_is_not_brought_back(host: Host, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text(lines({"session": "s", "role": "user", "content": "taken out"}))
    host.ask("exchange.import", path=str(file))
    host.ask("session.forget", session="s")
    assert host.ask("exchange.import", path=str(file)).messages == 0
    assert host.ask("memory.search", query="taken").hits == ()
