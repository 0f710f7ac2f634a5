"""Explanation service: an item's place in a search, and a tried query that shows it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import apsw

from app.core.access import Access
from app.core.text_rules.stopwords import stop_words
from app.errors import InputError, KeepsakeError
from app.evaluation.known_item_questions import distinctive
from app.explain import repo as reads
from app.explain import sentences as say
from app.explain.model import Explanation, FeatureGap, LegPlace, Remedy
from app.explain.repo import ExplainedItem
from app.index.worker import IndexWorker
from app.retrieval.candidates.entity_retriever import EntityMentions
from app.retrieval.candidates.filters import ChunkFilter, build_filter
from app.retrieval.model import Found, Hit, Query
from app.retrieval.query.match_expression import has_token, match_expression
from app.retrieval.recipes import CANDIDATE_LIMIT, DEFAULT, Recipe, find_recipe
from app.retrieval.service import SearchService
from app.sentence import Sentence
from app.store.store import Store

MAX_LIMIT: Final = 200
"""Up to this limit, ranking does not depend on the number of hits."""
_LIMIT_S: Final = 60.0
_MOST_GAPS: Final = 8
_MOST_MENTIONS: Final = 10_000
_LEAST_GAP: Final = 0.01
_MOST_WORDS: Final = 24
_ADDED: Final = 2


@dataclass(frozen=True, slots=True)
class _Case:
    """One item in one search."""

    recipe: Recipe
    item: ExplainedItem
    limit: int
    per_session: int | None
    access: Access


class ExplainService:
    """Explanations of searches.

    Args:
        store: The vault's database.
        search: The search to explain.
        index_worker: Provides the embedder and its vectors.
        vectors: False where vectors are switched off.
        tune: Applies the settings to a recipe.
    """

    def __init__(
        self,
        store: Store,
        search: SearchService,
        index_worker: IndexWorker,
        *,
        vectors: bool = True,
        tune: Callable[[Recipe], Recipe] | None = None,
    ) -> None:
        self._store = store
        self._search = search
        self._index_worker = index_worker
        self._vectors = vectors
        self._tune = tune or (lambda recipe: recipe)

    async def explain(
        self,
        access: Access,
        text: str,
        target: str,
        *,
        limit: int = 20,
        recipe: str = DEFAULT,
        per_session: int | None = None,
    ) -> Explanation:
        """Return the explanation of ``target`` in a search; see the operation ``search.explain``.

        Raises:
            InputError: The recipe is unknown, or a number is out of bounds.
        """
        chosen = self._tune(find_recipe(recipe))
        if not 0 < limit <= MAX_LIMIT or (per_session is not None and per_session < 1):
            raise InputError(
                Sentence("'limit' must be 1 to {most}, 'per_session' 1 or more.", most=MAX_LIMIT), field="limit"
            )
        target = await self._message_of(access, text, target, chosen.name)
        item = await self._store.read(partial(reads.find_item, target=target, stores=access.stores))
        gone = _gone(item)
        if gone is not None or item is None:
            return replace(gone or Explanation("", "missing", ""), limit=limit, recipe=chosen.name)
        return await self._explain(_Case(chosen, item, limit, per_session, access), text)

    async def _message_of(self, access: Access, text: str, target: str, recipe: str) -> str:
        """Return a conversation's best message for the words, else its first.

        Other targets are returned as they are.
        """
        first = await self._store.read(partial(reads.first_message, session=target, stores=access.stores))
        if first is None:
            return target
        terms = tuple(term for term in self._search.parse(text).terms if not term.excluded)
        if not terms:
            return first
        within = Query(text, terms, kinds=("message",), sessions=(target,))
        result = await self._search.search(access, within, limit=1, recipe=recipe, is_internal=True)
        return result.hits[0].id if result.hits else first

    async def _explain(self, case: _Case, text: str) -> Explanation:
        result = await self._found(text, case, MAX_LIMIT)
        query = result.query
        failed, ruled_out, has, lacks = await self._facts(query, case.item)
        explanation = Explanation(
            case.item.id,
            "filtered",
            "",
            limit=case.limit,
            recipe=result.recipe,
            failed=tuple(failed),
            terms=tuple(has),
            lacking=tuple(lacks),
            notes=result.notes,
        )
        if failed:
            sentence, suggestion = say.filtered(failed)
            return replace(explanation, sentence=sentence, suggestion=suggestion)
        if ruled_out:
            sentence, suggestion = say.excluded(ruled_out)
            return replace(
                explanation, stage="excluded", failed=tuple(ruled_out), sentence=sentence, suggestion=suggestion
            )
        where = build_filter(query, case.access.stores)
        legs = await self._places(query, case, where)
        return await self._ranked(case, replace(explanation, legs=tuple(legs)), result)

    async def _ranked(self, case: _Case, explanation: Explanation, result: Found) -> Explanation:
        ids = [hit.id for hit in result.hits]
        if case.item.id not in ids:
            return await self._remedied(case, _not_ranked(case, explanation), result)
        place = ids.index(case.item.id) + 1
        last = result.hits[min(case.limit, len(ids)) - 1]
        mine = result.hits[place - 1]
        explanation = replace(explanation, place=place, gaps=_gaps(mine, last), last_shown=last.id)
        shown_place = await self._shown_place(case, ids, result.query)
        if shown_place is not None:
            return replace(
                explanation, stage="shown", sentence=say.shown(shown_place, explanation.terms, explanation.legs)
            )
        if place <= case.limit and case.per_session is not None:
            return replace(
                explanation,
                stage="spread",
                sentence=say.limited_per_session(place, case.per_session),
                suggestion="Show more of each conversation.",
            )
        below = replace(explanation, stage="below", sentence=say.ranked_below(place, case.limit, explanation.gaps))
        return await self._remedied(case, below, result)

    async def _shown_place(self, case: _Case, ids: Sequence[str], query: Query) -> int | None:
        if case.per_session is not None:
            result = await self._found(query, case, case.limit, case.per_session)
            ids = [hit.id for hit in result.hits]
        first = ids[: case.limit]
        return first.index(case.item.id) + 1 if case.item.id in first else None

    async def _remedied(self, case: _Case, explanation: Explanation, result: Found) -> Explanation:
        """Return ``explanation`` with queries that show the item."""
        remedies = []
        words = await self._words(case.item, [term.text for term in result.query.terms])
        for text in _attempts(case.item, result.query, words):
            found_now = await self._found(text, case, case.limit, case.per_session, is_internal=True)
            ids = [hit.id for hit in found_now.hits]
            if case.item.id in ids:
                remedies.append(Remedy(text, ids.index(case.item.id) + 1))
                break
        suggestion = say.remedies_tried(remedies, case.limit) or (
            f"Ask with words that stand in it, such as {', '.join(words)}." if words else "Ask with its own words."
        )
        return replace(explanation, remedies=tuple(remedies), suggestion=suggestion)

    async def _found(
        self,
        query: Query | str,
        case: _Case,
        limit: int,
        per_session: int | None = None,
        *,
        is_internal: bool = False,
    ) -> Found:
        """Return the search result; ``is_internal`` where item words were added to the query."""
        return await self._search.search(
            case.access,
            query,
            limit=limit,
            recipe=case.recipe.name,
            per_session=per_session,
            is_internal=is_internal,
        )

    async def _facts(self, query: Query, item: ExplainedItem) -> tuple[list[str], list[str], list[str], list[str]]:
        """Return failed operators, excluding terms, and the item's present and missing words."""

        def work(connection: apsw.Connection) -> tuple[list[str], list[str], list[str], list[str]]:
            failed = reads.failed_operators(connection, query, item)
            ruled_out, has, lacks = list[str](), list[str](), list[str]()
            little = stop_words([term.text for term in query.terms if not term.phrase])
            for term in (term for term in query.terms if has_token(term.text)):
                if term.text.casefold() in little and not (term.phrase or term.prefix or term.excluded):
                    continue
                is_there = reads.has_term(connection, term, item)
                shown = f'"{term.text}"' if term.phrase else term.text
                if term.excluded:
                    ruled_out += [f"-{shown}"] if is_there else []
                    continue
                (has if is_there else lacks).append(shown)
                ruled_out += [shown] if term.phrase and not is_there else []
            return failed, ruled_out, has, lacks

        return await self._store.read(work)

    async def _places(self, query: Query, case: _Case, where: ChunkFilter) -> list[LegPlace]:
        """Return the item's exact rank in each retriever."""
        if not query.has_words:
            return []
        recipe, item = case.recipe, case.item
        depths = recipe.depths(case.limit, is_learned=recipe.fusion == "learned")
        places = []
        match = match_expression(query, need_phrases=True)
        if "words" in recipe.legs and match is not None:
            work = partial(reads.lexical_rank, match=match, where=where, target=item.id)
            places.append(LegPlace("words", *await self._store.read(work, limit_s=_LIMIT_S), depths["words"]))
        if "vector" in recipe.legs and self._vectors:
            places += await self._vector_place(query, item, depths["vector"], where)
        if "entity" in recipe.legs:
            mentions = EntityMentions(query, case.access.stores, recipe.mentions)
            places += await self._entity_place(mentions, item, recipe.depth, where)
        return places

    async def _entity_place(
        self, mentions: EntityMentions, item: ExplainedItem, depth: int, where: ChunkFilter
    ) -> list[LegPlace]:
        """Return the item's rank in the entity retriever, where the query names entities."""
        rows = await self._store.read(partial(mentions.find, where=where, depth=_MOST_MENTIONS), limit_s=_LIMIT_S)
        rank = next((rank for rank, row in enumerate(rows, 1) if row.target == item.id), None)
        score = None if rank is None else rows[rank - 1].entities
        return [LegPlace("entity", rank, score, len(rows), depth)] if rows else []

    async def _vector_place(self, query: Query, item: ExplainedItem, depth: int, where: ChunkFilter) -> list[LegPlace]:
        try:
            serving = await self._index_worker.serving()
            vector = (await self._search.embedding.embedded(query, serving)).tobytes()
            work = partial(reads.vector_rank, generation=serving.generation, vector=vector, where=where, target=item.id)
            return [LegPlace("vector", *await self._store.read(work, limit_s=_LIMIT_S), depth)]
        except KeepsakeError:
            return []  # the notes of the search report it

    async def _words(self, item: ExplainedItem, but: Sequence[str]) -> list[str]:
        """Return rare words of an item, except those in ``but``."""
        known = {word.casefold() for word in but}
        words = [word for word in distinctive(item.text) if word.casefold() not in known]
        words = sorted(words, key=len, reverse=True)[:_MOST_WORDS]
        return await self._store.read(partial(reads.rarest, words=words, most=_ADDED)) if words else []


