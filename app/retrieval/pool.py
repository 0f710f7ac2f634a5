"""Which turns and memories the learned recipe looks at: what the legs found, what passages stand for, and neighbours."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk with the score a leg gave it; ``memory`` is set for a piece of a memory, ``session`` for the rest."""

    chunk_id: int
    kind: str
    session: str
    memory: str
    first: int
    last: int
    created_ms: int
    score: float

    @property
    def target(self) -> str:
        """Return what a hit on this chunk is called."""
        return self.memory if self.kind == "memory" else f"{self.session}#{self.first}"

    @property
    def spans(self) -> bool:
        """Tell whether this is a passage of several turns, which lends its words to them."""
        return self.first != self.last and self.kind == "passage"


@dataclass(frozen=True, slots=True)
class Line:
    """A turn or a piece of a memory as the features read it.

    Args:
        owner: The session's or the memory's id.
        seq: Its place there.
        allowed: It satisfies what the query demands; others only lend their words to their neighbours.
    """

    chunk_id: int
    kind: str
    owner: str
    seq: int
    created_ms: int
    role: str
    author: str
    text: str
    allowed: bool



WORDS: Final = 160
NEAR: Final = 100
PASSAGES: Final = 24
NEIGHBOURS: Final = 24
REACH: Final = 2
"""How many turns before and after a turn make its window."""

Place = tuple[str, int]


def split(target: str) -> Place:
    """Return session and turn of a turn's target."""
    session, _, seq = target.rpartition("#")
    return session, int(seq)


def pool(words: Sequence[Scored], near: Sequence[Scored]) -> tuple[list[Place], list[str]]:
    """Return the turns and the memories to look at, each once.

    Args:
        words: What the words leg matched, passages of several turns too, best first.
        near: What is nearest by vector, best first.
    """
    singles = [item for item in words if not item.spans]
    chosen = [*_distinct(singles, WORDS), *_distinct(near, NEAR)]
    turns = dict.fromkeys((item.session, item.first) for item in chosen if item.kind != "memory")
    memories = dict.fromkeys(item.memory for item in chosen if item.kind == "memory")
    for item in islice((item for item in words if item.spans), PASSAGES):
        turns.update(dict.fromkeys((item.session, seq) for seq in range(item.first, item.last + 1)))
    for leg in (singles, near):
        for item in _distinct(leg, NEIGHBOURS):
            if item.kind != "memory":
                turns.update(dict.fromkeys(_around(item.session, item.first)))
    return list(turns), list(memories)


def spans(turns: Iterable[Place]) -> list[tuple[str, int, int]]:
    """Return ranges (session, first, last) that hold the ``turns`` with what stands around them."""
    made: list[tuple[str, int, int]] = []
    for session, seq in sorted(turns):
        low, high = seq - REACH, seq + REACH
        if made and made[-1][0] == session and low <= made[-1][2] + 1:
            made[-1] = (session, made[-1][1], high)
        else:
            made.append((session, low, high))
    return made


def _around(session: str, seq: int) -> Iterator[Place]:
    return ((session, seq + step) for step in range(-REACH, REACH + 1))


def _distinct(found: Iterable[Scored], most: int) -> Iterator[Scored]:
    seen: set[str] = set()
    for item in found:
        if item.target not in seen:
            seen.add(item.target)
            yield item
            if len(seen) >= most:
                return
