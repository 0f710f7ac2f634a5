"""Which turns and memories the learned recipe looks at: finds, what passages stand for, and neighbours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from app.index.heads import Heads, keys
from app.index.manners import Manners
from app.index.manners import Read as ReadAsSaid
from app.retrieval.context_rows import MOST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.retrieval.words import Matches

    Ids = NDArray[np.integer[Any]]
    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    Flags = NDArray[np.bool_]

NEIGHBOURS: Final = 24
REACH: Final = 2
"""How many turns before and after a turn make its window."""
WHOLE: Final = -1
"""In place of a turn's number: all of a memory."""

# How much each number counts in choosing whom to look at closely; only the ranking of these is learned.
_BM25: Final = 1.0
_BESIDE: Final = 0.3
_PASSAGE: Final = 1.0
_OWNER: Final = 0.5
_COSINE: Final = 1.5
_COSINE_BESIDE: Final = 0.5

Place = tuple[str, int]
"""A turn (session, seq) or a memory (its id, ``WHOLE``)."""


@dataclass(frozen=True, slots=True)
class Places:
    """Turns and memories as numbers, one after the other.

    Args:
        owner: The number of each one's conversation or memory; see ``Heads``.
        seq: The number of the turn, ``WHOLE`` for a memory.
    """

    owner: "Ints"
    seq: "Ints"

    @property
    def keys(self) -> "Ints":
        """Return a number for each place."""
        return keys(self.owner, self.seq)

    def at(self, rows: "Ids | Flags") -> "Places":
        """Return some of them."""
        return Places(self.owner[rows], self.seq[rows])

    def beside(self, step: int) -> "Places":
        """Return the turns so many numbers further."""
        return Places(self.owner, self.seq + step)

    def __len__(self) -> int:
        return len(self.seq)


@dataclass(frozen=True, slots=True)
class Scores:
    """What a leg found: chunks with their scores, best first; ``matches`` where it looked up whose words fit."""

    heads: Heads
    ids: "Ids"
    values: "Floats"
    matches: "Matches | None" = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def spans(self) -> "Flags":
        """Tell which are passages of several turns, which lend their words to them."""
        return np.asarray(self.heads.of_kind(self.ids, "passage") & (self.heads.more[self.ids] > 0))

    @property
    def places(self) -> Places:
        """Return which turn or memory each is a piece of; of a passage the first turn."""
        owner = self.heads.owner[self.ids].astype(np.int64)
        return Places(owner, np.where(owner < 0, WHOLE, self.heads.first[self.ids].astype(np.int64)))

    def at(self, rows: "Ids | Flags") -> "Scores":
        """Return some of them."""
        return Scores(self.heads, self.ids[rows], self.values[rows])


class Marks:
    """Places with what they scored, each once, best first.

    Args:
        places: The first of a place is the one that counts.
        values: Their scores.
    """

    def __init__(self, places: Places, values: "NDArray[Any]") -> None:
        self._keys, first = np.unique(places.keys, return_index=True)
        self._sorted = values[first]
        rows = np.sort(first)
        self.places, self.values = places.at(rows), values[rows]

    def of(self, places: Places, default: "NDArray[Any] | float" = 0.0) -> "Floats":
        """Return the scores of ``places``, ``default`` for those that have none."""
        return _looked_up(self._keys, self._sorted, places.keys, default)

    def shares(self) -> "Marks":
        """Return them divided by the highest."""
        return self._with(_shares(self._sorted), _shares(self.values))

    def between(self, low: float, width: float) -> "Marks":
        """Return them as shares of ``width`` above ``low``."""
        return self._with((self._sorted - low) / width, (self.values - low) / width)

    def _with(self, ordered: "Floats", values: "Floats") -> "Marks":
        made = Marks.__new__(Marks)
        made._keys, made._sorted, made.places, made.values = self._keys, ordered, self.places, values
        return made


def _looked_up(known: "Ints", values: "Floats", wanted: "Ints", default: "NDArray[Any] | float") -> "Floats":
    if not len(known):
        return np.full(len(wanted), default) if isinstance(default, float) else default
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[at] == wanted, values[at], default)


def _shares(values: "Floats") -> "Floats":
    highest = float(values.max(initial=0.0))
    return values / highest if highest > 0 else np.zeros(len(values))


@dataclass(frozen=True, slots=True)
class Standing:
    """The scores of what the legs found, by place.

    Args:
        heads: Knows whose the chunks are.
        bm25: Of the best chunk of a turn or memory.
        passages: Of the best passage a turn is in.
        owners: Of a session or memory: its chunks' scores, the n-th best counting 1/n.
        cosines: Of the best chunk of a turn or memory.
    """

    heads: Heads
    bm25: Marks
    passages: Marks
    owners: Marks
    cosines: Marks


@dataclass(frozen=True, slots=True)
class Said:
    """What conversations as a whole say to a question, for each of the candidates that of its own.

    Args:
        words: BM25 of it as one text, a turn counting once for each word.
        user_words: The same of what the person said.
        coverage: The most of the question that one of its turns says.
        length: How many words it has.
    """

    words: "Floats"
    user_words: "Floats"
    coverage: "Floats"
    length: "Floats"


