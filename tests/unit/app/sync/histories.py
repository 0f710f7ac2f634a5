"""Random histories of several devices, and what must hold after each.

A history is made of a seed: edits of all kinds, undos, forgetting for ever, exchanges with an exchange that lags,
partitions, clocks that jump, restored backups and copied folders.
``python -m tests.unit.app.sync.histories 0 10000`` checks more of them than the tests do.
"""

import json
import random
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import count
from typing import Any

from app.history.state_diff import differing
from app.sync.folding.fold import FoldedRow
from app.sync.folding.group_folds import fold_entities, fold_facts, fold_messages
from app.sync.segments.change import ERASE, Change
from tests.unit.app.sync.devices import ENTITY, GONE, MEMORY, Device, Dot, Row, dot, union

DAY_MS = 86_400_000
MOST_DEVICES = 6
KEYS = ("city", "job", "tea")


class History:
    """A history of devices, and what their people were promised.

    Args:
        seed: All that happens follows from it.
        make: Makes a device of a number and the error of its clock.
        steps: How much happens.
    """

    def __init__(self, seed: int, make: Callable[[int, int], Device] = Device, steps: int = 110) -> None:
        self.random = random.Random(seed)
        self.make = make
        self.now = 1_000_000_000_000
        self.lanes: dict[int, list[Change]] = {}
        self.devices = [make(number, self._skew()) for number in range(1, 3 + self.random.randint(0, 2))]
        self.partitioned: set[Device] = set()
        self.backups: dict[Device, Device] = {}
        self.ids = count(1)
        self.written: dict[str, tuple[Row, Dot]] = {}
        """Each line that was acknowledged, with the change that wrote it."""
        self.given_up: set[str] = set()
        """Lines that were undone, or overwritten by one who had read them."""
        self.erased: set[Row] = set()
        self.departed: set[Row] = set()
        """Rows that a person deleted, by whichever way."""
        for _ in range(steps):
            self.step()
        self.settle()

    def _skew(self) -> int:
        days = self.random.choice([0, 0, -self.random.randint(1, 400), self.random.randint(1, 400)])
        return days * DAY_MS

    def step(self) -> None:
        """Let one thing happen."""
        self.now += self.random.randint(1, 50_000)
        names = list(_WEIGHTS)
        (name,) = self.random.choices(names, [_WEIGHTS[one] for one in names])
        getattr(self, name)(self.random.choice(self.devices))

    # What a person writes

    def add(self, device: Device) -> None:
        target = f"note-{next(self.ids)}"
        line = self._line()
        state = {**MEMORY, "content": f"title\n{line}\nlast"}
        self._wrote(device.write(self.now, "memory", target, "ADD", state), line)

    def insert(self, device: Device) -> None:
        if target := self._memory(device):
            lines = self._text(device, target).split("\n")
            line = self._line()
            lines.insert(self.random.randint(0, len(lines)), line)
            self._wrote(device.edit(self.now, target, content="\n".join(lines)), line)

    def rewrite(self, device: Device) -> None:
        """Write another first line, which is where texts overlap."""
        if target := self._memory(device):
            lines = self._text(device, target).split("\n")
            self.given_up.add(lines[0])
            lines[0] = self._line()
            self._wrote(device.edit(self.now, target, content="\n".join(lines)), lines[0])

    def tag(self, device: Device) -> None:
        if target := self._memory(device):
            self._set_tags(device, target, lambda tags, tag: [*tags, *({tag} - set(tags))])

    def untag(self, device: Device) -> None:
        if target := self._memory(device):
            self._set_tags(device, target, lambda tags, tag: [one for one in tags if one != tag])

    def _set_tags(self, device: Device, target: str, change: Callable[[list[str], str], list[str]]) -> None:
        tags = self._state(device, target)["tags"]
        changed = change(tags, self.random.choice("xy"))
        if changed != tags:
            device.edit(self.now, target, tags=changed)

    def set_field(self, device: Device) -> None:
        if target := self._memory(device):
            name, values = self.random.choice(
                [("store", ["private", "shared", "social"]), ("title", ["A", "B"]), ("pinned", [True, False])]
            )
            value = self.random.choice(values)
            if self._state(device, target)[name] != value:
                device.edit(self.now, target, **{name: value})

    def mention(self, device: Device) -> None:
        if target := self._memory(device):
            counted = self._state(device, target)["mention_count"] + 1
            device.edit(self.now, target, event="MENTION", mention_count=counted)

    def delete(self, device: Device) -> None:
        if target := self._memory(device):
            self.departed.add(("memory", target))
            device.write(self.now, "memory", target, "DELETE", None)

    def archive(self, device: Device) -> None:
        if target := self._memory(device):
            self.departed.add(("memory", target))
            device.edit(self.now, target, event="ARCHIVE", **_BARE, deleted_at=self.now, archived_at=self.now)

    def restore(self, device: Device) -> None:
        gone = [row for row in device.folded.values() if row.target_kind == "memory" and row.whole and not row.is_live]
        if gone:
            row = self.random.choice(gone)
            whole = {name: value for name, value in (row.whole or {}).items() if name != "archived_at"}
            after = whole | {"deleted_at": None, "superseded_by": None}
            device.write(self.now, "memory", row.target, "RESTORE", after)

    def state_fact(self, device: Device) -> None:
        """State a fact, which takes the place of the one that holds here."""
        key, target, line = self.random.choice(KEYS), f"fact-{next(self.ids)}", self._line()
        facts = fold_facts(device.folded.values())
        run = f"run-{target}"
        for row in list(device.folded.values()):
            state = row.state or {}
            if row.is_live and state.get("key") == key and row.target not in facts.superseded:
                after = state | {"deleted_at": self.now, "superseded_by": target}
                device.write(self.now, "memory", row.target, "DELETE", after, run_id=run)
                self.departed.add(("memory", row.target))
        state = {**MEMORY, "kind": "fact", "category": "home", "key": key, "content": line, "store": "shared"}
        self._wrote(device.write(self.now, "memory", target, "ADD", state, run_id=run), line)

    def add_entity(self, device: Device) -> None:
        name = self.random.choice(["Ann", "Bob", "Cem"])
        target = f"ent-{next(self.ids)}"
        device.write(self.now, "entity", target, "ADD", {**ENTITY, "name": name, "aliases": [name, target]})

    def merge_entity(self, device: Device) -> None:
        entities = [row.target for row in device.folded.values() if row.target_kind == "entity" and row.state]
        if len(entities) > 1:
            one, into = self.random.sample(entities, 2)
            device.edit(self.now, one, kind="entity", event="MERGE", merged_into=into)

    def append(self, device: Device) -> None:
        session = self.random.choice(["s1", "s2"])
        line = self._line()
        target = f"{session}#{line}"
        self._wrote(device.write(self.now, "message", target, "ADD", {"content": line}), line)

    def rename_session(self, device: Device) -> None:
        title = self.random.choice(["A", "B", "C"])
        known = (device.state("session", "s1") or {}).get("title", "")
        device.write(self.now, "session", "s1", "RENAME", {"title": title}, before={"title": known})

    def erase(self, device: Device) -> None:
        if target := self._memory(device):
            self.erased.add(("memory", target))
            device.write(self.now, "memory", target, ERASE, None)

    # What is undone

    def undo(self, device: Device) -> None:
        """Undo a change of any device, or the undo of one."""
        known = [change for change in device.log.values() if change.target_kind == "memory" and change.event != GONE]
        if known:
            self._undo(device, self.random.choice(known), None)

    def undo_run(self, device: Device) -> None:
        runs = sorted({change.run_id for change in device.log.values() if change.run_id is not None})
        if runs:
            run = self.random.choice(runs)
            part = [change for change in device.log.values() if change.run_id == run]
            for change in sorted(part, key=lambda one: one.place, reverse=True):
                self._undo(device, change, f"undo-{next(self.ids)}")

    def _undo(self, device: Device, change: Change, run_id: str | None) -> None:
        now = device.state(change.target_kind, change.target)
        row = (change.target_kind, change.target)
        if change.event in (ERASE, GONE) or device.folded[row].is_erased:
            return
        if any(one.undoes == dot(change) for one in device.rows[row]):
            return
        lines = [line for line, (_, name) in self.written.items() if name == dot(change)]
        found = device.inverse(sorted(device.rows[row], key=lambda one: one.place), change, now)
        if found is None:
            was, is_ = (_is_gone(state) for state in (change.before, change.after))
            is_there = "archived_at" not in (now or {"archived_at": 0}) and not _is_gone(now)
            assert not (is_there and was == is_), (
                "a change of a row that is there can be undone, or one that knew it is in the way"
            )
            return
        if found.later is not None:
            assert found.later.saw(change.place), "only a change that knew it is in the way of an undo"
            return
        after = None if found.state is None else dict(found.state)
        if now is not None and after is not None:
            own = _lines(change.after) - _lines(change.before)
            assert _lines(now) - _lines(after) <= own, "an undo takes away what its change wrote alone"
        if not differing(now, after):
            return
        if after is None or after.get("deleted_at") is not None:
            self.departed.add(row)
        elif lines and not set(lines) & set(after["content"].split("\n")):
            self.given_up.update(lines)
        restores = change.undoes is not None and not differing(now, change.after)
        made = device.write(self.now, *row, "UPDATE", after, undoes=dot(change), run_id=run_id)
        if restores:
            assert not differing(device.state(*row), change.before), "the undo of an undo restores"
        self._reread(device, made)

    def _reread(self, device: Device, undo: Change) -> None:
        """Give up the lines that an undo took away from a text as its writer read it."""
        before, after = ((state or {}).get("content", "").split("\n") for state in (undo.before, undo.after))
        if undo.after is not None:
            self.given_up.update(set(before) - set(after))

    # What befalls devices

    def push(self, device: Device) -> None:
        if device not in self.partitioned:
            device.push(self.lanes)

    def pull(self, device: Device) -> None:
        if device not in self.partitioned:
            device.pull(self.lanes)

    def pull_late(self, device: Device) -> None:
        """Pull from an exchange that lists late or shows an older state."""
        if device not in self.partitioned:
            device.pull(self.lanes, lambda length: self.random.randint(0, length))

    def part(self, device: Device) -> None:
        self.partitioned ^= {device}

    def jump(self, device: Device) -> None:
        device.skew_ms = self._skew()

    def back_up(self, device: Device) -> None:
        self.backups[device] = device.backup()

    def put_back(self, device: Device) -> None:
        if device in self.backups and device not in self.partitioned:
            device.push(self.lanes)
            device.restore(self.backups[device])

    def copy(self, device: Device) -> None:
        """Copy the folder of a device to another machine."""
        if len(self.devices) < MOST_DEVICES:
            made = self.make(len(self.devices) + 1, self._skew())
            made.restore(device.backup())
            self.devices.append(made)

    def settle(self) -> None:
        """Let all devices hear all."""
        for _ in range(3):
            for device in self.devices:
                device.push(self.lanes)
            for device in self.devices:
                device.pull(self.lanes)

    # Choices

    def _line(self) -> str:
        return f"line-{next(self.ids)}"

    def _memory(self, device: Device) -> str | None:
        live = [row.target for row in device.folded.values() if row.target_kind == "memory" and row.is_live]
        return self.random.choice(live[-6:]) if live else None

    def _state(self, device: Device, target: str) -> dict[str, Any]:
        return device.state("memory", target) or {}

    def _text(self, device: Device, target: str) -> str:
        return str(self._state(device, target)["content"])

    def _wrote(self, change: Change, line: str) -> None:
        self.written[line] = ((change.target_kind, change.target), dot(change))

    # What must hold

    def check(self) -> None:
        """Raise AssertionError where a promise is broken."""
        rows = union(self.devices)
        # By the devices' own fold, so that one with a mistake is found by what it breaks.
        other = self.make(MOST_DEVICES + 1, 0)
        folded = {row: other.fold(self.random.sample(changes, len(changes))) for row, changes in rows.items()}
        for device in self.devices:
            assert device.folded == folded, "all devices have the fold of all changes"
        for row, changes in rows.items():
            if row[0] == "memory" and not folded[row].is_erased:
                check_memory(folded[row], changes, is_departed=row in self.departed)
        self._check_lines(folded)
        self._check_erasure(folded)
        self._check_groups(folded, rows)

    def _check_lines(self, folded: Mapping[Row, FoldedRow]) -> None:
        for line, (row, _) in self.written.items():
            if line in self.given_up or row in self.erased:
                continue
            texts = [(folded[row].whole or {})["content"], *(kept.text for kept in folded[row].kept)]
            assert any(line in text.split("\n") for text in texts), f"{line} of {row} is in a text"

    def _check_erasure(self, folded: Mapping[Row, FoldedRow]) -> None:
        lines = {line for line, (row, _) in self.written.items() if row in self.erased}
        for row in self.erased:
            assert folded[row].is_erased, "what is forgotten stays forgotten"
        logs = [*(device.log.values() for device in self.devices), *self.lanes.values()]
        left = json.dumps([[change.before, change.after] for changes in logs for change in changes])
        assert not lines & set(left.replace("\\n", '"').split('"')), "nothing forgotten is left"

    def _check_groups(self, folded: Mapping[Row, FoldedRow], rows: Mapping[Row, list[Change]]) -> None:
        facts = fold_facts(folded.values())
        holding = [row for row in folded.values() if row.is_live and row.target not in facts.superseded]
        keys = [(row.state["key"], row.state["store"]) for row in holding if row.state and row.state.get("key")]
        assert len(keys) == len(set(keys)), "one fact of a key holds"
        merged = fold_entities(folded.values(), str.casefold)
        named = [row for row in folded.values() if row.target_kind == "entity" and row.target not in merged]
        assert len(named) == len({(row.state or {})["name"] for row in named}), "one entity of a name stands"
        for session in ("s1", "s2"):
            said = [one for row, changes in rows.items() if row[0] == "message" for one in changes]
            order = fold_messages(change for change in said if change.target.startswith(session))
            for device in self.devices:
                dots = device.seqs.get(session, [])
                assert sorted(dots) == sorted(map(dot, order.messages)), "each number is of one message"


