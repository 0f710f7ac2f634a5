"""Steps of fixes: what of a finding its fix would change, decided from a survey."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

import apsw

from app.core.item_batches import batched
from app.core.stores import STORES
from app.memories import repo as memories
from app.memories.deduplication.similar import text_of
from app.memories.deduplication.word_sets import restates
from app.memories.model import Memory
from app.store.store import Store
from app.upkeep.health import repo
from app.upkeep.health.model import FixStep
from app.upkeep.health.similar_pairs import similar_pairs
from app.upkeep.health.survey import KeyedFact, Survey, SurveyedTexts

_MOST_PAIRS: Final = 50_000
_TOGETHER: Final = 200


async def duplicates(store: Store, survey: Survey, threshold: float) -> list[FixStep]:
    """Return the merges of memories of which one says nothing beyond another.

    The pinned or confirmed one stays, else the older one, unless only the younger one says it all.
    """
    pairs: list[tuple[str, str]] = []
    for texts in survey.texts.values():
        pairs += await asyncio.to_thread(_pairs, texts, threshold, _MOST_PAIRS - len(pairs), store.stop_signal.check)
    done: dict[str, FixStep] = {}
    for batch in batched(pairs, _TOGETHER):
        await store.read(partial(_add_merges, batch, done), is_background=True)
    return list(done.values())


def _pairs(texts: SurveyedTexts, threshold: float, most: int, check: Callable[[], object]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for first, second in similar_pairs(texts.words, threshold, check=check):
        if len(pairs) >= most:
            break
        pairs.append((texts.ids[first], texts.ids[second]))
    return pairs


def _add_merges(pairs: Sequence[tuple[str, str]], done: dict[str, FixStep], connection: apsw.Connection) -> None:
    """Add the merges of some pairs, by the id of what goes.

    What goes is compared no more; what stands for it is, in its place. So of a ring of equal memories one is left.
    """
    current = [(_standing(first, done), _standing(second, done)) for first, second in pairs]
    ids = list(dict.fromkeys(identity for pair in current for identity in pair))
    memories_by_id = {memory.id: memory for memory in memories.many(connection, ids, stores=STORES)}
    safe = repo.protected(connection, ids)
    for first, second in current:
        former, other = _standing(first, done), _standing(second, done)
        step = None if former == other else _merge(memories_by_id.get(former), memories_by_id.get(other), safe)
        if step is not None:
            done[step.id] = step


def _standing(memory_id: str, done: dict[str, FixStep]) -> str:
    while memory_id in done:
        memory_id = done[memory_id].into
    return memory_id


def _merge(first: Memory | None, second: Memory | None, safe: set[str]) -> FixStep | None:
    if first is None or second is None or first.deleted_at is not None or second.deleted_at is not None:
        return None
    survivor, gone = sorted((first, second), key=lambda memory: (memory.id not in safe, memory.created_at, memory.id))
    for into, old in ((survivor, gone), (gone, survivor)):
        if old.id not in safe and restates(text_of(old), text_of(into)):
            return FixStep("merge", old.id, into.id, f"says the same as {into.id}")
    return None


async def contradictions(store: Store, survey: Survey) -> tuple[list[FixStep], dict[str, str]]:
    """Return which facts would be superseded, and the keys of all that contradict."""
    rivals = {name: facts for name, facts in survey.keyed.items() if len({fact.value for fact in facts}) > 1}
    safe = await _protected(store, [fact.id for facts in rivals.values() for fact in facts])
    steps, involved = [], dict[str, str]()
    for (category, key), facts in rivals.items():
        newest = max(facts, key=_age)
        involved.update((fact.id, f"{category}/{key}"[:100]) for fact in facts)
        steps += [
            FixStep("supersede", fact.id, newest.id, f"a newer fact says otherwise: {newest.id}")
            for fact in sorted(facts, key=_age)
            if fact is not newest and fact.id not in safe and fact.value != newest.value
        ]
    return steps, involved


def _age(fact: KeyedFact) -> tuple[int, str]:
    return fact.updated_ms, fact.id


async def stale(store: Store, survey: Survey) -> list[FixStep]:
    """Return the stale facts that would be set aside; confirmed ones are not."""
    safe = await _protected(store, survey.stale)
    return [FixStep("set aside", identity, "", why) for identity, why in survey.stale.items() if identity not in safe]


def secrets(survey: Survey) -> list[FixStep]:
    """Return the memories in which secrets would be replaced."""
    return [FixStep("redact", identity, "", ", ".join(sorted(kinds))) for identity, kinds in survey.secrets.items()]


async def _protected(store: Store, ids: Iterable[str]) -> set[str]:
    protected_ids = set[str]()
    for batch in batched(ids, 1_000):
        protected_ids |= await store.read(partial(repo.protected, ids=batch), is_background=True)
    return protected_ids
