"""BM25 gives the numbers of the formula, and those of FTS5."""

import apsw
import numpy as np
import pytest

from app.retrieval.bm25 import LEAST_IDF, fts5_idf, length_norm, positive_idf, term_frequency


def test_golden_numbers() -> None:
    assert length_norm(1.0) == pytest.approx(1.2)
    assert length_norm(2.0) == pytest.approx(2.1)
    assert length_norm(2.0, 0.5) == pytest.approx(1.8)
    assert term_frequency(1.0, length_norm(1.0)) == pytest.approx(1.0)
    assert term_frequency(3.0, length_norm(0.5)) == pytest.approx(6.6 / 3.75)
    assert term_frequency(np.array([0.0, 1.0]), np.array([1.2, 1.2])).tolist() == pytest.approx([0.0, 1.0])
    assert fts5_idf(100, 3) == pytest.approx(3.3271, abs=1e-4)
    assert fts5_idf(4, 3) == LEAST_IDF
    assert positive_idf(4, 3) == pytest.approx(0.3567, abs=1e-4)
    assert positive_idf(4, 9) > 0


def test_it_is_the_formula_of_fts5() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (text)")
    texts = ["heron heron lake", "heron", "lake of many words without any bird", "a mill", "an elm and a lock"]
    connection.executemany("INSERT INTO t (text) VALUES (?)", [(text,) for text in texts])
    mean = sum(len(text.split()) for text in texts) / len(texts)
    for rowid, score in connection.execute("SELECT rowid, -bm25(t) FROM t WHERE t MATCH 'heron'"):
        words = texts[rowid - 1].split()
        expected = fts5_idf(5, 2) * term_frequency(float(words.count("heron")), length_norm(len(words) / mean))
        assert score == pytest.approx(expected, rel=1e-6)