def check_memory(row: FoldedRow, changes: Collection[Change], *, is_departed: bool) -> None:
    """Compare a memory with what follows from who knew of what, found in another way than by the fold."""
    state = row.whole or {}
    last = max(changes, key=lambda change: change.place)
    if all(last.saw(change.place) for change in changes if change is not last):
        assert row.state == last.after, "a change that knew all is the state"
    tags = {
        tag
        for add in changes
        for tag in _items(add.after, "tags") - _items(add.before, "tags")
        if add.undoes is None and add.event in ("ADD", "UPDATE")
        if not any(by.saw(add.place) and _removes(by, "tags", tag) for by in changes)
    }
    assert tags <= set(state["tags"]), "an added tag is there unless one who knew of it removed it"
    if not is_departed:
        assert row.is_live, "what no person deleted is there"
    gone = [change for change in changes if _is_gone(change.after) and not _is_gone(change.before)]
    for change in changes:
        is_edit = not _is_gone(change.after) and "content" in differing(change.before, change.after)
        if is_edit and change.undoes is None and not any(one.saw(change.place) for one in gone):
            assert row.is_live, "an edit that no deletion knew of keeps the row"
    stores = [
        change for change in changes if _value(change.after, "store") not in (None, _value(change.before, "store"))
    ]
    standing = [one for one in stores if not any(other.saw(one.place) for other in stores)]
    is_plain = all(change.before is not None or change.event == "ADD" for change in changes)
    if is_plain and not any(change.undoes for change in changes):
        widths = ("private", "shared", "social")
        assert state["store"] == min((_value(one.after, "store") for one in standing), key=widths.index), (
            "the narrowest"
        )


