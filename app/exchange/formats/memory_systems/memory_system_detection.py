"""Recognition of exports and databases of other memory systems by their content."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from app.exchange.formats.memory_systems import gemini_activity, letta, memory_database, memory_list, message_list
from app.exchange.model import Record

READERS: Final[dict[str, Callable[[Path, Callable[[], bool]], Iterator[Record]]]] = {
    **memory_list.READERS,
    letta.NAME: letta.read,
    gemini_activity.NAME: gemini_activity.read,
    message_list.NAME: message_list.read,
    memory_database.NAME: memory_database.read,
}
NOISE: Final[dict[str, tuple[str, ...]]] = {
    letta.NAME: letta.NOISE,
    gemini_activity.NAME: gemini_activity.NOISE,
}
FORMATS: Final = tuple(READERS)
_FIELDS: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    (letta.NAME, frozenset({"agents.item.block_ids"})),
    (letta.NAME, frozenset({"agents.item.in_context_message_ids"})),
    (letta.NAME, frozenset({"agents.item.messages.item.role"})),
    (letta.NAME, frozenset({"agents", "blocks", "tools"})),
    (letta.NAME, frozenset({"agents.item.name", "blocks.item.label"})),
    (letta.NAME, frozenset({"core_memory.item.label", "agent_type"})),
    (letta.NAME, frozenset({"core_memory.item.label", "messages"})),
    (letta.NAME, frozenset({"memory_blocks.item.label", "messages"})),
    (memory_list.MEM0, frozenset({"results.item.memory"})),
    (memory_list.MEM0, frozenset({"results.item.data.memory"})),
    (memory_list.MEM0, frozenset({"item.memory", "item.id"})),
    (memory_list.MEMORY_SERVICE, frozenset({"memories.item.content", "memories.item.content_hash"})),
    (memory_list.MEMORY_SERVICE, frozenset({"item.content", "item.content_hash"})),
    (gemini_activity.NAME, frozenset({"item.header", "item.products", "item.time"})),
    (message_list.NAME, frozenset({"item.role", "item.content"})),
)


def by_fields(names: set[str]) -> str:
    """Return the format whose JSON has these fields, ``""`` for none."""
    return next((name for name, fields in _FIELDS if fields <= names), "")


def by_head(path: Path, head: bytes) -> str:
    """Return the format of a file that begins so, ``""`` for none.

    Raises:
        FormatError: It is a damaged database, or the database of a vault.
    """
    is_known = head.startswith(memory_database.BEGINNING) and memory_database.is_readable(path)
    return memory_database.NAME if is_known else ""
