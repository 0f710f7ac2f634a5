"""Feature matrices of questions, made by the code that searches, with what the answers are."""

import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.core.clock import SystemClock
from app.core.stores import STORES
from app.embed.embedder_factory import open_embedder
from app.embed.model import Embedder
from app.index.columns.index_cache import IndexCache
from app.index.vectors.vector_repo import Generation
from app.retrieval.candidates.filters import build_filter
from app.retrieval.candidates.retrievers import RetrieverInput, retrieve
from app.retrieval.candidates.scored_chunks import WHOLE
from app.retrieval.candidates.vectors import vectors_by_id
from app.retrieval.model import Query
from app.retrieval.pipeline import gather_candidates
from app.retrieval.query.parser import parse
from app.retrieval.ranking.candidate_pool import with_owner_ids
from app.retrieval.ranking.features import (
    build_table,
    expand_interactions,
    is_message_query,
    min_max_scale,
    with_session_similarity,
)
from app.retrieval.ranking.session_similarity import SessionSimilarity, session_similarity
from app.retrieval.ranking.speaker_names import SpeakerNames
from app.retrieval.recipes import find_recipe
from app.retrieval.request import Request, VectorQuery
from app.retrieval.snapshot import take_snapshot
from app.store.connection import open_reader
from tests.bench.retrieval.datasets import load
from tests.bench.retrieval.values import Haystack, Question
from tests.bench.train.vaults import filled

FOLDERS = {
    "longmemeval-s": "longmemeval",
    "longmemeval-one": "longmemeval",
    "scifact-train": "scifact",
    "mixed-train": ".",
}
"""Where the data lies, for sets that are not called like their folder."""
_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Way:
    """Embedding of a data set.

    Args:
        name: What its matrices are called in the cache.
        embedder: What makes them; empty for none.
        folder: The folder of its files, for one that needs it.
        most: How many haystacks of a data set are taken, the first by name; all where nothing is said.
    """

    name: str = ""
    embedder: str = "static"
    folder: Path | None = None
    most: Mapping[str, int] = field(default_factory=dict)

    def vaults(self, cache: Path) -> Path:
        """Return where filled vaults lie: without vectors those of the table serve as well."""
        return cache / self.name if self.folder else cache


@dataclass(slots=True)
class Sample:
    """One question.

    Args:
        dataset: Where it comes from.
        group: What it must not be parted from when parts are held out: its conversation or its LongMemEval question.
        ids, sessions: The data set's names of the candidates and of their sessions.
        values: The features, scaled among the candidates, a row for each candidate.
        evidence: The ids that answer it.
        wanted: The sessions that answer it.
        created: When each candidate was written, to decide between equals.
        similarity: How alike the conversations are, for a message of several sentences.
    """

    dataset: str
    group: str
    ids: list[str]
    sessions: list[str]
    values: Any
    evidence: frozenset[str]
    wanted: frozenset[str]
    created: Any
    similarity: SessionSimilarity | None = None

    def inputs(self, weights: Any) -> Any:
        """Return what the weights multiply; which conversations are the best, these weights say too."""
        values = (
            self.values if self.similarity is None else with_session_similarity(self.values, weights, self.similarity)
        )
        return expand_interactions(values)

    def scores(self, weights: Any) -> Any:
        """Return what the candidates score."""
        return self.inputs(weights) @ weights

    def positives(self) -> list[Any]:
        """Return rows for each evidence message, session or note."""
        found = [[row for row, name in enumerate(self.ids) if name == one] for one in sorted(self.evidence)]
        if not self.evidence or self.dataset.startswith("longmemeval"):
            found += [[row for row, name in enumerate(self.sessions) if name == one] for one in sorted(self.wanted)]
        return [np.array(rows) for rows in found if rows]


def samples(dataset: str, data: Path, cache: Path, way: Way) -> list[Sample]:
    """Return the samples of a data set; vaults and matrices are kept in ``cache``."""
    kept = cache / f"{'-'.join(filter(None, (dataset, way.name)))}.samples"
    if kept.is_file():
        found: list[Sample] = pickle.loads(kept.read_bytes())
        return found
    embedder = open_embedder(way.embedder, folder=way.folder) if way.embedder else None
    folder = data / FOLDERS.get(dataset, dataset)
    stores = way.vaults(cache) / dataset.removesuffix("-train")
    haystacks = load(dataset, folder)
    if dataset in way.most:
        haystacks = iter(sorted(haystacks, key=lambda one: one.name)[: way.most[dataset]])
    made = [
        sample
        for haystack in haystacks
        for sample in _of_haystack(dataset, haystack, stores / haystack.name, way, embedder)
    ]
    kept.write_bytes(pickle.dumps(made))
    return made


