"""A place that a Keepsake of format 1 filled is read and continued.

The sample was written by that Keepsake: two machines which changed one note at once, a conversation of both, a note
that was deleted and one that was forgotten for ever, in the second epoch. With it are the keys of one of the machines.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from app.sync.sealing.device_keys import keys_from_text
from tests.helpers.engine import engine_of
from tests.integration.sync.machines import COMPACT_AT_ONCE, Machine, compact, settle

SAMPLE = Path(__file__).parent / "place_of_format_1.zip"


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Machine]:
    """Return a machine that has the keys of one which wrote to the place."""
    folder = tmp_path / "shared"
    with ZipFile(SAMPLE) as sample:
        sample.extractall(folder)
    device = json.loads((folder / "device.json").read_text())
    machine = Machine(tmp_path / "laptop", folder)
    machine.ask("note.save", content="written by the present one")
    membership = engine_of(machine.host).sync.membership
    entries = [entry.encode() for entry in device["entries"]]
    machine.host.submit(membership.take_up(keys_from_text(device["keys"]), entries)).result()
    machine.share()
    yield machine
    machine.stop()


def test_all_that_it_wrote_is_here(laptop: Machine) -> None:
    assert laptop.sync().waiting == ""
    text = "first, by the laptop\nsecond\nthird, by the desktop"
    assert laptop.contents() == ["Bremen", text, "written by the present one"]
    assert laptop.rows("SELECT content FROM messages ORDER BY seq") == [
        ("said on the desktop",),
        ("said on the laptop",),
    ]
    assert laptop.rows("SELECT tag FROM memory_tags") == [("boats",)]
    assert laptop.rows("SELECT target_kind FROM erasures") == [("memory",)]
    [note] = [row[0] for row in laptop.rows("SELECT id FROM memories WHERE content = ?", text)]
    assert len(laptop.ask("memory.history", target=note)) >= 3


def test_its_segments_stay_until_it_knows_snapshots(laptop: Machine, tmp_path: Path) -> None:
    compact(laptop.host, COMPACT_AT_ONCE)
    before = set(laptop.folder.rglob("s-*"))
    for _ in range(3):
        laptop.sync()
    assert before <= set(laptop.folder.rglob("s-*"))
    assert "until Keepsake is updated on: " in laptop.ask("device.state").snapshots
    joiner = Machine(tmp_path / "tablet", tmp_path / "shared")
    try:
        joiner.join(laptop)
        settle(laptop, joiner)
        assert joiner.contents() == laptop.contents()
    finally:
        joiner.stop()
