"""Export of everything into an encrypted file, and its import into another vault."""

import base64
import json
import os
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.encryption.segments import ENCRYPTED_SEGMENT
from app.errors import (
    CancelledByPersonError,
    DiskFullError,
    FormatError,
    InputError,
    MachineError,
    WrongPassphraseError,
)
from app.exchange.exporting.encrypted_exporter import EncryptedExporter
from app.exchange.formats.detect import detect
from app.host import Host
from tests.helpers.disks import SmallDisk
from tests.helpers.encryption import PASSPHRASE, files_with
from tests.unit.app.exchange.exporting.test_exporters import exported, session, turn

NEEDLE = "Zanzibarian"
FILES = 12


@pytest.fixture
def filled(vault: Path) -> Iterator[Host]:
    host = Host(vault, serve=False, overrides={"index.vectors": False})
    host.start()
    words = random.Random(7)
    for number in range(40):  # what cannot be packed, so that the file has many segments
        text = f"{NEEDLE} {number} " + base64.b64encode(words.randbytes(12_000)).decode()
        host.ask("session.append", session=f"s{number}", messages=[{"role": "user", "content": text}])
    for number in range(FILES):
        data = base64.b64encode(f"{NEEDLE} file {number} ".encode() + words.randbytes(20_000).hex().encode()).decode()
        link = host.ask("attachment.add", name=f"{NEEDLE}-{number}.txt", data=data).link
        host.ask("note.save", title=f"Note {number}", content=f"See [file]({link}).")
    yield host
    host.stop()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path / "other", serve=False, overrides={"index.vectors": False, "backup.before_import": False})
    host.start()
    yield host
    host.stop()


def export(host: Host, path: Path, passphrase: str = PASSPHRASE, **options: Any) -> Any:
    return host.ask("exchange.export", path=str(path), format="encrypted", passphrase=passphrase, **options)


def bring_in(host: Host, path: Path, passphrase: str = PASSPHRASE) -> Any:
    return host.ask("exchange.import", path=str(path), passphrase=passphrase)


def test_everything_comes_back_with_the_attachments(filled: Host, other: Host, tmp_path: Path) -> None:
    file = tmp_path / "out" / "all.keepsake"
    file.parent.mkdir()
    report = export(filled, file)
    assert (report.format, report.sessions, report.messages, report.memories) == ("encrypted", 40, 40, FILES)
    assert report.bytes == file.stat().st_size
    assert files_with(file.parent, NEEDLE) == []
    assert [path.name for path in file.parent.iterdir()] == ["all.keepsake"]
    assert file.stat().st_mode & 0o777 == 0o600
    assert detect(file) == "encrypted"
    done = bring_in(other, file)
    assert (done.format, done.sessions, done.memories, done.attachments, done.problems) == (
        "encrypted", 40, FILES, FILES, (),
    )  # fmt: skip
    for one in filled.ask("attachment.list"):
        assert other.ask("attachment.read", link=one.link) == filled.ask("attachment.read", link=one.link)
    again = bring_in(other, file)
    assert (again.sessions, again.messages, again.memories, again.updated) == (0, 0, 0, 0)


def test_the_plain_and_the_encrypted_export_are_the_same_import(filled: Host, other: Host, tmp_path: Path) -> None:
    export(filled, tmp_path / "all.keepsake")
    filled.ask("exchange.export", path=str(tmp_path / "all.jsonl"))
    assert other.ask("exchange.import", path=str(tmp_path / "all.jsonl")).messages == 40
    again = bring_in(other, tmp_path / "all.keepsake")
    assert (again.sessions, again.messages, again.memories, again.updated) == (0, 0, 0, 0)
    assert other.ask("exchange.preview", path=str(tmp_path / "all.keepsake"), passphrase=PASSPHRASE).known > 0


def test_a_preview_without_the_passphrase_says_that_it_is_locked(filled: Host, tmp_path: Path) -> None:
    file = tmp_path / "all.keepsake"
    export(filled, file)
    locked = filled.ask("exchange.preview", path=str(file))
    assert (locked.format, locked.is_locked, locked.messages) == ("encrypted", True, 0)
    seen = filled.ask("exchange.preview", path=str(file), passphrase=PASSPHRASE)
    assert (seen.is_locked, seen.conversations, seen.notes, seen.attachments) == (False, 40, FILES, FILES)
    with pytest.raises(WrongPassphraseError, match=r"not the passphrase of all\.keepsake"):
        filled.ask("exchange.preview", path=str(file), passphrase="another fine phrase")


def test_a_wrong_or_missing_passphrase_imports_nothing(filled: Host, other: Host, tmp_path: Path) -> None:
    file = tmp_path / "all.keepsake"
    export(filled, file)
    with pytest.raises(WrongPassphraseError):
        bring_in(other, file, "another fine phrase")
    with pytest.raises(InputError, match="needs the passphrase"):
        bring_in(other, file, "")
    assert other.ask("session.list") == []
    assert other.ask("exchange.unfinished") == []


def damaged(data: bytes, at: int) -> bytes:
    made = bytearray(data)
    made[at] ^= 1
    return bytes(made)


