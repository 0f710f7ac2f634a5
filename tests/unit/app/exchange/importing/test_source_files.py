import json
import os
import zipfile
from pathlib import Path

import pytest

from app.errors import FormatError, MachineError, NotFoundError
from app.exchange.formats.assistants import chatgpt
from app.exchange.importing import source_files
from app.exchange.importing.source_files import readable
from tests.unit.app.exchange.reading import chatgpt_talk, contents, never, problems, records, write_zip


def export(tmp_path: Path, count: int = 3) -> Path:
    data = json.dumps([chatgpt_talk(f"c{number}", "Hi", os.urandom(500).hex()) for number in range(count)]).encode()
    return write_zip(tmp_path / "export.zip", {"conversations.json": data})


def test_a_truncated_zip_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = export(tmp_path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FormatError, match="not a complete zip"):
        list(chatgpt.read(path, never))


def test_a_damaged_zip_gives_what_comes_before_the_damage(tmp_path: Path) -> None:
    path = export(tmp_path, 2000)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 20] = b"\xff" * 20
    path.write_bytes(data)
    found = records(chatgpt.read, path)
    assert 100 < len(contents(found)) < 4000
    assert any(problem.lost and "damaged" in problem.what for problem in problems(found))


def test_an_encrypted_zip_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = export(tmp_path)
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    data[data.index(b"PK\x03\x04") + 6] |= 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match="password"):
        list(chatgpt.read(path, never))


def test_a_zip_bomb_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_files, "MAX_SUSPICIOUS_BYTES", 1 << 20)
    path = write_zip(tmp_path / "bomb.zip", {"conversations.json": b"[" + b" " * (4 << 20) + b"]"})
    with pytest.raises(FormatError, match="swell"):
        list(chatgpt.read(path, never))


def test_nothing_is_unpacked_to_disk(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../conversations.json", json.dumps([chatgpt_talk("c", "Hi")]))
    before = sorted(tmp_path.parent.rglob("conversations.json"))
    assert contents(records(chatgpt.read, path)) == ["Hi"]
    assert sorted(tmp_path.parent.rglob("conversations.json")) == before


def test_nothing_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        list(chatgpt.read(tmp_path / "none.json", never))


def test_a_refusal_of_the_system_is_the_machines(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"x\.json could not be read"), readable(tmp_path / "x.json"):
        (tmp_path / "x.json").read_bytes()
