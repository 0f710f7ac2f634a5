"""Entity retriever: messages and memories that mention what a query names, by any alias."""

import json
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import apsw

from app.core import message_ids
from app.core.stores import sees_all
from app.core.text_rules.stopwords import stop_words
from app.entities.model import TYPES, name_key
from app.entities.queries.visibility import KEY_SQL, handle_column, within
from app.retrieval.candidates.filters import ChunkFilter
from app.retrieval.model import Query
from app.retrieval.recipes import MentionScope

_MAX_WORDS: Final = 64
_LONGEST_NAME: Final = 4  # words
_MOST_MENTIONS: Final = 2_000
_EDGES: Final = "\"'’.,;:!?()[]{}"
_POSSESSIVES: Final = ("'s", "’s")

_NAMED: Final = (
    "SELECT a.entity_id, json_group_array(a.alias_key) FROM json_each(?) w CROSS JOIN entity_aliases a"
    " ON a.alias_key = w.value GROUP BY a.entity_id"
)
_HAS_NAME: Final = (
    f"EXISTS (SELECT 1 FROM json_each(w.value, '$[1]') k WHERE instr(' ' || {KEY_SQL} || ' ', ' ' || k.value || ' '))"
)
_OWNERS: Final = (
    "SELECT m.owner_kind, m.owner_id, count(DISTINCT {handle}) AS named FROM json_each(?) w"
    " CROSS JOIN mentions m ON {handle} = w.value ->> 0 WHERE {stores} GROUP BY 1, 2 HAVING {which}"
    f" ORDER BY named DESC, max(m.at) DESC, m.owner_id LIMIT {_MOST_MENTIONS}"
)
_MESSAGES: Final = (
    "SELECT c.id, c.session_id || '#' || c.seq_start, c.created_at, w.value ->> 2 FROM json_each(?) w"
    " CROSS JOIN chunks c ON c.session_id = w.value ->> 0 AND c.kind = 'message' AND c.seq_start = w.value ->> 1 WHERE "
)
_MEMORIES: Final = (
    "SELECT min(c.id), c.memory_id, max(c.created_at), w.value ->> 1 FROM json_each(?) w"
    " CROSS JOIN chunks c ON c.memory_id = w.value ->> 0 AND c.kind = 'memory' WHERE {check} GROUP BY c.memory_id"
)


class EntityMention(NamedTuple):
    """A message or memory that mentions entities: its first chunk, and how many entities."""

    chunk_id: int
    entities: float
    target: str
    created_ms: int


@dataclass(frozen=True, slots=True)
class EntityMentions:
    """Search for mentions of the entities that a query names.

    Args:
        query: The parsed query.
        stores: Stores that the caller may read.
        which: Mentions that count.
    """

    query: Query
    stores: Sequence[str]
    which: MentionScope = "other_names"

    def find(self, connection: apsw.Connection, where: ChunkFilter, depth: int) -> list[EntityMention]:
        """Return what mentions most of the named entities, the newest first among equals.

        Args:
            connection: A read connection.
            where: Filter of the chunks.
            depth: Number of candidates at most.
        """
        names = possible_names(self.query)
        named = self._named(connection, names) if names else []
        if not named:
            return []
        messages, memories = self._owners(connection, named)
        rows = _mentions(connection.execute(_MESSAGES + where.point_sql, (json.dumps(messages), *where.values)))
        sql = _MEMORIES.format(check=where.point_sql)
        rows += _mentions(connection.execute(sql, (json.dumps(memories), *where.values)))
        rows.sort(key=lambda item: (-item.entities, -item.created_ms, item.target))
        return rows[:depth]

    def _named(self, connection: apsw.Connection, names: Sequence[str]) -> list[tuple[str, list[str]]]:
        """Return the handles of entities with a name in ``names``, with the matching names.

        A caller who may not read every store knows each only by the name in its texts.
        """
        if not sees_all(self.stores):
            return [(f"{kind}:{name}", [name]) for name in names for kind in TYPES]
        rows = connection.execute(_NAMED, (json.dumps(names),))
        return [(str(entity), json.loads(str(keys))) for entity, keys in rows]

    def _owners(
        self, connection: apsw.Connection, named: Sequence[tuple[str, Sequence[str]]]
    ) -> tuple[list[tuple[str, int, int]], list[tuple[str, int]]]:
        """Return the messages and memories that mention entities, with the number of entities each."""
        which = "TRUE" if self.which == "all" else f"NOT max({_HAS_NAME})"
        sql = _OWNERS.format(stores=within(self.stores, "m"), which=which, handle=handle_column(self.stores))
        messages, memories = list[tuple[str, int, int]](), list[tuple[str, int]]()
        for kind, owner, count in connection.execute(sql, (json.dumps(named),)):
            if kind == "memory":
                memories.append((str(owner), int(str(count))))
            elif (message := message_ids.parse(str(owner))) is not None:
                messages.append((message.session, message.seq, int(str(count))))
        return messages, memories


def possible_names(query: Query) -> list[str]:
    """Return the keys of possible entity names in ``query``: words and adjacent words.

    Phrases, prefixes and single stop words are not names.
    """
    terms = [term for term in query.terms if not (term.excluded or term.phrase or term.prefix)]
    words = [bare for term in terms for word in term.text.split() if (bare := _bare(word))][:_MAX_WORDS]
    runs = [
        " ".join(words[start : start + length])
        for length in range(1, _LONGEST_NAME + 1)
        for start in range(len(words) - length + 1)
    ]
    little = stop_words(words)
    return list(dict.fromkeys(name_key(run) for run in runs if run not in little))


def _bare(word: str) -> str:
    """Return a word without surrounding punctuation or a possessive ending."""
    bare = unicodedata.normalize("NFC", word).casefold().strip(_EDGES)
    return bare[:-2] if bare.endswith(_POSSESSIVES) else bare


def _mentions(rows: Iterable[Sequence[Any]]) -> list[EntityMention]:
    return [EntityMention(int(row[0]), float(row[3]), str(row[1]), int(row[2])) for row in rows]
