"""Nearness of a short name to a full name, in place and in context.

The measure of common names is the sum of their inverse document frequencies over conversations and memories, much as
Adamic and Adar (2003) weigh common neighbours in a graph.
"""

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import apsw

from app.core import message_ids
from app.entities import ner_backlog
from app.entities.duplicates import name_forms, repo
from app.entities.duplicates.model import NearDuplicate
from app.entities.duplicates.repo import TextId
from app.entities.linking import surface

_MOST_NAMES: Final = 60  # mentions of a memory that is no list of names
_MOST_READ: Final = 500  # conversations and memories whose names are compared
_ALIKE: Final = 3.0  # of the inverse document frequencies of common names: two that one text in five says
_FEWEST: Final = 2  # texts with both names close, before the names around them count
_SHARE: Final = 4  # times the close mentions: no more are judged by the names around them
_STRANGE: Final = 4  # texts with both names close that one with the short name among others needs
_FAMILIAR: Final = 2  # such texts that one with the short name among the names around the full one makes up for
_TITLE: Final = 20  # characters before a name that may hold a title
_TITLES: Final = name_forms.HONORIFICS - name_forms.GENDERED  # those that one of a family is unlikely to share
_CLOSE: Final = 4  # messages between a short name and its full name


@dataclass(frozen=True, slots=True)
class Nearness:
    """Counts of a short name's mentions by their nearness to a full name.

    Args:
        together: Mentions in a conversation or memory that has the full name, or in a note linked with one.
        near: Those of them that a few messages at most part from the full name, and, where there are enough of these,
            others among names that stand with the full name elsewhere; one whose text never has it weighs half.
        total: All mentions.
        close: Conversations and memories that have the short name near the full one.
        familiar: Those that have it by itself, among names that stand with the full one.
        strange: The others.
    """

    together: int
    near: float
    total: int
    close: int
    familiar: int
    strange: int

    @property
    def is_enough(self) -> bool:
        """Return whether the short name may stand for the full one.

        Where it lives a life of its own, it may be another's who has been there before or comes later.
        """
        has_own_life = self.strange * _STRANGE > self.close + self.familiar * _FAMILIAR
        return self.together > 0 and self.near * 2 > self.total and not has_own_life


