"""Vocabulary of a full-text index: its words of a text, and its remaining words."""

import json
import re
import shlex
from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

import apsw

_TOKENIZER = re.compile(r"tokenize\s*=\s*\"([^\"]*)\"")
_VOCABULARY = "temp.words_known"


def terms_of(connection: apsw.Connection, table: str, texts: Iterable[str]) -> set[str]:
    """Return the words that the index ``table`` makes of ``texts``, stemmed as it stems them."""
    sql = str(connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).get)
    option = _TOKENIZER.search(sql)
    name, *arguments = shlex.split(option[1]) if option else ("unicode61",)
    tokenizer: Any = partial(  # the answer's type depends on the options
        connection.fts5_tokenizer(name, arguments), include_offsets=False, include_colocated=False
    )
    return {term for text in texts for term in tokenizer(text.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None)}


def known_terms(connection: apsw.Connection, table: str, terms: Collection[str]) -> set[str]:
    """Return the ``terms`` that a text in the index still has.

    Runs on the writer, in a transaction.
    """
    connection.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {_VOCABULARY} USING fts5vocab ('main', '{table}', 'row')")
    rows = connection.execute(
        f"SELECT w.value FROM json_each(?) w WHERE EXISTS (SELECT 1 FROM {_VOCABULARY} v WHERE v.term = w.value)",
        (json.dumps(list(terms)),),
    )
    return {str(row[0]) for row in rows}


def known_substrings(connection: apsw.Connection, table: str, parts: Collection[str]) -> set[str]:
    """Return the ``parts`` that are inside a word of the index.

    Reads all words, on the writer.
    """
    connection.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS {_VOCABULARY} USING fts5vocab ('main', '{table}', 'row')")
    rows = connection.execute(
        f"SELECT w.value FROM json_each(?) w WHERE EXISTS (SELECT 1 FROM {_VOCABULARY} v WHERE instr(v.term, w.value))",
        (json.dumps(list(parts)),),
    )
    return {str(row[0]) for row in rows}
