"""Schema comparison: whether a vault's tables are those that its migrations make."""

import re
from collections.abc import Sequence
from contextlib import closing

import apsw

from app.store.connection import register_schema_functions

_COMMENT = re.compile(r"--[^\n]*")
_SPACE = re.compile(r"\s+")
_LOOSE = re.compile(r"\s*([(),;=<>])\s*")
_MADE_LATER = re.compile(r"(token_)?vectors_\d+")  # tables of vectors come and go with the models that make them

Objects = frozenset[tuple[str, str, str]]


def objects_of(connection: apsw.Connection) -> Objects:
    """Return type, name and SQL of all schema objects, without comments and layout."""
    rows = connection.execute("SELECT type, name, coalesce(sql, '') FROM main.sqlite_schema ORDER BY name")
    return frozenset(
        (str(kind), str(name), _plain(str(sql)))
        for kind, name, sql in rows
        if not str(name).startswith("sqlite_") and not _MADE_LATER.match(str(name))
    )


def expected_objects(scripts: Sequence[str]) -> Objects:
    """Return the schema that SQL ``scripts`` make, run in order on an empty database."""
    with closing(apsw.Connection(":memory:")) as scratch:
        register_schema_functions(scratch)
        for script in scripts:
            scratch.execute(script)
        return objects_of(scratch)


def _plain(sql: str) -> str:
    return _LOOSE.sub(r"\1", _SPACE.sub(" ", _COMMENT.sub(" ", sql))).strip()
