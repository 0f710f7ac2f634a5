"""Export of everything to a folder that is complete, and readable without Keepsake."""

import base64
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.paths import resources
from app.errors import InputError, MachineError
from app.exchange.exporting.export_page import script_text
from app.exchange.exporting.export_target import FolderTarget
from app.exchange.exporting.folder_exporter import LINES, complete_file
from app.host import Host
from tests.unit.app.exchange.formats.assistants.test_conversation_files import png

HOSTILE = '</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> \u2028 & "quotes" ${x} `y`'


@pytest.fixture
def filled(vault: Path) -> Iterator[Host]:
    host = Host(vault, serve=False)
    host.start()
    turns = [{"role": "user", "content": "When do I prune roses?"}, {"role": "assistant", "content": HOSTILE}]
    host.ask("session.append", session="s", title="Roses", messages=turns)
    artifact = {"name": "artifacts", "input": {"id": "plan", "title": "Plan: beds", "content": "# Beds"}}
    host.ask("session.append", session="s", messages=[{"role": "assistant", "content": "", "tool_calls": [artifact]}])
    host.ask("session.append", session="gone", messages=[{"role": "user", "content": "forgotten words"}])
    host.ask("session.forget", session="gone")
    link = host.ask("attachment.add", name="rose.png", data=base64.b64encode(png()).decode()).link
    host.ask("note.save", title=HOSTILE, content=f"Anna Keller has ![rose]({link})", tags=["garden"])
    host.ask("note.delete", id=host.ask("note.save", title="Old", content="deleted words").id)
    host.ask("vault.settle", names=True)
    yield host
    host.stop()


def export(host: Host, path: Path) -> Any:
    return host.ask("exchange.export", path=str(path), format="folder")


def items(folder: Path) -> list[dict[str, Any]]:
    """Return what the page shows."""
    found: list[dict[str, Any]] = []
    for part in sorted((folder / "search").glob("part-*.js")):
        text = part.read_text("utf-8")
        assert text.startswith("keepsake.push(")
        found += json.loads(f"[{text.removeprefix('keepsake.push(').rstrip().removesuffix(');')}]")
    return found


