"""Attachments: what is refused, what is kept, and what a link means."""

import asyncio
import base64
import os
from pathlib import Path

import pytest

from app.attachments.model import MAX_BYTES, MAX_PICTURE_BYTES, clean_name, name_of
from app.attachments.service import AttachmentService, copy_missing
from app.errors import InputError, KeepsakeError, MachineError, NotFoundError
from app.host import Host

PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 40


def add(vault: Path, name: str, data: bytes) -> str:
    return asyncio.run(AttachmentService(vault).add(name, data)).link


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.png", b"", "empty"),
        ("shot.png", b"<html>", "damaged"),
        ("shot.jpg", PNG, "damaged"),
        ("page.pdf", b"no pdf", "damaged"),
        ("text.txt", b"a\0b", "damaged"),
        ("song.mp3", b"MZ\x90\0", "damaged"),
        ("run.exe", b"MZ", "cannot be attached"),
        ("run.sh", b"#!/bin/sh", "cannot be attached"),
        ("start.desktop", b"[Desktop Entry]", "cannot be attached"),
        ("nothing", b"some bytes", "cannot be attached"),
        ("", b"", "cannot be attached"),
        ("big.png", PNG + b"\0" * MAX_PICTURE_BYTES, "MB"),
        ("big.zip", b"PK" + b"\0" * MAX_BYTES, "MB"),
    ],
)
def test_bad_files_are_refused_in_words(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        add(tmp_path, name, data)
    assert not (tmp_path / "attachments").exists()


def test_paths_that_are_no_files_are_refused(tmp_path: Path) -> None:
    service = AttachmentService(tmp_path / "vault")
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "loop.png").symlink_to(tmp_path / "loop.png")
    with (tmp_path / "huge.zip").open("wb") as huge:
        huge.truncate(MAX_BYTES + 1)
    for name in ("pipe.png", "folder.png", "loop.png", "huge.zip"):
        with pytest.raises(InputError):
            asyncio.run(service.add_file(tmp_path / name))
    with pytest.raises(NotFoundError):
        asyncio.run(service.add_file(tmp_path / "gone.png"))


@pytest.mark.parametrize(
    "link",
    [
        "https://example.org/attachments/rose.png",
        "file:///etc/passwd",
        "/attachments/rose.png",
        "attachments/../config.toml",
        "attachments/sub/rose.png",
        "attachments/%2e%2e/rose.png",
        "attachments/..%5crose.png",
        "attachments/.hidden.png",
        "attachments/",
        "attachments",
        "rose.png",
        "attachments/ro\x00se.png",
        "//host/attachments/rose.png",
        "attachments/C:rose.png",
        "",
    ],
)
def test_links_to_anything_else_mean_no_attachment(tmp_path: Path, link: str) -> None:
    add(tmp_path, "rose.png", PNG)
    assert name_of(link) == ""
    with pytest.raises(InputError):
        asyncio.run(AttachmentService(tmp_path).locate(link))


@pytest.mark.parametrize("link", ["attachments/rose.png", "./attachments/rose.png", "../../attachments/rose.png"])
def test_a_link_finds_its_file(tmp_path: Path, link: str) -> None:
    add(tmp_path, "rose.png", PNG)
    run = asyncio.run(AttachmentService(tmp_path).locate(link))
    assert (run.name, run.kind, run.bytes) == ("rose.png", "picture", len(PNG))
    assert Path(run.path).read_bytes() == PNG


def test_links_planted_in_the_folder_lead_nowhere(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    vault = tmp_path / "vault"
    add(vault, "rose.png", PNG)
    (vault / "attachments" / "out.png").symlink_to(secret)
    os.mkfifo(vault / "attachments" / "pipe.png")
    service = AttachmentService(vault)
    for name in ("out.png", "pipe.png"):
        with pytest.raises(InputError, match="leads out"):
            asyncio.run(service.locate(f"attachments/{name}"))
    assert [found.name for found in asyncio.run(service.all())] == ["rose.png"]
    (vault / "attachments").rename(vault / "moved")
    (vault / "attachments").symlink_to(tmp_path)
    with pytest.raises(KeepsakeError):
        asyncio.run(service.locate("attachments/secret.png"))
    with pytest.raises(MachineError):
        asyncio.run(service.add("other.png", PNG))
    assert not (tmp_path / "other.png").exists()


def test_the_same_file_is_kept_once_and_another_gets_its_own_name(tmp_path: Path) -> None:
    links = [add(tmp_path, "My rose (red).PNG", data) for data in (PNG, PNG, PNG + b"1", PNG + b"1")]
    assert links == ["attachments/My-rose-red.png"] * 2 + ["attachments/My-rose-red-2.png"] * 2
    assert (tmp_path / "attachments" / "My-rose-red.png").stat().st_mode & 0o077 == 0


def test_a_picture_without_ending_gets_one(tmp_path: Path) -> None:
    assert add(tmp_path, "pasted", PNG) == "attachments/pasted.png"


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\temp\\Ärger 1.pdf", "Ärger-1.pdf"),
        ("con.png", "_con.png"),
        (".png", "png"),
        ("...", "attachment"),
        ("a" * 400 + ".png", "a" * 116 + ".png"),
        ("花" * 100 + ".png", "花" * 38 + ".png"),
        ("[x](y).png", "x-y.png"),
    ],
)
def test_names_are_made_safe(given: str, kept: str) -> None:
    assert clean_name(given) == kept


def test_copies_take_only_what_is_missing(tmp_path: Path) -> None:
    add(tmp_path, "rose.png", PNG)
    add(tmp_path, "fern.png", PNG)
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "fern.png").write_bytes(b"mine")
    assert copy_missing(tmp_path / "attachments", tmp_path / "copy") == 1
    assert copy_missing(tmp_path / "attachments", tmp_path / "copy") == 0
    assert (tmp_path / "copy" / "rose.png").read_bytes() == PNG
    assert (tmp_path / "copy" / "fern.png").read_bytes() == b"mine"


def test_forgetting_for_ever_takes_only_files_that_nobody_else_mentions(host: Host, vault: Path) -> None:
    for name in ("mine.png", "ours.png", "Ärger.png", "once.png"):
        host.ask("attachment.add", name=name, data=base64.b64encode(PNG + name.encode()).decode())
    first = "![](attachments/mine.png) ![](attachments/ours.png) ![](attachments/Ärger.png) attachments/../config.toml"
    gone = host.ask("note.save", content=f"{first} ![](attachments/once.png)")
    host.ask("note.update", id=gone.id, version=gone.version, content=first)
    host.ask("note.save", content="![](attachments/ours.png)")
    other = host.ask("note.save", content="![](attachments/Ärger.png)")
    host.ask("note.update", id=other.id, version=other.version, content="no more")
    host.ask("backup.now")
    with pytest.raises(InputError):
        host.ask("memory.forget_forever", ids=[gone.id])
    assert len(host.ask("attachment.list")) == 4
    host.ask("memory.forget_forever", ids=[gone.id], confirm=True, backups="rewrite")
    assert {one.name for one in host.ask("attachment.list")} == {"ours.png", "Ärger.png"}
    assert {path.name for path in (vault / "backups" / "attachments").iterdir()} == {"ours.png", "Ärger.png"}