def _of_haystack(
    dataset: str, haystack: Haystack, folder: Path, way: Way, embedder: Embedder | None
) -> Iterator[Sample]:
    names = filled(haystack, folder, way.embedder or "static", way.folder)
    sessions = {turn.id: turn.session for turn in haystack.turns}
    connection = open_reader(folder / "vault" / "memory.db")
    row = connection.execute("SELECT id, dimensions FROM generations WHERE state = 'serving'").fetchone() or (0, 0)
    generation = Generation(int(row[0]), int(row[1]))
    reads = _Reads(connection, generation, embedder, IndexCache(), _embedded_text(connection, way))
    for number, question in enumerate(haystack.questions):
        query = _query(question)
        columns, values, alike = _ranked_inputs(reads, query)
        ids = [names.get(head, head) for head in columns[0]]
        yield Sample(
            f"{dataset}-claims" if dataset.startswith("mixed") and question.category == "claim" else dataset,
            _group(dataset, haystack, number),
            ids,
            [sessions.get(name, "") for name in ids],
            values.astype(np.float32),
            question.evidence,
            question.sessions or frozenset(sessions[name] for name in question.evidence if name in sessions),
            np.array(columns[1]),
            alike,
        )
    connection.close()


def _group(dataset: str, haystack: Haystack, number: int) -> str:
    # The same LongMemEval questions are asked of both stores; whichever it is, they go together.
    if dataset.startswith("longmemeval"):
        return f"longmemeval {haystack.questions[number].text}"
    question = haystack.questions[number]
    return f"claim {question.text}" if question.category == "claim" else haystack.name


def _query(question: Question) -> Query:
    # Quoted words in a sentence someone wrote are no demand for a phrase; as a search they would be.
    until = None if question.until is None else round(question.until.timestamp() * 1000)
    query = parse(question.text.replace('"', " "), SystemClock().now_ms() if until is None else until)
    return replace(query, until=until)


@dataclass(frozen=True, slots=True)
class _Reads:
    """Vault and vectors that a search reads; ``None`` for words alone."""

    connection: Any
    generation: Generation
    embedder: Embedder | None
    index_cache: IndexCache
    embedded_text: Callable[[str], str]


def _embedded_text(connection: Any, way: Way) -> Callable[[str], str]:
    """Return the function from a question to its text for the vector."""
    if not way.folder:
        return str
    names = SpeakerNames()
    for (author,) in connection.execute("SELECT DISTINCT author FROM messages"):
        names.add(author)
    return names.strip


def _ranked_inputs(reads: _Reads, query: Query) -> tuple[tuple[list[str], list[int]], Any, SessionSimilarity | None]:
    connection, index_cache, recipe = reads.connection, reads.index_cache, find_recipe("learned")
    vector_query = None
    if reads.embedder is not None:
        text = " ".join(term.text for term in query.terms if not term.excluded)
        vector = reads.embedder.embed_query(reads.embedded_text(text)).tobytes()
        vector_query = VectorQuery(reads.generation, lambda _: vector, None)
    snapshot = take_snapshot(connection, index_cache)
    request = Request(query, recipe, ("words", "vector"), STORES, 0, _DEPTH, None, lambda: index_cache)
    given = RetrieverInput(snapshot, request, build_filter(query, STORES), vector_query)
    # Mentions are not learned from.
    made = build_table(gather_candidates(retrieve(given, recipe.depths(_DEPTH, is_learned=True))))
    places = with_owner_ids(given.columns, made.places)
    targets = [owner if seq == WHOLE else f"{owner}#{seq}" for owner, seq in places]
    values, alike = min_max_scale(made.values), None
    if reads.embedder is not None and is_message_query(values):
        alike = session_similarity(made.places.owner, vectors_by_id(connection, reads.generation, made.ids))
        alike = replace(alike, alike=alike.alike.astype(np.float16))
    return (targets, made.created.tolist()), values, alike
