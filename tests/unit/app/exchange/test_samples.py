import json
import tarfile
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.errors import FormatError
from app.exchange.exporting.exporters import MarkdownExporter
from app.exchange.formats.detect import detect
from app.exchange.formats.known_formats import SPECS
from app.exchange.formats.markdown import read
from app.memories.foreign_record import MemoryRecord
from app.memories.model import Memory
from tests.unit.app.exchange.reading import contents, messages, only, problems, records, sessions

NOW = datetime(2024, 1, 31, tzinfo=UTC)
DAMAGED = {"everything-chatgpt/sample/conversations.json"}


def place(path: Path) -> str:
    return "/".join(path.parts[-3:])


@pytest.mark.parametrize("folder", ["chatgpt", "claude", "multi", "slack"])
def test_every_export_goes_in_or_is_refused_with_a_sentence(shared_data: Path, folder: str) -> None:
    for path in sorted((shared_data / "chat-exports" / folder).rglob("*.*")):
        if not path.is_file():
            continue
        try:
            name = detect(path)
        except FormatError:
            continue
        found = records(SPECS[name].read, path)
        if place(path) in DAMAGED:
            assert [problem.lost for problem in problems(found)] == [True]
        else:
            assert contents(found), path
            assert sum(problem.lost for problem in problems(found)) <= 1


def test_every_turn_of_a_long_export_goes_in(shared_data: Path) -> None:
    path = shared_data / "chat-exports/chatgpt/chatgpt2graph/examples/conversations.json"
    found = records(SPECS["chatgpt"].read, path)
    assert (len(sessions(found)), len(messages(found)), len(problems(found))) == (1, 42, 0)
    assert {record.message.role for record in messages(found)} == {"user", "assistant", "tool"}


@pytest.mark.parametrize("name", ["kepano-obsidian", "logseq-docs", "nikita-knowledge", "knowledge-garden-zh"])
def test_a_real_vault_comes_back_byte_for_byte(shared_data: Path, tmp_path: Path, name: str) -> None:
    with tarfile.open(shared_data / "vaults" / f"{name}.tar.gz") as archive:
        archive.extractall(tmp_path / "in", filter="data")
    # A canvas becomes a note that no Markdown file holds.
    found = [one for one in only(records(read, tmp_path / "in"), MemoryRecord) if "path" in one.attributes]
    found = [one for one in found if "markup" not in one.attributes]  # Org becomes Markdown
    exporter = MarkdownExporter(tmp_path / "out")
    for record in found:
        exporter.write([_stored(record)])
    exporter.finish()
    kept = Counter(file.read_bytes() for file in (tmp_path / "out" / "notes").rglob("*") if file.is_file())
    assert kept == Counter((tmp_path / "in" / str(record.attributes["path"])).read_bytes() for record in found)


def _stored(record: MemoryRecord) -> Memory:
    return Memory(
        id="note-1",
        kind="note",
        title=" ".join(record.title.split()),
        content=record.content,
        store="private",
        source="import:markdown",
        created_at=NOW,
        updated_at=NOW,
        tags=record.tags,
        attributes=record.attributes,
    )


def test_bad_front_matter_and_bad_text_lose_nothing(shared_data: Path) -> None:
    folder = shared_data / "bad-inputs"
    found = {str(record.attributes["path"]): record for record in only(records(read, folder), MemoryRecord)}
    for key, record in found.items():
        raw = str(record.attributes.get("front_matter", ""))
        source = (folder / key).read_bytes().decode()
        assert raw + record.content == source.replace("\r\n", "\n")


def test_invalid_utf8_is_repaired_and_reported(shared_data: Path, tmp_path: Path) -> None:
    for source in (shared_data / "bad-inputs" / "utf8-invalid" / "artifacts").glob("*.txt"):
        (tmp_path / f"{source.stem}.md").write_bytes(source.read_bytes())
    found = records(read, tmp_path)
    assert len(contents(found)) == len(list(tmp_path.iterdir()))
    assert problems(found)
    assert not any(problem.lost for problem in problems(found))


def test_the_json_torture_set_never_breaks_a_reader(shared_data: Path, tmp_path: Path) -> None:
    with tarfile.open(shared_data / "bad-inputs" / "json-test-suite.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    files = sorted(tmp_path.rglob("*.json"))
    assert files
    for file in files:
        for name in ("chatgpt", "claude", "keepsake"):
            assert not contents(records(SPECS[name].read, file))


def test_the_naughty_strings_survive(blns: list[str], tmp_path: Path) -> None:
    for number, text in enumerate(blns):
        (tmp_path / f"{number}.md").write_text(text, encoding="utf-8", newline="")
    found = {str(record.attributes["path"]): record for record in only(records(read, tmp_path), MemoryRecord)}
    for number, text in enumerate(blns):
        if found[f"{number}.md"].attributes.get("newline") is None:
            assert found[f"{number}.md"].content.encode() == text.encode().removeprefix(b"\xef\xbb\xbf")


def test_samples_of_mem0_go_in(shared_data: Path, tmp_path: Path) -> None:
    samples = json.loads((shared_data / "memory-formats/mem0/extracted_json_samples.json").read_text("utf-8"))
    lists = [
        sample["value"] for sample in samples if isinstance(sample["value"], dict) and sample["value"].get("results")
    ]
    assert len(lists) > 5
    for number, value in enumerate(lists):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(value), "utf-8")
        if not any("memory" in {**one, **(one.get("data") or {})} for one in value["results"]):
            continue
        assert detect(path) == "mem0", value
        expected = sum(bool(one.get("memory") or (one.get("data") or {}).get("memory")) for one in value["results"])
        assert len(only(records(SPECS["mem0"].read, path), MemoryRecord)) == expected


def test_the_sample_of_gemini_s_takeout_goes_in(shared_data: Path) -> None:
    path = shared_data / "chat-exports/multi/knowledgemaxxing/tests/fixtures/MyActivity.json"
    assert detect(path) == "gemini-takeout"
    assert contents(records(SPECS["gemini-takeout"].read, path)) == [
        "what should I read to understand progress studies"
    ]