class NearnessMeasure:
    """Measures of short names beside full names.

    They are made as if only the given names had been joined: the same texts give the same measure, whatever was joined.

    Args:
        connection: The vault's database.
        joined: The full names that short ones stand for, by ids.
    """

    def __init__(self, connection: apsw.Connection, joined: Mapping[str, str]) -> None:
        self._connection = connection
        self._joined = joined
        self._surfaces = repo.joined_surfaces(connection)

    def nearness(self, pair: NearDuplicate) -> Nearness:
        """Return how near the mentions of a pair's short name are to its full name.

        Long lists of names are passed over, where names stand together by chance.
        """
        short, full = (self._mentioning(one.id) for one in (pair.other, pair.into))
        contexts = repo.contexts(short)
        counted = _without_lists(self._connection, {*contexts, *repo.contexts(full)})
        others = counted & set(repo.contexts(full))
        shared = counted & (others | _linked(self._connection, others)) & set(contexts)
        close = {one for one in shared if self._is_close(one, short, full)}
        close |= {one for one in (shared - close) & others if self._has_same_title(one, pair)}
        alone = counted & set(contexts) - close
        near, total = float(_sum(contexts, close)), _sum(contexts, counted)
        alike = set[str]()
        if alone and len(close) >= _FEWEST and total <= near * _SHARE:
            alike = self._among_same_names(alone, others, pair.key)
            near += _sum(contexts, alike & others) + _sum(contexts, alike - others) / 2
        return Nearness(_sum(contexts, shared), near, total, len(close), len(alike), len(alone - alike))

    def _is_close(self, context: str, short: Sequence[TextId], full: Sequence[TextId]) -> bool:
        """Return whether a context is a memory, or has both names within a few messages.

        By a first name, people mean somebody of their own life: no full name that assistants alone bring up.
        """
        places, others = (
            [
                ref.seq
                for ref in (message_ids.parse(owner) for kind, owner in owners if kind == "message")
                if ref and ref.session == context
            ]
            for owners in (short, full)
        )
        if not places:
            return True
        near = [(place, other) for place in places for other in others if abs(place - other) <= _CLOSE]
        if not near or any(place == other for place, other in near) or repo.is_said_by_people(self._connection, full):
            return bool(near)
        return repo.by_assistants(self._connection, context, places) == {*places}

    def _has_same_title(self, conversation: str, pair: NearDuplicate) -> bool:
        """Return whether a surname has the title of its full name throughout a conversation."""
        full_words, short_words = (name_forms.name_words(one.name) for one in (pair.into, pair.other))
        if full_words[-1:] != short_words:
            return False
        short, full = (self._titles(conversation, surface(one.type, one.name)) for one in (pair.other, pair.into))
        return bool(short) and short <= full - {""}

    def _titles(self, conversation: str, mark: str) -> set[str]:
        """Return the titles before a name in a conversation, empty for a name without one."""
        rows = self._connection.execute(
            "SELECT owner_id, start FROM mentions WHERE owner_kind = 'message' AND owner_id >= ?1 || '#'"
            " AND owner_id < ?1 || '$' AND surface = ?2 AND entity_id IS NOT NULL LIMIT ?3",
            (conversation, mark, _MOST_READ),
        ).fetchall()
        titles = set[str]()
        for owner, at in rows:
            reading, start = ner_backlog.reading_of(self._connection, "message", str(owner)), max(0, int(str(at)))
            text = "" if reading is None else reading.text[max(0, start - _TITLE) : start]
            words = name_forms.name_words(text)
            titles.add(words[-1] if words and words[-1] in _TITLES else "")
        return titles

    def _mentioning(self, entity: str) -> list[TextId]:
        """Return the texts of an entity's newest mentions."""
        found: list[TextId] = []
        for one in (entity, *(short for short, full in self._joined.items() if full == entity)):
            own = [mark for mark, short in self._surfaces.items() if short == one]
            found += (
                repo.saying(self._connection, own)
                if own
                else repo.mentioning(self._connection, one, without=self._surfaces)
            )
        return found

    def _among_same_names(self, contexts: Collection[str], full: Collection[str], without: Collection[str]) -> set[str]:
        """Return the contexts that have telling names in common with others, of a full name."""
        names, others = self._names(contexts), self._names(full)
        times = Counter(name for some in others.values() for name in some - set(without))
        sql = "SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM memories)"
        count = int(str(self._connection.execute(sql).get))
        weights = {
            one: _weight(repo.contexts(self._mentioning(one)), count)
            for one in set().union(*names.values()) & set(times)
        }

        def is_alike(context: str) -> bool:
            own = others.get(context, set())
            common = [one for one in names[context] & set(weights) if times[one] > (one in own)]
            return sum(weights[one] for one in common) >= _ALIKE

        return {one for one in names if is_alike(one)}

    def _names(self, contexts: Iterable[str]) -> dict[str, set[str]]:
        """Return the entities that each conversation or memory names, who speaks in it left out."""
        rows = self._connection.execute(
            "SELECT w.value, m.entity_id, m.surface FROM json_each(?1) w CROSS JOIN mentions m"
            " ON m.owner_kind = 'memory' AND m.owner_id = w.value AND m.entity_id IS NOT NULL"
            " UNION SELECT w.value, m.entity_id, m.surface"
            " FROM json_each(?1) w CROSS JOIN mentions m ON m.owner_kind = 'message' AND m.owner_id >= w.value || '#'"
            " AND m.owner_id < w.value || '$' AND m.provider <> 'author' AND m.entity_id IS NOT NULL",
            (json.dumps(sorted(contexts, reverse=True)[:_MOST_READ]),),
        )
        found: dict[str, set[str]] = {}
        for context, entity, mark in rows:
            one = self._surfaces.get(str(mark), str(entity))
            found.setdefault(str(context), set()).add(self._joined.get(one, one))
        return found


def _sum(contexts: Counter[str], some: Iterable[str]) -> int:
    return sum(contexts[one] for one in some)


def _weight(contexts: Counter[str], count: int) -> float:
    """Return the inverse document frequency of a name, 0 for one said everywhere."""
    return math.log(max(1.0, count / len(contexts))) if contexts.total() < repo.MOST_MENTIONS else 0.0


def _without_lists(connection: apsw.Connection, contexts: set[str]) -> set[str]:
    rows = connection.execute(
        "SELECT w.value FROM json_each(?) w WHERE (SELECT count(*) FROM (SELECT 1 FROM mentions m"
        " WHERE m.owner_kind = 'memory' AND m.owner_id = w.value AND m.entity_id IS NOT NULL LIMIT ?)) <= ?",
        (json.dumps(sorted(contexts)), _MOST_NAMES + 1, _MOST_NAMES),
    )
    return {str(row[0]) for row in rows}


def _linked(connection: apsw.Connection, contexts: set[str]) -> set[str]:
    """Return the notes linked with any of some notes, in either direction."""
    rows = connection.execute(
        "WITH near (id, title) AS (SELECT m.id, lower(m.title) FROM json_each(?) w JOIN memories m ON m.id = w.value)"
        " SELECT l.memory_id FROM near JOIN memory_links l ON l.target_key = near.title AND near.title <> ''"
        " UNION SELECT m.id FROM near JOIN memory_links l ON l.memory_id = near.id"
        " JOIN memories m ON lower(m.title) = l.target_key WHERE m.title <> ''",
        (json.dumps(sorted(contexts)),),
    )
    return {str(row[0]) for row in rows}
