"""Posting lists agree with FTS5."""

from collections.abc import Iterator

import apsw
import pytest

from app.index.cjk_ngrams import ngrams_of
from app.index.columns import posting_cache as module
from app.index.columns.chunk_columns import last_chunk
from app.index.columns.index_cache import IndexCache
from app.retrieval.query.match_expression import quote
from app.store.connection import VOCABULARY_TABLE


@pytest.fixture
def connection() -> Iterator[apsw.Connection]:
    made = apsw.Connection(":memory:")
    made.execute(
        "CREATE TABLE chunks (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT, grams TEXT);"
        "CREATE VIRTUAL TABLE chunks_fts USING fts5 (text, grams, content='chunks', content_rowid='id',"
        " tokenize=\"porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'\");"
    )
    yield made
    made.close()


def put(connection: apsw.Connection, *texts: str) -> None:
    for text in texts:
        connection.execute("INSERT INTO chunks (text, grams) VALUES (?, ?)", (text, ngrams_of(text)))
        connection.execute(
            "INSERT INTO chunks_fts (rowid, text, grams) VALUES (last_insert_rowid(), ?, ?)", (text, ngrams_of(text))
        )


def found(connection: apsw.Connection, index_cache: IndexCache, word: str) -> list[int]:
    return [int(one) for one in index_cache.ids(connection, quote(word), last_chunk(connection))]


def test_later_chunks_are_added_to_what_was_kept(connection: apsw.Connection) -> None:
    index_cache = IndexCache()
    assert found(connection, index_cache, "heron") == []
    put(connection, "a heron", "an elm", "herons")
    assert found(connection, index_cache, "heron") == [1, 3]
    put(connection, "an owl", "the heron's nest")
    assert found(connection, index_cache, "heron") == [1, 3, 5]
    assert index_cache.count(connection, quote("heron"), 5) == 3
    put(connection, "heron")
    assert index_cache.count(connection, quote("heron"), 6) == 3 + 1


def test_only_so_many_are_kept(connection: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT_IDS", 2 * module._OVERHEAD + 8)
    monkeypatch.setattr(module, "KEPT_COUNTS", 2)
    put(connection, *["one two three four five six"] * 2)
    index_cache = IndexCache()
    for _ in range(2):
        for word in ("one", "two", "three", "four", "five", "six"):
            assert found(connection, index_cache, word) == [1, 2]
            assert index_cache.count(connection, quote(word), 2) == 2


def test_how_often_a_word_is_there_is_known_where_the_connection_lists_words(connection: apsw.Connection) -> None:
    put(connection, "a heron", "an elm", "herons, heron and the heron's heron")

    def times(index_cache: IndexCache, term: str = "heron") -> tuple[list[int], list[int]]:
        got = index_cache.posting(connection, quote("heron"), term, last_chunk(connection))
        return got.ids.tolist(), got.times.tolist()

    assert times(IndexCache()) == ([1, 3], [0, 0])
    connection.execute(
        f"CREATE VIRTUAL TABLE temp.{VOCABULARY_TABLE} USING fts5vocab ('main', 'chunks_fts', 'instance')"
    )
    index_cache = IndexCache()
    assert times(index_cache) == ([1, 3], [1, 4])
    assert times(IndexCache(), "") == ([1, 3], [0, 0])
    put(connection, "heron heron")
    assert times(index_cache) == ([1, 3, 4], [1, 4, 0])
    assert times(IndexCache()) == ([1, 3, 4], [1, 4, 2])
