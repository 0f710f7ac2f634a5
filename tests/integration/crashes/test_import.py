"""An import is killed at any moment: started again it ends as an undisturbed one would, and is one batch to undo."""

import json
import os
import random
import threading
from pathlib import Path

import pytest

from app.host import Host
from tests.integration.crashes.test_writing import WritingProcess, checked

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "3"))
MOST_ROUNDS = 10 * ROUNDS  # on a busy machine an import may begin and end between two looks at it
MOST_WAIT_S = 3.0  # the kills come later from round to round, for finding out what a folder is takes a while too
CONVERSATIONS = 400
NOTES = 300
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)


def conversations(folder: Path) -> Path:
    """Write an export of ChatGPT with four messages in each conversation."""
    exported = []
    for number in range(CONVERSATIONS):
        mapping: dict[str, object] = {"root": {"id": "root", "parent": None, "children": ["0"], "message": None}}
        for turn in range(4):
            mapping[str(turn)] = {
                "id": str(turn),
                "parent": str(turn - 1) if turn else "root",
                "children": [str(turn + 1)] if turn < 3 else [],
                "message": {
                    "id": f"{number}-{turn}",
                    "author": {"role": "assistant" if turn % 2 else "user"},
                    "create_time": 1_700_000_000 + number * 10 + turn,
                    "content": {"content_type": "text", "parts": [f"Said {turn} in talk {number}"]},
                },
            }
        talk = {"id": f"talk-{number}", "title": f"Talk {number}", "create_time": 1_700_000_000 + number}
        exported.append(talk | {"current_node": "3", "mapping": mapping})
    path = folder / "conversations.json"
    path.write_text(json.dumps(exported))
    return path


def notes(folder: Path) -> Path:
    """Write a vault of Obsidian in which each note shows a picture of its own."""
    root = folder / "Garden"
    (root / "pictures").mkdir(parents=True)
    for number in range(NOTES):
        (root / "pictures" / f"p{number}.png").write_bytes(PICTURE + str(number).encode())
        (root / f"Bed {number}.md").write_text(f"Plants of bed {number}. ![[p{number}.png]]")
    return root


def counts(host: Host) -> tuple[int, ...]:
    """Return what the vault holds: conversations, messages, notes and attachments."""
    stats = host.ask("memory.stats")
    sessions = host.ask("vault.status").sessions
    return sessions, stats.messages, stats.memories, len(host.ask("attachment.list"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["conversations", "notes"])
def test_killed_import_goes_on(tmp_path: Path, kind: str) -> None:
    dice = random.Random(16)
    source = conversations(tmp_path) if kind == "conversations" else notes(tmp_path)
    expected = (CONVERSATIONS, 4 * CONVERSATIONS, 0, 0) if kind == "conversations" else (0, 0, NOTES, NOTES)
    cut_off = 0
    for number in range(MOST_ROUNDS):
        if number >= ROUNDS and cut_off:
            break
        vault = tmp_path / f"vault{number}"
        has_finished = False
        for _ in range(2):
            process = WritingProcess(vault, "import", str(source))
            process.wait_for(1)
            threading.Event().wait(dice.random() * min(0.3 * (number + 1), MOST_WAIT_S))
            has_finished |= any(line.startswith("imported") for line in process.kill())
        host = checked(vault)
        try:
            left = host.ask("exchange.unfinished")
            cut_off += len(left)
            assert [one.path for one in left] in ([], [str(source)])
            assert any("cut off" in note for note in host.ask("vault.status").notes) == bool(left)
            report = host.ask("exchange.import", path=str(source))
            assert counts(host) == expected
            assert host.ask("exchange.unfinished") == []
            for one in [] if has_finished else left:  # the run of an import that found nothing new has nothing to undo
                assert report.run_id in ("", one.run_id)
                host.ask("memory.undo", run_id=one.run_id)
                assert counts(host) == (0, 0, 0, 0)
                host.ask("memory.undo", run_id=f"undo:{one.run_id}")
                assert counts(host) == expected
            again = host.ask("exchange.import", path=str(source))
            assert (again.sessions, again.messages, again.memories) == (0, 0, 0)
        finally:
            host.stop()
    assert cut_off
