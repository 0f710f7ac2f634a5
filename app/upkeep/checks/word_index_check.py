"""Check of the full-text index against the chunks' texts."""

import apsw

from app.index.rebuild import REPAIR
from app.sentence import Sentence
from app.upkeep.model import Finding


def is_word_index_sound(connection: apsw.Connection) -> Finding | None:
    """Return the damage of the full-text index.

    FTS5 checks it by a write, so this runs on the writer.
    """
    try:
        connection.execute("INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('integrity-check', 1)")
    except apsw.CorruptError as error:
        return word_index_damage(str(error))
    return None


def word_index_damage(reason: str) -> Finding:
    """Return the finding of a word index that does not match the texts."""
    what = Sentence("The word index does not match the texts: {reason}.", reason=reason)
    return Finding("words", "error", what, REPAIR, is_mended_by_repair=True)
