"""Document frequencies of full-text expressions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw

if TYPE_CHECKING:
    from app.index.columns.index_cache import IndexCache


def frequencies(
    connection: apsw.Connection, expressions: Sequence[str], index_cache: "IndexCache | None" = None
) -> tuple[int, list[int]]:
    """Return the approximate number of chunks, and how many match each FTS expression."""
    total = connection.execute("SELECT coalesce(max(id), 0) FROM chunks").get
    if index_cache is not None:
        return int(total), [index_cache.count(connection, expression, int(total)) for expression in expressions]
    sql = "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH ?"
    return int(total), [int(connection.execute(sql, (expression,)).get) for expression in expressions]
