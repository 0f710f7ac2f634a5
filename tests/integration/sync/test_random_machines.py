"""Random work on three real vaults ends in three vaults that agree and are whole.

Clocks are wrong by months, and vaults are put back from copies of their folders. A planted mistake is found.
"""

import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw
import pytest

from app.core.time_rules import hybrid_clock
from app.errors import InputError, KeepsakeError
from app.store import lane_identity, lanes
from app.store.lanes import ChangePlace
from app.sync.own_lanes import OwnLanes
from app.sync.sealed_exchange import SealedExchange
from app.sync.snapshots import snapshot_capture
from tests.helpers.upkeep_runs import SetClock
from tests.integration.sync.machines import COMPACT_ALONE, COMPACT_AT_ONCE, Machine, compact, settle, share

STEPS = 90
MOST_DAYS = 100
MOST_HISTORIES = 6
"""So many are played to find a planted mistake; all of them end well without one."""
LIVE = "SELECT id FROM memories WHERE valid_until IS NULL AND kind"
GONE = "SELECT id FROM memories WHERE valid_until IS NOT NULL"


class RandomWork:
    """Work of a person on several machines, made of a seed.

    Args:
        seed: All that happens follows from it, but for the order of lanes.
        machines: The machines.
    """

    def __init__(self, seed: int, machines: list[Machine]) -> None:
        self._random = random.Random(seed)
        self._machines = machines
        self._acts: dict[Callable[[Machine], object], int] = {
            Machine.sync: 20, self.save: 4, self.rewrite: 10, self.retitle: 3, self.delete: 4, self.restore: 3,
            self.archive: 3, self.take_out: 2, self.set_fact: 6, self.correct: 2, self.save_search: 3,
            self.delete_search: 2, self.set_rule: 3, self.remove_rule: 2, self.say: 4, self.forget_session: 1,
            self.undo: 14, self.undo_run: 3, self.erase: 1, self.settle_texts: 2, self.set_clock: 3, self.copy: 10,
            self.put_back: 10,
        }  # fmt: skip

    def step(self) -> None:
        """Let one thing happen; what cannot be done then is refused."""
        [act] = self._random.choices(list(self._acts), list(self._acts.values()))
        with suppress(InputError):
            act(self._random.choice(self._machines))

    def save(self, machine: Machine) -> None:
        machine.ask("note.save", content="a\nb\nc\n", title=self._word())

    def rewrite(self, machine: Machine) -> None:
        if note := self._one(machine, f"{LIVE} = 'note'"):
            [memory] = machine.ask("memory.get", ids=[note]).memories
            lines = memory.content.split("\n")
            lines[self._random.randrange(len(lines))] = self._word()
            machine.ask("note.update", id=note, version=memory.version, content="\n".join(lines))

    def retitle(self, machine: Machine) -> None:
        if note := self._one(machine, f"{LIVE} = 'note'"):
            [memory] = machine.ask("memory.get", ids=[note]).memories
            tags = self._random.sample(["x", "y"], self._random.randint(0, 2))
            machine.ask("note.update", id=note, version=memory.version, title=self._word(), tags=tags)

    def delete(self, machine: Machine) -> None:
        self._with(machine, f"{LIVE} IN ('note', 'fact')", "note.delete", "id")

    def restore(self, machine: Machine) -> None:
        self._with(machine, GONE, "note.restore", "id")

    def archive(self, machine: Machine) -> None:
        if memory := self._one(machine, "SELECT id FROM memories"):
            machine.ask("archive.put", ids=[memory])

    def take_out(self, machine: Machine) -> None:
        self._with(machine, "SELECT id FROM memory_archive", "archive.restore", "id")

    def set_fact(self, machine: Machine) -> None:
        machine.ask("fact.set", category="home", key=self._random.choice(["city", "job"]), value=self._word())

    def correct(self, machine: Machine) -> None:
        if fact := self._one(machine, f"{LIVE} = 'fact'"):
            machine.ask("fact.correct", id=fact, content=self._word())

    def save_search(self, machine: Machine) -> None:
        machine.ask("saved_search.save", query=self._random.choice(["heron", "duck"]), name=self._word())

    def delete_search(self, machine: Machine) -> None:
        self._with(machine, "SELECT id FROM saved_searches WHERE deleted_at IS NULL", "saved_search.delete", "id")

    def set_rule(self, machine: Machine) -> None:
        action = self._random.choice(["accept", "review", "reject"])
        machine.ask("inbox.rule.set", agent=self._random.choice(["", "claude"]), action=action)

    def remove_rule(self, machine: Machine) -> None:
        machine.ask("inbox.rule.remove", agent=self._random.choice(["", "claude"]))

    def say(self, machine: Machine) -> None:
        machine.ask("session.append", session=self._random.choice(["talk", "walk"]),
                    messages=[{"role": "user", "content": f"said {self._word()}"}])  # fmt: skip

    def forget_session(self, machine: Machine) -> None:
        machine.ask("session.forget", session=self._random.choice(["talk", "walk"]))

    def undo(self, machine: Machine) -> None:
        """Undo one of the last changes, and perhaps that again, which leaves all as it was."""
        found = machine.rows("SELECT id FROM memory_history ORDER BY id DESC LIMIT 40")
        if not found:
            return
        before = self._memories(machine)
        undone = machine.ask("memory.undo", history_ids=[self._random.choice(found)[0]])
        if self._random.random() < 0.5:
            with suppress(InputError):
                machine.ask("memory.undo", history_ids=list(reversed(undone)))
                assert self._memories(machine) == before

    def undo_run(self, machine: Machine) -> None:
        sql = "SELECT DISTINCT run_id FROM memory_history WHERE run_id IS NOT NULL"
        self._with(machine, sql, "memory.undo", "run_id")

    def erase(self, machine: Machine) -> None:
        if memory := self._one(machine, "SELECT id FROM memories"):
            machine.ask("memory.forget_forever", ids=[memory], confirm=True)

    def settle_texts(self, machine: Machine) -> None:
        for (note,) in machine.rows(f"{LIVE} = 'note'"):
            for kept in machine.ask("note.kept_texts", id=note)[:1]:
                if self._random.random() < 0.5:
                    machine.ask("note.take_text", id=note, text=kept.id)
                else:
                    machine.ask("note.dismiss_texts", id=note)

    def set_clock(self, machine: Machine) -> None:
        assert isinstance(machine.clock, SetClock)
        machine.clock.pass_days(self._random.uniform(-MOST_DAYS, MOST_DAYS))

    def copy(self, machine: Machine) -> None:
        """Copy the folder of a vault while it is closed."""
        machine.stop()
        shutil.rmtree(_copy(machine), ignore_errors=True)
        shutil.copytree(machine.vault, _copy(machine))
        machine.start()

    def put_back(self, machine: Machine) -> None:
        if _copy(machine).exists():
            machine.stop()
            shutil.rmtree(machine.vault)
            shutil.copytree(_copy(machine), machine.vault)
            machine.start()

    def _word(self) -> str:
        return f"w{self._random.randint(0, 99)}"

    def _one(self, machine: Machine, sql: str) -> str:
        found = machine.rows(sql)
        return str(self._random.choice(found)[0]) if found else ""

    def _with(self, machine: Machine, sql: str, operation: str, argument: str) -> None:
        if found := self._one(machine, sql):
            machine.ask(operation, **{argument: found})

    def _memories(self, machine: Machine) -> set[tuple[Any, ...]]:
        return set(machine.rows("SELECT id, title, content, category, key, store, valid_until IS NULL, superseded_by"
                                " FROM memories"))  # fmt: skip


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[list[Machine]]:
    with three_machines(tmp_path) as made:
        yield made


