"""Survey of all memories: what the findings need, from one pass over them in pages."""

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from app.core.clock import DAY_MS
from app.core.text import collapse
from app.core.text_rules.secret_patterns import secrets_in
from app.memories.deduplication.word_sets import word_set
from app.upkeep.health.similar_pairs import packed

_COMPARED: Final = frozenset({"note", "fact", "observation"})
_LONGEST: Final = 20_000  # characters; longer texts are compared only as a whole, when they are stored
_OLD_MS: Final = 180 * DAY_MS
_PASSED_MS: Final = 7 * DAY_MS
_LOW: Final = 0.3
_PLANS: Final = frozenset({"plan", "plans", "commitment", "appointment", "appointments"})


@dataclass(slots=True)
class SurveyedTexts:
    """Texts of one kind and store: ids, and words as ``packed`` gives them."""

    ids: list[str] = field(default_factory=list)
    words: list[bytes] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class KeyedFact:
    """An active fact with a key, and its value as it is compared."""

    id: str
    updated_ms: int
    value: str


@dataclass(slots=True)
class SourceCount:
    """Number of memories of a source, and of those deleted by people or agents."""

    total: int = 0
    removed: int = 0


@dataclass(slots=True)
class Survey:
    """Results of one pass over the memories.

    Args:
        now_ms: The time.
    """

    now_ms: int
    active: int = 0
    total: int = 0
    texts: dict[tuple[str, str], SurveyedTexts] = field(default_factory=dict)
    keyed: dict[tuple[str, str], list[KeyedFact]] = field(default_factory=dict)
    stale: dict[str, str] = field(default_factory=dict)
    secrets: dict[str, Counter[str]] = field(default_factory=dict)
    agents: dict[str, SourceCount] = field(default_factory=dict)
    sessions: dict[str, SourceCount] = field(default_factory=dict)
    months: Counter[str] = field(default_factory=Counter)
    _numbers: dict[str, int] = field(default_factory=dict)

    def add(self, row: dict[str, Any]) -> None:
        """Take in a memory, as ``repo.page`` reads it."""
        self.total += 1
        self._count(row)
        if not row["is_active"] or (row["expires_at"] is not None and row["expires_at"] <= self.now_ms):
            return
        self.active += 1
        facts = [str(statement) for statement in json.loads(row["facts"])]
        text = "\n".join((row["title"], row["content"], *facts))
        counts = Counter(match.kind for match in secrets_in(text))
        if row["attributes"] != "{}":
            counts.update(match.kind for match in secrets_in(row["attributes"]))
        if counts:
            self.secrets[row["id"]] = counts
        if row["kind"] == "fact":
            self._look_at_fact(row)
        # A fact with a key says what that key is; the same value under another key is another fact.
        if row["kind"] in _COMPARED and not (row["kind"] == "fact" and row["key"]) and len(text) <= _LONGEST:
            numbers = self._numbers
            texts = self.texts.setdefault((row["kind"], row["store"]), SurveyedTexts())
            texts.ids.append(row["id"])
            texts.words.append(packed(numbers.setdefault(word, len(numbers)) for word in word_set(text)))

    def _count(self, row: dict[str, Any]) -> None:
        for counts, name in ((self.agents, row["source"]), (self.sessions, row["session_id"])):
            if name and not (counts is self.agents and (name == "person" or name.startswith("import:"))):
                count = counts.setdefault(name, SourceCount())
                count.total += 1
                count.removed += int(row["is_removed"])
        if self.now_ms - 400 * DAY_MS <= row["created_at"] <= self.now_ms:
            self.months[datetime.fromtimestamp(row["created_at"] / 1000, UTC).strftime("%Y-%m")] += 1

    def _look_at_fact(self, row: dict[str, Any]) -> None:
        if row["key"]:
            name = (collapse(row["category"]).casefold(), collapse(row["key"]).casefold())
            value = collapse(row["content"]).casefold()
            self.keyed.setdefault(name, []).append(KeyedFact(row["id"], row["updated_at"], value))
        if row["pinned"]:
            return
        is_old = row["updated_at"] <= self.now_ms - _OLD_MS
        is_plan = row["category"].casefold() in _PLANS or _statement(row["attributes"]) in _PLANS
        if is_plan and row["event_time"] is not None and row["event_time"] <= self.now_ms - _PASSED_MS:
            self.stale[row["id"]] = "its date has passed"
        elif is_old and row["access_count"] == 0 and row["mention_count"] <= 1 and row["confidence"] < _LOW:
            self.stale[row["id"]] = f"never used, confidence {row['confidence']:.2f}"


def _statement(attributes: str) -> str:
    if '"statement"' not in attributes:
        return ""
    fields = json.loads(attributes)
    return str(fields.get("statement", "")) if isinstance(fields, dict) else ""
