"""Erasure of a saved search."""

from typing import Final

from app.erasure.rows_eraser import RowsEraser

SAVED_SEARCH_ERASER: Final = RowsEraser(
    kind="saved_search",
    own=(("meta", "key = 'saved_search_by:' || :id"), ("saved_searches", "id = :id")),
    said=("SELECT name, query FROM saved_searches WHERE id = :id",),
    hidden="UPDATE saved_searches SET deleted_at = :at WHERE id = :id AND deleted_at IS NULL",
    states=("name", "query"),
)
