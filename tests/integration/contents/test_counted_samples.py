"""Real exports go in whole: as many items as an independent count finds, and none by a second import."""

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from tests.helpers.archives import unpack

CHATS = "chat-exports"
CHATPACK = f"{CHATS}/multi/chatpack-cli/tests/fixtures"
VIEWER = f"{CHATS}/claude/claude-chat-viewer"


def chatgpt(path: Path) -> int:
    """Count what was said on the branch that the person last saw, or everywhere where the export does not say which."""
    count = 0
    for talk in json.loads(path.read_text()):
        nodes, key = talk["mapping"], talk.get("current_node", "")
        shown = [] if key else list(nodes.values())
        while key:
            shown.append(nodes[key])
            key = nodes[key].get("parent")
        said = [node["message"] for node in shown if node.get("message")]
        count += sum(one["author"]["role"] != "system" and _says(one["content"]) for one in said)
    return count


def _says(content: dict[str, Any]) -> bool:
    parts = content.get("parts", [content.get("text", ""), content.get("thoughts", ""), content.get("result", "")])
    return any(part.strip() if isinstance(part, str) else part for part in parts)


def claude(path: Path) -> int:
    found = json.loads(path.read_text())
    return sum(len(talk.get("chat_messages", [])) for talk in (found if isinstance(found, list) else [found]))


def messages(path: Path) -> int:
    return sum(one.get("type") != "service" for one in json.loads(path.read_text())["messages"])


def whatsapp(path: Path) -> int:
    return len(re.findall(r"^\[?[\d/.]+,? [\d:]+.*?[\]-] ?[^:\n]+: ", path.read_text(), re.MULTILINE))


def slack(path: Path) -> int:
    with zipfile.ZipFile(path) as archive:
        days = [name for name in archive.namelist() if re.fullmatch(r"(?:.*/)?\d{4}-\d\d-\d\d\.json", name)]
        return sum(load.get("type") == "message" for day in days for load in json.loads(archive.read(day)))


SAMPLES: list[tuple[str, Callable[[Path], int]]] = [
    (f"{CHATS}/chatgpt/chatgpt-export-studio/examples/conversations.json", chatgpt),
    (f"{CHATS}/chatgpt/chatgpt2graph/examples/conversations.json", chatgpt),
    (f"{CHATS}/chatgpt/looselips/examples/conversations.json", chatgpt),
    (f"{VIEWER}/testdata/conversations.json", claude),
    (f"{VIEWER}/testdata/conversation-rendering-tests.json", claude),
    (f"{VIEWER}/src/data/sampleConversations/history.json", claude),
    (f"{CHATPACK}/discord_export.json", messages),
    (f"{CHATPACK}/telegram_export.json", messages),
    (f"{CHATPACK}/instagram_export.json", messages),
    (f"{CHATPACK}/whatsapp_export.txt", whatsapp),
    (f"{CHATS}/slack/slack-export-viewer/tests/testarchive.zip", slack),
]


@pytest.mark.parametrize(("name", "counted"), SAMPLES, ids=lambda one: one if isinstance(one, str) else one.__name__)
def test_messages_as_counted(host: Host, shared_data: Path, name: str, counted: Callable[[Path], int]) -> None:
    path = shared_data / name
    report = host.ask("exchange.import", path=str(path))
    assert (report.messages, report.lost) == (counted(path), 0)
    assert host.ask("memory.stats").messages == report.messages
    again = host.ask("exchange.import", path=str(path))
    assert (again.sessions, again.messages, again.memories, again.updated) == (0, 0, 0, 0)
    assert again.unchanged == report.messages


@pytest.mark.parametrize("name", ["kepano-obsidian", "logseq-docs", "nikita-knowledge"])
@pytest.mark.parametrize("is_zipped", [False, True])
def test_notes_as_counted(host: Host, shared_data: Path, tmp_path: Path, name: str, *, is_zipped: bool) -> None:
    unpack(shared_data / "vaults" / f"{name}.tar.gz", tmp_path / "in")
    root = tmp_path / "in"
    files = [file for file in root.rglob("*") if file.is_file()]
    endings = {".md", ".markdown", ".org", ".canvas"}
    shown = [file for file in files if not any(part.startswith(".") for part in file.relative_to(root).parts)]
    counted = sum(file.suffix.lower() in endings for file in shown)
    source = root
    if is_zipped:
        source = tmp_path / "in.zip"
        with zipfile.ZipFile(source, "w", strict_timestamps=False) as packed:
            for file in files:
                packed.write(file, Path("in", file.relative_to(root)))
    report = host.ask("exchange.import", path=str(source))
    assert (report.memories, report.lost) == (counted, 0)
    other = host.ask("exchange.import", path=str(source))
    assert (other.memories, other.updated, other.unchanged) == (0, 0, counted)
