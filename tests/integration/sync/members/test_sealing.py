"""The place that keeps what machines share can read nothing of it, and change nothing unnoticed."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.integration.sync.machines import Machine, machines_in, settle

if TYPE_CHECKING:
    from tests.helpers.servers.postgresql import PostgresqlServer

CANARIES = {
    "note": "canarynote", "title": "canarytitle", "turn": "canaryturn", "talk": "canarytalk", "tag": "canarytag",
    "fact": "canaryfact", "entity": "Canaria Vogel", "search": "canarysearch", "goal": "canarygoal",
    "machine": "canarymachine", "folder": "canarydesk",
}  # fmt: skip


@contextmanager
def two(base: Path, place: str, names: tuple[str, str] = ("desktop", "laptop")) -> Iterator[tuple[Machine, Machine]]:
    with machines_in(base, *names) as (one, other):
        one.share(place)
        other.join(one, place)
        yield one, other


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    (tmp_path / "shared").mkdir()
    with two(tmp_path, str(tmp_path / "shared")) as machines:
        yield machines


def stored(address: str, request: pytest.FixtureRequest) -> bytes:
    """Return all that a place keeps, names and contents."""
    if address.startswith("postgresql:"):
        server: PostgresqlServer = request.getfixturevalue("postgresql")
        rows = server.ask("SELECT vault || lane || name, data FROM keepsake_object", address)
        return b"".join(str(name).encode() + bytes(data) for name, data in rows)
    return b"".join(str(path).encode() + path.read_bytes() for path in Path(address).rglob("*") if path.is_file())


def test_the_place_can_read_nothing(address: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    base = tmp_path / "machines"
    base.mkdir()
    with two(base, address, ("canarydesk", "canarymachine")) as (one, other):
        note = one.ask("note.save", content="canarynote at Canaria Vogel. #canarytag", title="canarytitle").id
        one.ask("session.append", session="canarytalk", messages=[{"role": "user", "content": "canaryturn"}])
        one.ask("fact.set", category="home", key="city", value="canaryfact")
        one.ask("schedule.create", goal="canarygoal", cadence={"kind": "interval", "seconds": 86_400})
        one.ask("saved_search.save", name="canarysearch", query="canarysearch")
        settle(one, other)
        gone = other.ask("note.save", content="canarynote that goes").id
        settle(one, other)
        other.ask("memory.forget_forever", ids=[gone], confirm=True)
        settle(one, other)
        kept = stored(address, request)
        for canary in CANARIES.values():
            assert canary.encode() not in kept, canary
        assert note.encode() not in kept
        assert b"".join(one.shared_texts()).count(b"canarynote") > 0


def segments(machine: Machine, *texts: str) -> list[Path]:
    """Write notes, each in a segment of its own, and return the segments in order."""
    before = {*machine.folder.rglob("s-*")}
    for text in texts:
        machine.ask("note.save", content=text)
        machine.sync()
    return sorted({*machine.folder.rglob("s-*")} - before)


def test_no_change_of_a_file_is_taken_in(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    [path] = segments(one, "whole")
    whole = path.read_bytes()
    chance = random.Random(3)
    for place in chance.sample(range(len(whole)), 40):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << chance.randrange(8)]) + whole[place + 1 :])
        report = other.sync()
        assert report.taken == 0
        assert report.waiting
    assert other.contents() == []
    path.write_bytes(whole)
    settle(one, other)
    assert other.contents() == ["whole"]


def test_files_that_change_places_are_noticed(pair: tuple[Machine, Machine]) -> None:
    one, other = pair
    [foreign] = segments(other, "of the other")
    first, second, third = segments(one, "first", "second", "third")
    contents = {path: path.read_bytes() for path in (first, second, third, foreign)}

    def said() -> str:
        waiting = other.sync().waiting
        for path, content in contents.items():
            path.write_bytes(content)
        return waiting

    first.write_bytes(contents[second])
    assert "in the place of another" in said()
    first.write_bytes(contents[foreign])
    assert "in the place of another" in said()
    second.unlink()
    assert said().startswith("Changes are missing at the place that are on: ")
    third.write_bytes(contents[first])
    assert "in the place of another" in said()
    (first.parent.parent / f"{7:016x}").mkdir()
    copied = first.parent.parent / f"{7:016x}" / first.name
    copied.write_bytes(contents[first])
    assert "in the place of another" in said()
    copied.unlink()
    settle(one, other)
    assert other.contents() == ["first", "of the other", "second", "third"]


def test_a_list_of_machines_that_was_changed_stops_the_taking_in(pair: tuple[Machine, Machine], tmp_path: Path) -> None:
    one, other = pair
    settle(one, other)
    newest = max(one.folder.rglob("m-*"))
    content = newest.read_bytes()
    newest.write_bytes(content.replace(b'"by"', b'"bz"'))
    with pytest.raises(Exception, match="another list of your machines"):
        other.sync()
    newest.unlink()  # one that is lost is put back
    other.sync()
    assert newest.read_bytes() == content
    with Machine(tmp_path / "third", one.folder) as third:
        third.join(other)
        settle(one, other, third)


def test_an_intruder_with_the_folder_alone_gets_nowhere(pair: tuple[Machine, Machine], tmp_path: Path) -> None:
    one, _ = pair
    alien = Machine(tmp_path / "alien", tmp_path / "own")
    try:
        alien.share()
        alien.ask("note.save", content="planted")
        alien.sync()
        [foreign] = alien.folder.rglob("s-*")
        lane = next(one.folder.glob("keepsake-v1/*")) / foreign.parent.name
        lane.mkdir()
        (lane / foreign.name).write_bytes(foreign.read_bytes())
        assert "not in the list of your machines" in one.sync().waiting
        assert one.contents() == []
    finally:
        alien.stop()