def test_a_folder_has_every_form(filled: Host, tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = export(filled, out)
    assert (report.format, report.sessions, report.messages, report.memories, report.skipped) == ("folder", 2, 4, 2, ())
    names = {file.relative_to(out).as_posix() for file in out.rglob("*") if file.is_file()}
    assert {"index.html", "index.md", "everything.jsonl", "names.graphml", "artifacts/Plan- beds.md"} <= names
    assert "notes/attachments/rose.png" in names
    assert not any("forgotten" in (out / name).read_text("utf-8", "replace") for name in names if name.endswith(".md"))
    assert b"forgotten words" in (out / "everything.jsonl").read_bytes()


def test_the_page_shows_what_is_there_now_and_no_tag_gets_out(filled: Host, tmp_path: Path) -> None:
    export(filled, tmp_path / "out")
    shown = {item["kind"]: item for item in items(tmp_path / "out")}
    assert set(shown) == {"conversation", "note"}
    assert shown["note"]["title"].startswith(HOSTILE.partition("\u2028")[0].strip())
    assert HOSTILE in shown["conversation"]["text"]
    for item in shown.values():
        assert (tmp_path / "out" / re.sub("%20", " ", item["path"])).parent.is_dir()
    for part in (tmp_path / "out" / "search").iterdir():
        assert not set("<>&\u2028\u2029") & set(part.read_text("utf-8"))


def test_names_are_graphml(filled: Host, tmp_path: Path) -> None:
    export(filled, tmp_path / "out")
    graph = ET.parse(tmp_path / "out" / "names.graphml").getroot()
    assert "Anna Keller" in {data.text for data in graph.iter("{http://graphml.graphdrawing.org/xmlns}data")}


def test_importing_the_folder_brings_all_of_it_back(filled: Host, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(filled, out)
    assert complete_file(out) == out / LINES
    other = Host(tmp_path / "other", serve=False)
    other.start()
    try:
        preview = other.ask("exchange.preview", path=str(out))
        assert (preview.format, preview.messages) == ("keepsake", 4)
        report = other.ask("exchange.import", path=str(out))
        assert (report.sessions, report.messages, report.memories, report.problems) == (2, 4, 2, ())
        assert [one.name for one in other.ask("attachment.list")] == ["rose.png"]
        assert other.ask("exchange.import", path=str(out)).messages == 0
    finally:
        other.stop()


def test_an_unchanged_export_is_replaced_and_a_changed_one_is_not(filled: Host, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(filled, out)
    export(filled, out)
    (out / "index.html").write_text("mine", "utf-8")
    with pytest.raises(InputError, match=r"index\.html was added or changed"):
        export(filled, out)
    assert (out / "index.html").read_text("utf-8") == "mine"


def test_a_disk_that_reads_back_differently_replaces_nothing(
    filled: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    export(filled, out)
    before = (out / "everything.jsonl").read_bytes()
    verify = FolderTarget.verify

    def damage(target: FolderTarget) -> None:
        (target.partial / "everything.jsonl").write_bytes(b"{}")
        verify(target)

    monkeypatch.setattr(FolderTarget, "verify", damage)
    with pytest.raises(MachineError, match="reads back differently"):
        export(filled, out)
    assert (out / "everything.jsonl").read_bytes() == before
    assert [file.name for file in tmp_path.glob(".out*")] == []


@pytest.mark.skipif("__import__('os').geteuid() == 0", reason="root may read everything")
def test_an_attachment_that_cannot_be_read_is_named(filled: Host, vault: Path, tmp_path: Path) -> None:
    (vault / "attachments" / "rose.png").chmod(0)
    assert export(filled, tmp_path / "out").skipped == ("rose.png",)


def test_an_attachment_that_is_gone_meanwhile_costs_no_text(filled: Host, vault: Path, tmp_path: Path) -> None:
    shutil.rmtree(vault / "attachments")
    assert export(filled, tmp_path / "out").messages == 4


def test_an_empty_vault_has_a_page_too(vault: Path, tmp_path: Path) -> None:
    host = Host(vault, serve=False)
    host.start()
    try:
        report = export(host, tmp_path / "out")
    finally:
        host.stop()
    assert (report.sessions, report.memories) == (0, 0)
    assert "keepsake = []" in (tmp_path / "out" / "index.html").read_text("utf-8")


@pytest.mark.parametrize("value", [HOSTILE, {"a": ["\u2029", "\ud800"]}, "", "</SCRIPT>"])
def test_texts_in_scripts_decode_to_themselves(value: object) -> None:
    text = script_text(value)
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == json.loads(json.dumps(value).replace("\\ud800", "?"))


@pytest.mark.skipif(shutil.which("node") is None, reason="the page's script is run by node, which is not installed")
def test_the_page_searches(filled: Host, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export(filled, out)
    page = (resources() / "export" / "index.html").read_text("utf-8")
    script = re.findall(r"<script>\n(.*?)</script>", page, re.DOTALL)[-1]
    parts = "".join(part.read_text("utf-8") for part in sorted((out / "search").iterdir()))
    run = subprocess.run(
        ["node", "-e", BROWSER.replace("//PARTS", parts).replace("//SCRIPT", script)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    everything, roses, nothing = json.loads(run.stdout)
    assert (everything, roses, nothing) == ("2 items", "1 item", "0 items")


BROWSER = """
const made = () => ({
  children: [], attributes: {}, value: "", parentElement: {scrollTop: 0},
  append(...all) { this.children.push(...all); }, replaceChildren() { this.children = []; },
  setAttribute(name, value) { this.attributes[name] = value; },
});
const parts = {};
const document = { getElementById: (id) => parts[id] ??= made(), createElement: made };
const setTimeout = (work) => work(), clearTimeout = () => {};
var keepsake = [];
//PARTS
//SCRIPT
const said = [parts.count.textContent];
for (const words of ["PRUNE róses", "zzz"]) {
  parts.query.value = words;
  parts.query.oninput();
  said.push(parts.count.textContent);
}
console.log(JSON.stringify(said));
"""
