"""The bytes of a database's files, its log, its free space and its word index."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from app.erasure import file_residue, fts_vocabulary, references
from app.index.repo import Chunk, insert_chunks
from app.store.connection import empty_log, open_writer
from app.store.store import DATABASE


@pytest.fixture
def writer(vault: Path) -> Iterator[apsw.Connection]:
    with closing(open_writer(vault / DATABASE)) as connection:
        yield connection


@pytest.mark.parametrize(
    "before", [0, 1, file_residue._BLOCK - 5, file_residue._BLOCK - 1, file_residue._BLOCK, 2 * file_residue._BLOCK - 3]
)
def test_a_text_is_found_wherever_it_lies(tmp_path: Path, before: int) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"." * before + "花园 in the file".encode() + b"." * 10)
    assert file_residue.found_in([file, tmp_path / "none"], ["花园 in", "not there", ""]) == {"花园 in"}
    assert file_residue.found_in([file], []) == set()


def test_what_is_deleted_is_overwritten_at_once(vault: Path, writer: apsw.Connection) -> None:
    writer.execute("INSERT INTO meta VALUES ('k', ?)", ("a secret of some length " * 500,))
    assert empty_log(writer)
    assert file_residue.found_in(file_residue.files_of(vault / DATABASE), ["secret of some"])
    writer.execute("DELETE FROM meta WHERE key = 'k'")
    assert file_residue.found_in(file_residue.files_of(vault / DATABASE), ["secret of some"])
    assert empty_log(writer)
    assert not file_residue.found_in(file_residue.files_of(vault / DATABASE), ["secret of some"])


def test_a_reader_keeps_the_log(vault: Path, writer: apsw.Connection) -> None:
    with closing(apsw.Connection(str(vault / DATABASE))) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM meta").fetchall()
        writer.execute("INSERT INTO meta VALUES ('k', 'v')")
        assert not empty_log(writer)
        reader.execute("ROLLBACK")
        assert empty_log(writer)


def add(writer: apsw.Connection, text: str) -> None:
    insert_chunks(writer, [Chunk("memory", text, "", 0, memory_id="m")])


def test_merging_takes_deleted_words_out_of_the_index(vault: Path, writer: apsw.Connection) -> None:
    with writer:
        for number in range(300):
            add(writer, f"quarterdeck{number} lighthouse")
    writer.execute("DELETE FROM chunks WHERE own_text LIKE 'quarterdeck7%'")
    with writer:
        file_residue.begin_merging_words(writer, "chunks_fts")
        while file_residue.merge_words(writer, "chunks_fts"):
            pass
        assert fts_vocabulary.known_terms(writer, "chunks_fts", ["quarterdeck7", "quarterdeck8", "lighthous"]) == {
            "quarterdeck8",
            "lighthous",
        }
        assert fts_vocabulary.known_substrings(writer, "chunks_fts", ["deck8", "deck7", "hous"]) == {"deck8", "hous"}
    writer.execute("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")


def test_words_are_those_the_index_would_make(writer: apsw.Connection) -> None:
    assert fts_vocabulary.terms_of(writer, "chunks_fts", ["Gardening GARDENS", "Crème 花园"]) == {
        "garden",
        "creme",
        "花园",
    }


def test_every_table_is_looked_through(writer: apsw.Connection) -> None:
    writer.execute("CREATE TABLE later (id TEXT, said TEXT) STRICT")
    writer.execute("INSERT INTO later VALUES ('x1', 'the lighthouse keeper')")
    add(writer, "a lighthouse keeper")
    assert references.find_quotes(writer, "lighthouse keeper") == [
        references.QuotingRow("chunks", "m"),
        references.QuotingRow("later", "x1"),
    ]
    assert references.find_quotes(writer, "nobody said this") == []
    assert references.find_quotes(writer, "remove_diacritics") == [references.QuotingRow(references.SCHEMA, "")]


def test_what_two_texts_side_by_side_make_up_is_of_neither(writer: apsw.Connection) -> None:
    writer.execute("CREATE TABLE later (id TEXT, hash TEXT, number INTEGER, form TEXT, kind TEXT) STRICT")
    writer.execute("CREATE INDEX later_by_kind ON later (kind, hash)")
    writer.execute("INSERT INTO later VALUES ('x1', '48b2', 7, 'markdown', NULL), ('x2', 'c0de', 7, 'wood', 'html2')")
    for needle, is_there in {
        "html2c0de": True,  # in the index alone
        "x148b2": True,
        "48b2markdown": False,
        "woodhtml2": True,
        "x1x2": False,
    }.items():
        assert references.find_quotes(writer, needle) == []
        assert references.meets_in_a_row(writer, needle) == is_there


def test_statistics_keep_no_names(writer: apsw.Connection) -> None:
    for number in range(50):
        add(writer, f"lighthouse {number}")
    writer.execute("ANALYZE")
    file_residue.forget_statistics(writer)
    assert writer.execute("SELECT count(*) FROM sqlite_stat4").get == 0


def test_rewriting_leaves_the_connection_as_it_was(vault: Path, writer: apsw.Connection) -> None:
    assert file_residue.has_room_to_rewrite(vault / DATABASE)
    add(writer, "lighthouse")
    file_residue.rewrite(writer)
    assert writer.pragma("temp_store") == 2
    assert writer.execute("SELECT text FROM chunk_texts").get == "lighthouse"


def test_words_that_merging_leaves_under_an_empty_level_go_when_the_index_is_rebuilt(
    writer: apsw.Connection, vault: Path
) -> None:
    add, remove = "INSERT INTO chunks_fts (rowid, text, grams) VALUES (?, ?, '')", "'delete', ?, ?, '')"
    texts = {number: f"xylozwickian {number}" for number in range(1, 9)}
    with writer:
        writer.executemany(add, texts.items())
    with writer:
        writer.executemany(f"INSERT INTO chunks_fts (chunks_fts, rowid, text, grams) VALUES ({remove}", texts.items())
    # The structure record: a cookie of four bytes, the number of levels, of segments, then the levels.
    (structure,) = writer.execute("SELECT block FROM chunks_fts_data WHERE id = 10").fetchone()
    empty = structure[:4] + bytes([structure[4] + 3]) + structure[5:] + bytes(6)
    writer.execute("UPDATE chunks_fts_data SET block = ? WHERE id = 10", (empty,))
    with closing(open_writer(vault / DATABASE)) as other:
        merged(other)
        assert holds(other, b"zwickian")
        file_residue.rebuild_words(other, "chunks_fts")
        assert not holds(other, b"zwickian")
        assert other.execute("SELECT count(*) FROM chunks_fts_docsize").fetchone() == (0,)


def merged(connection: apsw.Connection) -> None:
    file_residue.begin_merging_words(connection, "chunks_fts")
    while file_residue.merge_words(connection, "chunks_fts"):
        pass


def holds(connection: apsw.Connection, part: bytes) -> bool:
    return any(part in bytes(block) for (block,) in connection.execute("SELECT block FROM chunks_fts_data"))