def test_a_damaged_file_says_where_and_what_came_before_it(filled: Host, other: Host, tmp_path: Path) -> None:
    file = tmp_path / "all.keepsake"
    export(filled, file)
    data = file.read_bytes()
    count = -(-(len(data) - 400) // ENCRYPTED_SEGMENT)
    file.write_bytes(damaged(data, 3 * ENCRYPTED_SEGMENT))
    done = bring_in(other, file)
    (problem,) = done.problems
    assert problem.place == f"all.keepsake, part 3 of {count}"
    assert "damaged or cut off here. The first" in problem.what
    assert 0 < done.messages < 40
    assert done.lost == 1
    assert (done.memories, done.attachments) == (0, 0)
    file.write_bytes(data)
    assert bring_in(other, file).memories == FILES


def test_a_cut_or_joined_file_says_so(filled: Host, other: Host, tmp_path: Path) -> None:
    file = tmp_path / "all.keepsake"
    export(filled, file)
    data = file.read_bytes()
    preview = {"path": str(file), "passphrase": PASSPHRASE}
    for changed in (data[:-1], data[: -ENCRYPTED_SEGMENT // 2], data + data, data + b"\n"):
        file.write_bytes(changed)
        seen = filled.ask("exchange.preview", **preview)
        assert [problem.lost for problem in seen.problems] == [True], len(changed)
    file.write_bytes(data[:-30_000])
    done = bring_in(other, file)
    assert done.messages == 40
    assert "All conversations and memories and the first" in done.problems[0].what
    assert 0 < done.attachments < FILES
    file.write_bytes(data[:200])
    with pytest.raises(FormatError, match="beginning"):
        bring_in(other, file)


def test_only_an_earlier_one_is_replaced(filled: Host, tmp_path: Path) -> None:
    file = tmp_path / "all.keepsake"
    export(filled, file)
    before = file.read_bytes()
    export(filled, file, "another fine phrase")
    assert file.read_bytes() != before
    letter = tmp_path / "letter.txt"
    letter.write_text("mine")
    with pytest.raises(InputError, match="holds something else"):
        export(filled, letter)
    assert letter.read_text() == "mine"
    with pytest.raises(InputError, match="There is no folder"):
        export(filled, tmp_path / "nowhere" / "all.keepsake")


def test_passphrases_that_do_not_fit_are_refused(filled: Host, tmp_path: Path) -> None:
    file = tmp_path / "all.keepsake"
    with pytest.raises(InputError, match="needs a passphrase"):
        export(filled, file, "")
    with pytest.raises(InputError, match="at least 8"):
        export(filled, file, "short")
    with pytest.raises(InputError, match="Only the format 'encrypted'"):
        filled.ask("exchange.export", path=str(tmp_path / "all.jsonl"), passphrase=PASSPHRASE)
    assert [path.name for path in tmp_path.iterdir() if path.suffix in {".keepsake", ".jsonl", ".partial"}] == []


def test_a_disk_that_reads_back_differently_replaces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "all.keepsake"
    exported(EncryptedExporter(out, PASSPHRASE)).finish()
    before = out.read_bytes()
    sync = os.fsync

    def damage(handle: int) -> None:
        sync(handle)
        os.pwrite(handle, b"?", os.fstat(handle).st_size - 5)

    exporter = exported(EncryptedExporter(out, PASSPHRASE))
    monkeypatch.setattr(os, "fsync", damage)
    with pytest.raises(MachineError, match="reads back differently"):
        exporter.finish()
    exporter.abandon()
    assert out.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["all.keepsake"]


def test_a_full_disk_is_said_and_leaves_nothing(small_disk: SmallDisk) -> None:
    disk = small_disk(2)
    exporter = EncryptedExporter(disk / "out", PASSPHRASE)
    words = random.Random(7)
    with pytest.raises(DiskFullError, match="disk is full"):
        exporter.write([session(), *(turn(words.randbytes(50_000).hex(), number) for number in range(200))])
    exporter.abandon()
    assert not list(disk.iterdir())


def test_it_can_be_stopped_while_it_is_read_back(tmp_path: Path) -> None:
    is_stopped: list[bool] = []
    exporter = exported(EncryptedExporter(tmp_path / "out", PASSPHRASE, lambda: bool(is_stopped)))
    is_stopped.append(True)
    with pytest.raises(CancelledByPersonError, match="nothing was written"):
        exporter.finish()
    exporter.abandon()
    assert not list(tmp_path.iterdir())


def test_memory_is_bounded(tmp_path: Path) -> None:
    words = random.Random(7)
    texts = [words.randbytes(100_000).hex() for _ in range(20)]
    exporter = EncryptedExporter(tmp_path / "out", PASSPHRASE)
    exporter.write([session()])
    tracemalloc.start()
    try:
        for number in range(400):
            exporter.write([turn(texts[number % 20], number)])
        exporter.finish()
        _now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (tmp_path / "out").stat().st_size > 30_000_000
    assert most < 10_000_000


def test_nothing_of_it_is_in_the_trace(filled: Host, vault: Path, tmp_path: Path) -> None:
    export(filled, tmp_path / "all.keepsake")
    with pytest.raises(WrongPassphraseError) as caught:
        filled.ask("exchange.import", path=str(tmp_path / "all.keepsake"), passphrase="another fine phrase")
    assert "another fine" not in json.dumps(caught.value.as_dict())
    for text in (PASSPHRASE, "another fine phrase"):
        assert files_with(vault, text) == []