def _gone(item: ExplainedItem | None) -> Explanation | None:
    """Return the explanation of an item that no search can show, else ``None``."""
    if item is None:
        return Explanation("", "missing", *say.GONE["missing"])
    if item.stage is None:
        return None
    words = say.not_indexed(item.text) if item.stage == "unindexed" else say.GONE[item.stage]
    return Explanation(item.id, item.stage, *words)


def _not_ranked(case: _Case, explanation: Explanation) -> Explanation:
    found_by = {leg.leg for leg in explanation.legs if leg.rank is not None and leg.rank <= leg.depth}
    is_found = bool(found_by)
    if found_by == {"vector"} and not explanation.terms and case.recipe.ends:
        return replace(explanation, stage="far", sentence=say.too_far(explanation.legs))
    if is_found and case.recipe.fusion == "learned":
        return replace(
            explanation,
            stage="unpooled",
            sentence=f"{say.not_ranked(explanation.legs)} A search ranks {CANDIDATE_LIMIT}.",
        )
    return replace(
        explanation, stage="unfound", sentence=say.not_found(explanation.legs, explanation.terms, explanation.lacking)
    )


def _attempts(item: ExplainedItem, query: Query, words: Sequence[str]) -> Iterator[str]:
    """Yield queries that may show the item, those nearest to the original first."""
    text = query.text.strip()
    yield from (f"{text} {' '.join(words[: count + 1])}" for count in range(len(words)))
    if not query.kinds:
        yield f"{text} kind:{item.kind}"
    if words:
        yield " ".join(words)


def _gaps(mine: Hit, last: Hit) -> tuple[FeatureGap, ...]:
    names = dict.fromkeys([*mine.why.features, *last.why.features])
    gaps = [FeatureGap(name, mine.why.features.get(name, 0.0), last.why.features.get(name, 0.0)) for name in names]
    gaps.sort(key=lambda gap: (-abs(gap.theirs - gap.mine), gap.name))
    return tuple(gap for gap in gaps[:_MOST_GAPS] if abs(gap.theirs - gap.mine) >= _LEAST_GAP)
