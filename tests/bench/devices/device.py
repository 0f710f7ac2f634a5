"""Process of one machine of the bench: it does what the lines of its input ask, and says what it did.

Every line of its output is a JSON array: a kind and its values. What a write made is said once it was acknowledged, so
that what is said must still be there after the process was killed.
"""

import hashlib
import json
import random
import re
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from app.core.access import Access
from app.errors import KeepsakeError
from app.host import Host
from app.memories.model import NewMemory
from app.sync.snapshots.snapshot_keeper import CompactionRule
from tests.helpers.engine import engine_of
from tests.integration.sync.machines import COMPACT_ALONE, COMPACT_AT_ONCE, QUIET, Machine, compact

if TYPE_CHECKING:
    from collections.abc import Callable

WORD: Final = re.compile(r"w[0-9a-f]{14}")
TALKS, KEYS, TOPICS = 5, 5, 2
RARE: Final = 0.01
"""The share of what a person does seldom."""
JOBS: Final = ("consolidation", "decay", "enrichment", "reflection", "retention")
"""What a night does."""
RULES: Final = {"usual": CompactionRule(), "at once": COMPACT_AT_ONCE, "alone": COMPACT_ALONE}
_TEXTS = (
    "SELECT content || coalesce((SELECT group_concat(value) FROM json_each(facts)), '') FROM memories",
    "SELECT content FROM messages",
    "SELECT content FROM withheld_messages",
    "SELECT coalesce(state_json(before), '') || coalesce(state_json(after), '') FROM memory_history",
    "SELECT goal FROM schedules",
)
_CONCLUDED: Final = (
    "SELECT kind || coalesce((SELECT group_concat(source_id) FROM (SELECT source_id FROM memory_sources s"
    " WHERE s.memory_id = m.id AND m.kind = 'digest' ORDER BY source_id)), title) FROM memories m"
    " WHERE kind IN ('digest', 'reflection') AND valid_until IS NULL"
)
"""What jobs concluded, each by what it follows from."""


class WrongClock:
    """A clock that is wrong by so many milliseconds."""

    def __init__(self, off_ms: int) -> None:
        self._off_ms = off_ms

    def now_ms(self) -> int:
        """Return its time."""
        return time.time_ns() // 1_000_000 + self._off_ms