@dataclass(frozen=True, slots=True)
class Read:
    """Turns and pieces of memories as the features read them.

    Args:
        heads: What else is known of their chunks.
        ids: Of the chunks.
        places: Which turn or memory each is a piece of.
        allowed: Which satisfy what the query demands; others only lend their words to their neighbours.
        texts: What they say, in lower case without diacritics.
        as_said: Returns their beginnings by chunk id as they were said.
        manners: How they speak, and the names of those who said them.
        authors: Whose words they are, by the place in these names.
    """

    heads: Heads
    ids: "Ids"
    places: Places
    allowed: "Flags"
    texts: Sequence[str]
    as_said: ReadAsSaid
    manners: Manners
    authors: "Ids"


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything known of a question's candidates before it is made numbers.

    Args:
        found: The scores of what the legs found.
        candidates: The places to rank.
        lines: What was read of them and around them.
        total: How many chunks there are.
        counts: How many of them have each thing sought.
        said: What the conversations of the candidates say.
    """

    found: Standing
    candidates: Places
    lines: Read
    total: int
    counts: Sequence[int]
    said: Said


def standing(heads: Heads, words: Scores, near: Scores) -> Standing:
    """Return the scores by place.

    Args:
        heads: Knows whose the chunks are.
        words: What the words leg matched, passages of several turns too, best first.
        near: What is nearest by vector, best first.
    """
    spans, places = words.spans, words.places
    several = words.at(spans)
    return Standing(
        heads,
        Marks(places.at(~spans), words.values[~spans]),
        _passages(several),
        _owners(places.owner, words.values),
        Marks(near.places, near.values),
    )


def _passages(several: Scores) -> Marks:
    """Return the turns of passages with what the best of these scored."""
    places, turns = several.places, several.heads.more[several.ids].astype(np.int64) + 1
    ends = np.cumsum(turns)
    steps = np.arange(int(turns.sum())) - np.repeat(ends - turns, turns)
    every = Places(np.repeat(places.owner, turns), np.repeat(places.seq, turns) + steps)
    return Marks(every, np.repeat(several.values, turns))


def _owners(owner: "Ints", values: "Floats") -> Marks:
    known, rows = np.unique(owner, return_inverse=True)
    return Marks(of_owners(known), np.bincount(rows, values / nth_of_each(owner), len(known)))


def nth_of_each(owner: "Ints") -> "Ints":
    """Return of each element how many of its equals there are up to it: 1 for the first of its kind."""
    order = np.argsort(owner, kind="stable")
    ordered = owner[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(owner) else order
    nth = np.empty(len(owner), dtype=np.int64)
    nth[order] = np.arange(len(owner)) - np.repeat(starts, np.diff(starts, append=len(owner))) + 1
    return nth


def of_owners(owner: "Ints") -> Places:
    """Return what stands for all of each owner."""
    return Places(owner, np.zeros_like(owner))


def pool(found: Standing, most: int = MOST) -> Places:
    """Return the most promising turns and memories, each once, those that no leg found but stand beside finds too."""
    parts = [leg.places for leg in (found.bm25, found.cosines, found.passages)]
    for leg in (found.bm25, found.cosines):
        first = leg.places.at(np.flatnonzero(leg.places.seq[:NEIGHBOURS] != WHOLE))
        parts += [first.beside(step) for step in _STEPS]
    places = once(parts)
    promise = _promise(found, places)
    if len(places) > most:
        kept = np.flatnonzero(promise >= np.partition(promise, len(promise) - most)[-most])
        places, promise = places.at(kept), promise[kept]
    order = np.lexsort((places.seq, by_name(found.heads, places.owner), -promise))
    return places.at(order[:most])


def once(parts: Sequence[Places]) -> Places:
    """Return all of ``parts``, each place once, in their order."""
    every = Places(np.concatenate([part.owner for part in parts]), np.concatenate([part.seq for part in parts]))
    _, first = np.unique(every.keys, return_index=True)
    return every.at(np.sort(first))


def by_name(heads: Heads, owner: "Ints") -> "Ints":
    """Return the places of owners in the order of their ids."""
    known, rows = np.unique(owner, return_inverse=True)
    names = [heads.name(number) for number in known.tolist()]
    place = np.empty(len(names), dtype=np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return np.asarray(place[rows])


def _promise(found: Standing, places: Places) -> "Floats":
    bm25, passages, owners = found.bm25.shares(), found.passages.shares(), found.owners.shares()
    floor = float(found.cosines.values.min(initial=np.inf)) if len(found.cosines.values) else 0.0
    width = (float(found.cosines.values.max()) if len(found.cosines.values) else 0.0) - floor or 1.0
    cosines = found.cosines.between(floor, width)
    own, near = bm25.of(places), cosines.of(places)
    before, after = places.beside(-1), places.beside(1)
    score = _BM25 * own + _OWNER * owners.of(of_owners(places.owner)) + _COSINE * near
    # What stands around a memory is itself.
    alone = score + (_PASSAGE + 2 * _BESIDE) * own + 2 * _COSINE_BESIDE * near
    score = score + _PASSAGE * passages.of(places, own)
    score += _BESIDE * (bm25.of(before) + bm25.of(after))
    score += _COSINE_BESIDE * (cosines.of(before) + cosines.of(after))
    return np.where(places.seq == WHOLE, alone, score)


_STEPS: Final = tuple(step for step in range(-REACH, REACH + 1) if step)


def named(heads: Heads, places: Places) -> list[Place]:
    """Return ``places`` with the ids of their owners."""
    names = {number: heads.name(number) for number in set(places.owner.tolist())}
    return [(names[owner], seq) for owner, seq in zip(places.owner.tolist(), places.seq.tolist(), strict=True)]
