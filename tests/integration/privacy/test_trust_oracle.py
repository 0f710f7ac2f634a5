"""Trust on every path, against an oracle: the same vault without what the caller may not see.

Every operation of the catalogue is called on both with arguments that name hidden things. Answers, errors, totals and
published changes must be the same, with the ids, times and types of entities. Ids of what is made and scores may
differ: how rare a word is counts over the whole index, so scores, and with them the order of hits, depend a little on
what is hidden; presence does not.
"""

import os
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import msgspec
import pytest

from app.api.caller import Caller
from app.api.catalogue import declared
from app.api.event_access import visible
from app.api.operation import Operation
from app.api.registry import to_builtins
from app.changes import Event
from app.errors import KeepsakeError
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.helpers.trust.arguments import ArgumentMaker
from tests.helpers.trust.vaults import LISTED, NAMED, READER, Item, TrustVault, random_items, random_statements, vault

OPERATIONS = {item.name: item for item in declared()}
CALLERS = {
    "inner": Caller(READER, "inner"),
    "familiar": Caller(READER, "familiar"),
    "public": Caller(READER, "public"),
    "inner-shared": Caller(READER, "inner", ("shared",)),
    "inner-none": Caller(READER, "inner", ("private",)),
    "full-shared": Caller(READER, "full", ("shared",)),
    "full-private": Caller(READER, "full", ("private",)),
    "full-unsocial": Caller(READER, "full", ("private", "shared")),
    "inner-reviewed": Caller(READER, "inner", review=True),
    "full-private-reviewed": Caller(READER, "full", ("private",), review=True),
}
# More vaults by hand: TRUST_SEEDS=20-40.
_FIRST, _LAST = os.environ.get("TRUST_SEEDS", "0-1").split("-")
SEEDS = range(int(_FIRST), int(_LAST))
READS_OF_EACH, WRITES_OF_EACH = 6, 3
_ID = re.compile(
    r"(?<![a-z])(?:ses|note|fact|obs|ref|dig|run|sch|agt|req)-[0-9a-f]{8}-[0-9a-f-]{27}|(?<!\d)1[67]\d{14}(?!\d)"
)
# What scores decide the order of, or what fits a budget of tokens.
_COMPARED: dict[str, Callable[[Any], Any]] = {
    "fact.conflicts": lambda facts: {"hits": facts},
    "memory.context": lambda made: {
        "hits": sorted(
            {item.id for section in made.sections for item in section.items} | {one.id for one in made.left_out}
        ),
        "notes": made.notes,
    },
    "search.explain": lambda found: replace(found, suggestion="", remedies=()),  # the rarest words
}
_RANKED = ("hits",)  # in an order that scores decide
_LEAST_PROPOSAL = 10**15  # ids of proposals are a time and something random
_MARK = re.compile(r"ks1-[0-9a-f]{16}")
_SCHEDULE = re.compile(r"sch-[0-9a-f-]{36}")
_LOOSE = frozenset(
    {
        "score",
        "features",
        "gaps",
        "milliseconds",
        "rank",
        "access_count",
        "last_accessed",
        "accessed",
        "history_ids",
        "token",
    }
)


@dataclass(slots=True)
class Side:
    """One of the two vaults, with what makes its answers comparable.

    Args:
        entities: Ids of entities: those that the person sees, and those that the caller does.
    """

    vault: TrustVault
    caller: Caller
    entities: list[str] = field(default_factory=list)
    schedules: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    received: list[Event] = field(default_factory=list)

    def ask(self, name: str, arguments: dict[str, Any]) -> Any:
        """Return what a call answers: the value and the changes, or the error as a program gets it."""
        try:
            reply = self.vault.host.call(name, arguments, self.caller).result(30)
        except KeepsakeError as error:
            return {"refused": type(error).__name__, "message": error.message, "data": to_builtins(dict(error.data))}
        value = _COMPARED[name](reply.value) if name in _COMPARED else reply.value
        return to_builtins({"value": value, "changes": reply.changes})

    def events(self) -> Any:
        """Return the events since the last call of this that the caller may hear."""
        received, self.received[:] = [*self.received], []
        return to_builtins([shown for event in received if (shown := visible(event, self.caller)) is not None])

    def plain(self, value: Any, missing: Mapping[str, str] = {}) -> Any:
        """Return an answer without what may differ; ``missing`` names schedules of the other side."""
        return self._plain(value, {**missing, **self.names})

    def _plain(self, value: Any, names: Mapping[str, str]) -> Any:
        if isinstance(value, dict):
            kept = {self._plain(key, names): self._plain(one, names) for key, one in value.items() if key not in _LOOSE}
            for ranked in [key for key in _RANKED if key in kept]:
                kept[ranked] = sorted(kept[ranked], key=repr)
            return kept
        if isinstance(value, list | tuple):
            return [self._plain(one, names) for one in value]
        if isinstance(value, float):  # what a confidence falls to depends on when it was last found
            return round(value, 2)
        is_proposal = isinstance(value, int) and value > _LEAST_PROPOSAL
        return self._named(str(value), names) if isinstance(value, str) or is_proposal else value

    def finish(self) -> None:
        """Wait until what a write began is done, and let time pass."""
        self.vault.settle()
        self.vault.clock.ms += 60_000
        # What expires now is set aside in this call, not in one that the machine's load chooses.
        self.vault.host.submit(self.vault.engine.memories.expiry.expire()).result(30)
        self.look()

    def look(self) -> None:
        """Learn which entities and schedules there are, and keep the names of schedules there were."""
        seen = self.ask("entity.ids", {}) if self.caller.reaches("familiar") else {}
        self.entities = sorted({*self.vault.entities(), *seen.get("value", ())})
        self.schedules = self.vault.schedules()
        self.names |= self.schedules

    def _named(self, text: str, names: Mapping[str, str]) -> str:
        text = _SCHEDULE.sub(lambda found: names.get(found[0], found[0]), text)
        text = _MARK.sub("the mark", text)
        return _ID.sub(lambda found: self.made.setdefault(found[0], f"made-{len(self.made)}"), text)