def _lines(state: Mapping[str, Any] | None) -> set[str]:
    return set(str(_value(state, "content") or "").split("\n"))


def _items(state: Mapping[str, Any] | None, name: str) -> set[str]:
    return set(_value(state, name) or ())


def _removes(change: Change, name: str, item: str) -> bool:
    is_read = change.before is None or item in _items(change.before, name)
    return change.after is not None and is_read and item not in _items(change.after, name)


def _value(state: Mapping[str, Any] | None, name: str) -> Any:
    return None if state is None else state.get(name)


def _is_gone(state: Mapping[str, Any] | None) -> bool:
    return state is None or state.get("deleted_at") is not None


_BARE = {"content": "", "facts": [], "attributes": {}, "files": [], "people": [], "sources": [], "reason": "old"}
_WEIGHTS = {
    "add": 9, "insert": 20, "rewrite": 6, "tag": 10, "untag": 8, "set_field": 7, "mention": 1, "delete": 3,
    "archive": 1, "restore": 3, "state_fact": 4, "add_entity": 2, "merge_entity": 2, "append": 4,
    "rename_session": 1, "erase": 2, "undo": 6, "undo_run": 1, "push": 14, "pull": 9, "pull_late": 4, "part": 2,
    "jump": 2, "back_up": 2, "put_back": 2, "copy": 1,
}  # fmt: skip
"""How often each thing happens."""


def check_all(seeds: Iterable[int]) -> int:
    """Make and check the history of each seed; return how many changes they have."""
    total = 0
    for seed in seeds:
        history = History(seed)
        try:
            history.check()
        except AssertionError as error:
            raise AssertionError(f"History {seed}: {error}") from error
        total += len(history.devices[0].log)
    return total


if __name__ == "__main__":
    begin, end = (int(argument) for argument in sys.argv[1:3])
    sys.stdout.write(f"{end - begin} histories, {check_all(range(begin, end))} changes, all promises kept\n")
