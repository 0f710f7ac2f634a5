"""Prefetched neighbours equal those of a direct search."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.core.stores import STORES
from app.errors import ModelUnavailableError
from app.index.columns.index_cache import IndexCache
from app.index.vectors.ann_cache import AnnCache
from app.index.vectors.vector_repo import Generation
from app.retrieval.candidates.retrievers import PREFETCH_FROM
from app.retrieval.candidates.vectors import PrefetchedNeighbours
from app.retrieval.pipeline import run_search
from app.retrieval.query.parser import parse
from app.retrieval.recipes import find_recipe
from app.retrieval.request import Request, SearchResult, Stopwatch, VectorQuery, VectorsFailedError
from tests.unit.app.vault_harness import VaultHarness

TEXTS = ("a grey heron", "two old oaks", "a heron on the lock", "bread and butter")


@pytest.fixture
def meaning(vault_harness: VaultHarness, vault: Path) -> VectorQuery:
    vault_harness.say(*TEXTS)
    vault_harness.sync()
    ann_cache, generation = AnnCache(vault, least=1), Generation(1, vault_harness.embedder.identity.dimensions)
    vault_harness.do(vault_harness.store.read(lambda connection: ann_cache.refresh(connection, generation)))
    return VectorQuery(
        generation, lambda text: vault_harness.embedder.embed_query(text).tobytes(), ann_cache, ann_cache.count()
    )


def query_text(vault_harness: VaultHarness, text: str, meaning: VectorQuery, name: str) -> SearchResult:
    chosen = find_recipe(name)
    request = Request(parse(text, 0), chosen, chosen.legs, STORES, 0, 20, None, IndexCache)
    return vault_harness.do(
        vault_harness.store.read(lambda connection: run_search(connection, request, meaning, Stopwatch()))
    )


@pytest.mark.parametrize("name", ["learned", "weighted"])
@pytest.mark.parametrize("text", ["heron", "heron role:user", "heron -oaks", "old oaks kind:note", "nothing"])
def test_a_search_of_many_vectors_finds_the_same(
    vault_harness: VaultHarness, meaning: VectorQuery, name: str, text: str
) -> None:
    few = query_text(vault_harness, text, meaning, name)
    many = query_text(vault_harness, text, replace(meaning, count=PREFETCH_FROM), name)
    assert many == few


def test_what_was_not_looked_for_is_answered_too(meaning: VectorQuery) -> None:
    ann_cache, vector = meaning.ann_cache, meaning.vector("heron")
    assert ann_cache is not None
    ahead = PrefetchedNeighbours(ann_cache, meaning.generation, vector, 3, None)
    for k, allowed in ((3, None), (2, None), (3, np.array([False, True, True]))):
        got, wanted = (one.nearest(meaning.generation, vector, k, allowed) for one in (ahead, ann_cache))
        assert got is not None
        assert wanted is not None
        assert got[0].tolist() == wanted[0].tolist()
    assert ahead.nearest(Generation(7, 1), vector, 3) is None


def test_a_failed_prefetch_raises_in_the_caller(meaning: VectorQuery) -> None:
    ann_cache = meaning.ann_cache
    assert ann_cache is not None
    ahead = PrefetchedNeighbours(ann_cache, meaning.generation, b"\0\0\x80?" * 3, 3, None)
    with pytest.raises(ValueError, match=r"shape|size|dimension"):
        ahead.nearest(meaning.generation, b"\0\0\x80?" * 3, 3, None)


def test_a_question_that_cannot_be_made_a_vector_is_a_failure_of_the_vectors(
    vault_harness: VaultHarness, meaning: VectorQuery
) -> None:
    def closed(_text: str) -> bytes:
        raise ModelUnavailableError("The model was closed.")

    with pytest.raises(VectorsFailedError):
        query_text(vault_harness, "heron", replace(meaning, vector=closed, count=PREFETCH_FROM), "learned")
