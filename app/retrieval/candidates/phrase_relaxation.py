"""Relaxation of quoted phrases without matches to single words, with notes about it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import apsw

from app.core.text import excerpt
from app.retrieval.candidates.filters import ChunkFilter, clause_filter
from app.retrieval.model import Query, Term
from app.retrieval.query.match_expression import MAX_TERMS, Mode, match_expression
from app.sentence import Sentence

_SHOWN: Final = 60
_SENTENCE: Final = "Nothing says “{phrase}” word for word, so its words were searched."
_ABSENT: Final = "No text has the word {words}."
_ALL_ABSENT: Final = "No text has any of the words {words}."
_MOST_NAMED: Final = 5


def relax_phrases(query: Query, stands: Callable[[Term], bool]) -> tuple[Query, tuple[str, ...]]:
    """Return ``query`` with unmatched phrases as single words, and those phrases.

    Args:
        query: The query.
        stands: Whether a phrase occurs anywhere, regardless of operators.
    """
    terms: list[Term] = []
    missing: list[str] = []
    for term in query.terms:
        if _is_phrase(term) and not stands(term):
            missing.append(term.text)
            terms += [Term(word) for word in term.text.split()]
        else:
            terms.append(term)
    return (replace(query, terms=tuple(terms)), tuple(missing)) if missing else (query, ())


def phrase_notes(missing: Sequence[str]) -> tuple[str, ...]:
    """Return notes about the ``missing`` phrases."""
    return tuple(Sentence(_SENTENCE, phrase=excerpt(phrase, _SHOWN)) for phrase in missing)


def _is_phrase(term: Term) -> bool:
    return term.phrase and not term.excluded and len(term.text.split()) > 1


def relax_missing_phrases(
    connection: apsw.Connection, query: Query, stores: Sequence[str]
) -> tuple[Query, tuple[str, ...]]:
    """Return ``query`` relaxed by the texts in ``stores``."""
    readable = clause_filter(stores)
    return relax_phrases(query, lambda term: _stands(connection, term, readable))


def missing_word_notes(connection: apsw.Connection, terms: Sequence[Term], stores: Sequence[str]) -> tuple[str, ...]:
    """Return notes for terms of which none occurs in the texts in ``stores``.

    For a search without lexical results; there is no note where one of the words occurs.
    """
    readable = clause_filter(stores)
    if not terms or any(_stands(connection, term, readable, "any") for term in terms[:MAX_TERMS]):
        return ()
    words = list(dict.fromkeys(f"“{excerpt(term.text, _SHOWN)}{'*' * term.prefix}”" for term in terms))
    named = ", ".join(words[:_MOST_NAMED]) + (" …" if len(words) > _MOST_NAMED else "")
    return (Sentence(_ABSENT, words=named) if len(words) == 1 else Sentence(_ALL_ABSENT, words=named),)


def _stands(connection: apsw.Connection, term: Term, readable: ChunkFilter, mode: Mode = "all") -> bool:
    match = match_expression([term], mode)
    if match is None:
        return True
    row = connection.execute(
        "SELECT 1 FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid"
        f" WHERE chunks_fts MATCH ? AND {readable.sql} LIMIT 1",
        (match, *readable.values),
    ).fetchone()
    return row is not None
