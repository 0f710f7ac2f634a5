"""The index in memory: one object that owns every cache a search reads from."""

from typing import TYPE_CHECKING, Any

import apsw

from app.index.columns.chunk_columns import ChunkColumnCache, ChunkColumns
from app.index.columns.hidden_chunks import HiddenChunks
from app.index.columns.message_index import MessageIndex
from app.index.columns.posting_cache import PostingCache, PostingList
from app.index.columns.session_agents import SessionAgents
from app.index.columns.style_cache import StyleFeatureCache
from app.index.columns.text_cache import TextCache

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.integer[Any]]


class IndexCache:
    """The seven caches of one vault's index; safe to use from several threads.

    A chunk never changes and its id is never used again, so what was read once stays true. Each cache therefore only
    grows by later chunks, and a caller checks whether a chunk still exists.

    Attributes:
        agents: The agent of each session.
        texts: Folded texts that were read recently.
        hidden: Which chunks are not hidden.
        style_features: Style features and authors of messages.
        messages: Chunks of messages by session and sequence number.
    """

    def __init__(self) -> None:
        self.agents = SessionAgents()
        self.texts = TextCache()
        self.hidden = HiddenChunks()
        self.style_features = StyleFeatureCache()
        self.messages = MessageIndex()
        self._columns = ChunkColumnCache()
        self._postings = PostingCache()

    def columns(self, connection: apsw.Connection, last: int) -> ChunkColumns:
        """Return the columns of all chunks up to the id ``last`` at least."""
        return self._columns.refresh(connection, last)

    def posting(self, connection: apsw.Connection, expression: str, term: str, last: int) -> PostingList:
        """Return the chunks that match an expression; see ``PostingCache.posting``."""
        return self._postings.posting(connection, expression, term, last)

    def ids(self, connection: apsw.Connection, expression: str, last: int) -> "Ids":
        """Return the ids of the chunks that match an expression, ascending."""
        return self._postings.posting(connection, expression, "", last).ids

    def count(self, connection: apsw.Connection, expression: str, last: int) -> int:
        """Return how many chunks match an expression; see ``PostingCache.count``."""
        return self._postings.count(connection, expression, last)