def translate(arguments: Any, names: dict[str, str], same: dict[str, str]) -> Any:
    """Return arguments with schedule ids of the other vault."""
    if isinstance(arguments, dict):
        return {key: translate(one, names, same) for key, one in arguments.items()}
    if isinstance(arguments, list):
        return [translate(argument, names, same) for argument in arguments]
    return same.get(names.get(arguments, ""), arguments) if isinstance(arguments, str) else arguments


def planned(chance: random.Random) -> list[Operation]:
    """Return every operation some times, in random order: reads of the untouched vault, then all mixed."""
    reads = [item for item in OPERATIONS.values() if item.access == "read"] * READS_OF_EACH
    writes = [item for item in OPERATIONS.values() if item.access == "write"] * WRITES_OF_EACH
    later = [item for item in OPERATIONS.values() if item.access == "read"] * 2 + writes
    chance.shuffle(reads)
    chance.shuffle(later)
    return [*reads, *later]


def differences(chance: random.Random, items: list[Item], whole: Side, bare: Side) -> Iterator[str]:
    """Make random calls on both sides and yield what tells them apart, or tells what is hidden."""
    hidden = ["goal of person"] * (not whole.caller.reaches("full"))
    hidden += [item.marker for item in items if not item.is_visible_to(whole.caller)]
    own = [item.id for item in items if not item.store and item.is_visible_to(whole.caller)]
    before, written = whole.vault.hidden_rows(whole.caller, own), ""  # what it wrote itself it may hear again
    for operation in planned(chance):
        arguments = ArgumentMaker(chance, items, whole.entities, sorted(whole.schedules)).arguments(operation)
        called = f"{operation.name} {arguments}"
        same = {name: known for known, name in bare.schedules.items()}
        said = whole.ask(operation.name, arguments)
        expected = bare.ask(operation.name, translate(arguments, whole.schedules, same))
        is_refused = is_refusal(said) and is_refusal(expected)
        if operation.access == "write" and not is_refused:
            for side in (whole, bare):
                side.finish()
        events, expected_events = whole.events(), bare.events()
        answers = [
            (whole.plain(said), whole.plain(events)),
            (bare.plain(expected, whole.names), bare.plain(expected_events, whole.names)),
        ]
        if answers[0] != answers[1]:
            yield f"{called} differs: {first_difference(answers[0], answers[1])}"
        known = written + repr(arguments).lower()
        written += repr(arguments).lower() if operation.access == "write" else ""
        shown = msgspec.json.encode([said, events]).decode().lower()
        for marker in hidden:
            if marker in shown and marker not in known:
                yield f"{called} tells {marker}: {said}"
        if operation.access == "write":
            own += [] if is_refused else own_sessions(whole)
            after = whole.vault.hidden_rows(whole.caller, own)
            for table in before:
                if before[table] != after[table]:
                    changed = [row for row in after[table] if row not in before[table]]
                    yield f"{called} changed hidden {table}: {changed}\n  by {said}"
            before = after


def is_refusal(answer: Any) -> bool:
    """Return whether a call did nothing; what it wrote all the same is seen in the rows, and in the next write's."""
    return isinstance(answer, dict) and "refused" in answer


def first_difference(one: Any, other: Any, path: str = "") -> str:
    """Return where two answers first differ, with what stands there."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return next(first_difference(one[key], other[key], f"{path}.{key}") for key in one if one[key] != other[key])
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return next(first_difference(*pair, f"{path}[{place}]") for place, pair in pairs if pair[0] != pair[1])
    return f"at {path or 'all'}\n  with hidden things: {one}\n  without:            {other}"


def own_sessions(side: Side) -> list[str]:
    """Return the conversations of the caller."""
    rows = side.vault.host.ask("session.list", limit=1000)
    return [row.id for row in rows if row.agent == side.caller.name and side.caller.reaches("familiar")]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("which", sorted(CALLERS))
def test_every_operation_answers_as_if_what_is_hidden_had_never_been(
    which: str, seed: int, allow_logs: AllowLogs
) -> None:
    allow_logs("messages were not stored")  # later appends to a conversation that was forgotten
    chance = random.Random(f"{which} {seed}")
    caller, items = CALLERS[which], random_items(chance, 9)
    shown = {item.number for item in items if item.is_visible_to(caller)}
    everything = {item.number for item in items}
    drawn = f"graph {which} {seed}"
    statements = random_statements(random.Random(drawn), caller, 12)
    visible_ones = [statement if statement.is_visible_to(caller) else None for statement in statements]
    listed = {statement.name for statement in statements if not statement.target and statement.is_visible_to(caller)}
    with (
        vault(items, everything, statements, drawn, owners=True) as one,
        vault(items, shown, visible_ones, drawn, owners=False) as other,
    ):
        one.decide(chance)
        one.protect({*LISTED, *NAMED} - listed)
        one.relate(chance)
        for side in (one, other):
            side.read_again()
        whole, bare = Side(one, caller), Side(other, caller)
        for view in (whole, bare):
            view.finish()  # what is proposed from here on is later than what was proposed so far
            view.vault.host.subscribe(view.received.append)
        found = list(islice(differences(chance, items, whole, bare), 20))
        assert not found, "\n\n".join(found)