@contextmanager
def three_machines(base: Path) -> Iterator[list[Machine]]:
    """Yield three machines that share their vaults in a folder."""
    names = ("desktop", "laptop", "server")
    with ExitStack() as stack:
        made = [Machine(base / name, base / "shared", SetClock()) for name in names]
        for machine in made:
            stack.callback(machine.stop)
        share(*made)
        yield made


def _copy(machine: Machine) -> Path:
    return machine.vault.with_name(f"{machine.vault.name}-copy")


@pytest.mark.parametrize("seed", range(MOST_HISTORIES))
def test_machines_agree_whatever_was_done(seed: int, machines: list[Machine]) -> None:
    play(seed, machines)


@pytest.mark.parametrize("seed", range(MOST_HISTORIES, MOST_HISTORIES + 4))
def test_machines_agree_whatever_was_compacted(
    seed: int, machines: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each compacts as soon as all have a segment, or as if the others were away for long."""
    monkeypatch.setattr(snapshot_capture, "MOST_CHARACTERS", 500)  # of many parts
    work, chance = RandomWork(seed, machines), random.Random(seed)
    for _ in range(STEPS):
        compact(chance.choice(machines).host, chance.choice([COMPACT_AT_ONCE, COMPACT_ALONE]))
        work.step()
    for machine in machines:
        compact(machine.host, COMPACT_AT_ONCE)
    agree(machines)


def at_plain_wall(connection: apsw.Connection, wall_ms: int) -> ChangePlace:
    """Return the place of a change by the wall clock alone."""
    sql = "UPDATE lanes SET n = n + 1, hlc = ? WHERE is_own RETURNING hlc, lane, n"
    return ChangePlace(*connection.execute(sql, (hybrid_clock.at_wall(wall_ms),)).get)


async def leave_none(_lanes: OwnLanes, _joined: SealedExchange) -> None:
    """Go on with the lane that a vault has, wherever it comes from."""


@pytest.mark.parametrize("mistake", ["plain wall clock", "same lane after a restore"])
def test_a_planted_mistake_is_found(mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if mistake == "plain wall clock":
        monkeypatch.setattr(lanes, "next_place", at_plain_wall)
    else:
        monkeypatch.setattr(lane_identity, "_is_writer", lambda *_: True)
        monkeypatch.setattr(OwnLanes, "leave_copied", leave_none)
    assert any(breaks(seed, tmp_path / str(seed)) for seed in range(MOST_HISTORIES))


def breaks(seed: int, base: Path) -> bool:
    """Return whether machines do not agree after a history, or cannot be made to."""
    base.mkdir()
    try:
        with three_machines(base) as machines:
            play(seed, machines)
    except (AssertionError, KeepsakeError):
        return True
    return False


def play(seed: int, machines: list[Machine]) -> None:
    """Let a history of a seed happen, and check that the machines agree after it."""
    work = RandomWork(seed, machines)
    for _ in range(STEPS):
        work.step()
    agree(machines)


def agree(machines: list[Machine]) -> None:
    """Let machines meet, and check that they agree and are whole."""
    settle(*machines, rounds=4)
    for machine in machines:
        assert machine.sync().waiting == ""
        findings = machine.ask("vault.check").findings
        assert [finding for finding in findings if finding.area != "backups"] == []  # none was made for months
    texts = [
        {row[0]: machine.ask("note.kept_texts", id=row[0]) for row in machine.rows(f"{LIVE} = 'note'")}
        for machine in machines
    ]
    assert texts[0] == texts[1] == texts[2]