class Device(Machine):
    """A vault on a machine with a wrong clock, and what a person does there."""

    def __init__(self, vault: Path, off_ms: int) -> None:
        self.off_ms = off_ms
        super().__init__(vault, vault.parent / "unused")

    def start(self) -> None:
        """Open the vault."""
        self.host = Host(self.vault, serve=False, overrides=QUIET, clock=WrongClock(self.off_ms))
        self.host.start()

    def invited(self) -> str:
        """Return the words of a new invitation."""
        words: str = self.host.submit(engine_of(self.host).sync.devices.invite()).result().words
        return words

    def let_in(self) -> None:
        """Let in the first machine that asks."""
        devices = engine_of(self.host).sync.devices
        while not (requests := self.host.submit(devices.requests()).result()):
            time.sleep(0.05)
        self.host.submit(devices.approve(requests[0].id)).result()

    def join_with(self, words: str, place: str) -> None:
        """Ask to be let in, and wait until it is."""
        say("asks")
        joining = engine_of(self.host).sync.devices.join(words, place, self.vault.parent.name)
        self.host.submit(joining).result()

    def act(self, chance: random.Random) -> None:
        """Do one thing that a person does, and say what it made."""
        acts: list[Callable[[random.Random], None]] = [
            *[self._note] * 3, *[self._edit] * 6, *[self._turn] * 4, self._tag, self._pin, self._delete, self._restore,
            self._undo, self._fact, self._rename, self._schedule, self._archive, self._observe, self._observe,
        ]  # fmt: skip
        if chance.random() < RARE:
            acts = [self._erase]
        elif chance.random() < 3 * RARE:
            acts = [self._night]
        try:
            chance.choice(acts)(chance)
        except KeepsakeError as error:  # what another act made impossible
            say("refused", error.code)

    def act_often(self, request: dict[str, Any]) -> None:
        """Do as many things as a request says."""
        chance = random.Random(request["seed"])
        for _ in range(request["count"]):
            self.act(chance)
            say("acted")

    def meet(self) -> None:
        """Synchronise, and say what came of it."""
        try:
            report = self.sync()
            while report.held:  # the person meant it
                for held in report.held:
                    self.ask("device.accept", lane=held.lane, last=held.last)
                report = self.sync()
            say("synced", report.taken, report.added, report.waiting)
        except KeepsakeError as error:
            say("failed", error.message)

    def shared_words(self) -> list[str]:
        """Return all words that a member reads in the exchange."""
        return sorted({word for text in self.shared_texts() for word in WORD.findall(text.decode())})

    def words(self) -> tuple[list[str], list[str]]:
        """Return all words that stand anywhere, and what stands twice.

        Those are words that two live notes begin with, weeks with two reflections, and observations with two digests.
        """
        found = {word for sql in _TEXTS for (text,) in self.rows(sql) for word in WORD.findall(text)}
        begun = Counter(text[:15] for text in self.contents() if WORD.fullmatch(text[:15]))
        begun.update(str(text) for (text,) in self.rows(_CONCLUDED))
        return sorted(found), [word for word, count in begun.items() if count > 1]

    def digests(self) -> dict[str, list[str]]:
        """Return a digest of each row that all machines must agree on, by table."""
        return {
            name: [hashlib.blake2b(repr(row).encode(), digest_size=8).hexdigest() for row in rows]
            for name, rows in self.agreed().items()
        }

    def _live(self, chance: random.Random) -> Any:
        rows = self.rows("SELECT id FROM memories WHERE kind = 'note' AND valid_until IS NULL")
        if not rows:
            raise KeepsakeError("There is no note.")
        return self.ask("memory.get", ids=[chance.choice(rows)[0]]).memories[0]

    def _note(self, chance: random.Random) -> None:
        word = _word(chance)
        note = self.ask("note.save", content=f"{word}\nsecond line\nthird line\n")
        say("word", word, note.id)

    def _edit(self, chance: random.Random) -> None:
        note, word = self._live(chance), _word(chance)
        lines = note.content.split("\n")
        place = chance.randrange(1, len(lines)) if len(lines) > 1 else 0
        lines[place] = f"{lines[place]} {word}"
        self.ask("note.update", id=note.id, version=note.version, content="\n".join(lines))
        say("word", word, note.id)

    def _turn(self, chance: random.Random) -> None:
        word = _word(chance)
        talk = f"talk-{chance.randrange(TALKS)}"
        self.ask("session.append", session=talk, messages=[{"role": "user", "content": f"said {word}"}])
        say("word", word, "")

    def _tag(self, chance: random.Random) -> None:
        self.ask("note.tag_many", ids=[self._live(chance).id], add=[f"tag{chance.randrange(9)}"])

    def _pin(self, chance: random.Random) -> None:
        self.ask("note.pin", id=self._live(chance).id)

    def _delete(self, chance: random.Random) -> None:
        self.ask("note.delete", id=self._live(chance).id)

    def _restore(self, chance: random.Random) -> None:
        rows = self.rows("SELECT id FROM memories WHERE kind = 'note' AND valid_until IS NOT NULL")
        if rows:
            self.ask("note.restore", id=chance.choice(rows)[0])

    def _archive(self, chance: random.Random) -> None:
        self.ask("archive.put", ids=[self._live(chance).id])

    def _undo(self, chance: random.Random) -> None:
        rows = self.rows("SELECT id FROM memory_history WHERE undone_by IS NULL ORDER BY id DESC LIMIT 20")
        if rows:
            self.ask("memory.undo", history_ids=[chance.choice(rows)[0]])

    def _fact(self, chance: random.Random) -> None:
        word = _word(chance)
        self.ask("fact.set", category="home", key=f"key{chance.randrange(KEYS)}", value=word)
        say("word", word, "")

    def _rename(self, chance: random.Random) -> None:
        talk = f"talk-{chance.randrange(TALKS)}"
        self.ask("session.rename", session=talk, title=f"Title {chance.randrange(9)}")

    def _schedule(self, chance: random.Random) -> None:
        word = _word(chance)
        self.ask("schedule.create", goal=f"Water {word}", cadence={"kind": "interval", "seconds": 86_400})
        say("word", word, "")

    def _observe(self, chance: random.Random) -> None:
        created = datetime.now(UTC) - timedelta(days=40)
        topic = f"Topic {chance.randrange(TOPICS)}"
        draft = NewMemory(_word(chance), topic, kind="observation", created_at=created)
        saving = engine_of(self.host).memories.service.save(Access.everything("person", "observation.save"), draft)
        self.host.submit(saving).result()

    def _night(self, _chance: random.Random) -> None:
        for job in JOBS:
            self.ask("upkeep.run", job=job)

    def _erase(self, chance: random.Random) -> None:
        note = self._live(chance)
        say("erasing", note.id)
        self.ask("memory.forget_forever", ids=[note.id], confirm=True)
        say("erased", note.id)


def say(*values: object) -> None:
    """Say a line."""
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


def main(vault: str, off_ms: str) -> None:
    """Do what the lines ask, until the input ends."""
    device = Device(Path(vault), int(off_ms))
    say("ready")
    answers: dict[str, Callable[[dict[str, Any]], None]] = {
        "act": device.act_often,
        "share": lambda request: say("shared", device.share(request["place"]).vault),
        "invite": lambda _: say("words", device.invited()),
        "let in": lambda _: device.let_in(),
        "join": lambda request: device.join_with(request["words"], request["place"]),
        "sync": lambda _: device.meet(),
        "compact": lambda request: compact(device.host, RULES[request["rule"]]),
        "look": lambda _: say("seen", *device.words(), device.digests(), device.shared_words()),
    }
    for line in sys.stdin:
        request = json.loads(line)
        answers[request["do"]](request)
        say("done")
    device.stop()


def _word(chance: random.Random) -> str:
    return f"w{chance.getrandbits(56):014x}"


if __name__ == "__main__":
    main(*sys.argv[1:])
