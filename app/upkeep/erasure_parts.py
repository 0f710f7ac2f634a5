"""Builds the erasure of a vault: forgetting for ever, wherever a text is kept."""

from functools import partial
from typing import TYPE_CHECKING

from app.entities import name_eraser
from app.entities.entity_eraser import EntityEraser
from app.erasure.service import ErasureService
from app.index import repo, session_reindex
from app.index.worker import IndexWorker
from app.memories.memory_eraser import MemoryEraser
from app.retrieval.parts import SearchCaches
from app.retrieval.saved.saved_search_eraser import SAVED_SEARCH_ERASER
from app.retrieval.service import SearchService
from app.runtime import Runtime
from app.schedule.schedule_eraser import SCHEDULE_ERASER
from app.sessions.session_eraser import SessionEraser

if TYPE_CHECKING:
    from app.erasure.eraser import Eraser


def build(runtime: Runtime, search: SearchService, worker: IndexWorker) -> ErasureService:
    """Build the erasure.

    Args:
        runtime: What all parts share.
        search: The search, which keeps words in memory.
        worker: The worker of the index, which keeps vectors in memory.
    """
    hide_entries = partial(session_reindex.begin, is_leaving=True)
    erasers: dict[str, Eraser] = {
        "memory": MemoryEraser(repo.delete_of_memory),
        "session": SessionEraser(repo.delete_of_session, hide_entries),
        "schedule": SCHEDULE_ERASER,
        "saved_search": SAVED_SEARCH_ERASER,
        "entity": EntityEraser(),
    }
    caches = SearchCaches(search, worker)
    return ErasureService(runtime.store, erasers, name_eraser, runtime.clock, caches.clear, runtime.publish)
