"""Vaults of Obsidian and Logseq, and Apple's copy of notes: files that notes show, canvases, blocks and properties."""

import json
from collections.abc import Mapping
from pathlib import Path

from app.exchange.formats import markdown
from app.exchange.formats.detect import detect
from app.exchange.formats.notebooks import apple_notes
from app.exchange.model import AttachmentRecord
from app.memories.foreign_record import MemoryRecord
from tests.unit.app.exchange.formats.notebooks.exports import png
from tests.unit.app.exchange.reading import only, problems, records, write_zip


def write(root: Path, files: Mapping[str, bytes | str]) -> None:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)


def notes(root: Path) -> dict[str, MemoryRecord]:
    return {one.title: one for one in only(records(markdown.read, root), MemoryRecord)}


def test_links_out_of_the_vault_attach_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"secret.png": png(), "vault/a.md": "![x](../secret.png) ![y](/etc/hostname) ![[../secret.png]]"})
    (tmp_path / "vault" / "linked.png").symlink_to(tmp_path / "secret.png")
    found = records(markdown.read, tmp_path / "vault")
    assert not only(found, AttachmentRecord)
    assert notes(tmp_path / "vault")["a"].content == "![x](../secret.png) ![y](/etc/hostname) ![[../secret.png]]"


def test_files_that_cannot_be_attached_keep_their_links(tmp_path: Path) -> None:
    text = "![[fake.png]] [run](tool.exe) ![[broken.canvas]]"
    write(tmp_path, {"a.md": text, "fake.png": "text", "tool.exe": b"MZ", "b.canvas": "{not json"})
    found = records(markdown.read, tmp_path)
    assert notes(tmp_path)["a"].content == text
    assert [problem.foreign for problem in problems(found)].count(True) == 2
    assert any("no canvas" in problem.what and problem.lost for problem in problems(found))


def test_files_that_notes_show_are_attached_once(tmp_path: Path) -> None:
    text = "![[my dot.png|100]] `![[my dot.png]]` ![d](files/my%20dot.png) [[my dot.png|see]] [[b#^abc]] x ^abc"
    write(tmp_path, {"deep/a.md": text, "deep/files/my dot.png": png(), "b.md": "B ^abc", "other.png": png(1)})
    found = records(markdown.read, tmp_path)
    (picture,) = only(found, AttachmentRecord)
    name = f"attachments/{picture.name}"
    assert notes(tmp_path)["a"].content == (
        f"![my dot.png]({name}) `![[my dot.png]]` ![d]({name}) [see]({name}) [[b#^abc]] x ^abc"
    )
    assert any("1 file that is not Markdown was left out (1 .png)" in problem.what for problem in problems(found))


def test_files_in_the_folder_attachments_keep_their_names(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "![[dot.png]] ![x](attachments/dot.png)", "attachments/dot.png": png()})
    found = records(markdown.read, tmp_path)
    assert not only(found, AttachmentRecord)
    assert notes(tmp_path)["a"].content == "![dot.png](attachments/dot.png) ![x](attachments/dot.png)"


def test_a_canvas_lists_its_cards(tmp_path: Path) -> None:
    nodes = [
        {"id": "1", "type": "text", "text": "First\nline"},
        {"id": "2", "type": "file", "file": "deep/Rose.md"},
        {"id": "3", "type": "link", "url": "https://example.org"},
        {"id": "4", "type": "group", "label": "Beds"},
        {"id": "5", "type": "group"},
        "no card",
    ]
    write(tmp_path, {"a.md": "A", "Plan.canvas": json.dumps({"nodes": nodes, "edges": []})})
    assert notes(tmp_path)["Plan"].content.splitlines() == [
        "- First",
        "  line",
        "- [[Rose]]",
        "- <https://example.org>",
        "- **Beds**",
    ]


def test_a_graph_of_logseq(tmp_path: Path) -> None:
    block = "61110543-a71f-458d-b42e-b78a4d22f0c0"
    write(
        tmp_path,
        {
            "logseq/config.edn": "{}",
            "pages/garden___rose.md": "title:: The rose\nalias:: Rosa, red one\ntags:: [[Plant]], thorny\n\n- Red",
            "pages/soil.md": f"- Dark\n  id:: {block}",
            "journals/2020_09_21.md": f"- See (({block})) and ((00000000-0000-0000-0000-000000000000))",
        },
    )
    found = notes(tmp_path)
    assert set(found) == {"The rose", "soil", "2020_09_21"}
    assert found["The rose"].tags == ("plant", "thorny")
    assert found["The rose"].attributes["aliases"] == ["Rosa", "red one", "garden/rose"]
    assert found["2020_09_21"].attributes["aliases"] == ["Sep 21st, 2020", "2020-09-21"]
    assert found["2020_09_21"].attributes["block_references"] == ["[[soil]]"]


def test_apples_copy_of_notes(tmp_path: Path) -> None:
    files = {
        "Notes/Trip/Trip.txt": b"Trip\nPack the rose.",
        "Notes/Trip/dot.png": png(),
        "Notes/Home/Plan/Plan.txt": "Plan".encode("utf-16"),
        "Notes/Home/Bad/Bad.txt": bytes(range(256)),
    }
    path = write_zip(tmp_path / "iCloud Notes.zip", files)
    assert detect(path) == "apple-notes"
    found = records(apple_notes.read, path)
    plan, trip = only(found, MemoryRecord)
    (picture,) = only(found, AttachmentRecord)
    assert (plan.content, plan.tags, plan.key) == ("Plan", ("home",), "Home/Plan")
    assert trip.content == f"Trip\nPack the rose.\n\n![dot.png](attachments/{picture.name})"
    assert [problem.place for problem in problems(found) if problem.lost] == ["Notes/Home/Bad/Bad.txt"]
