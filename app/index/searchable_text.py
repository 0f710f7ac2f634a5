"""Searchable text of messages and memories: their text, and strings in tool calls."""

from collections.abc import Iterator

from app.core.text_rules.recall_fence import is_own_tool, without_recalled
from app.index.cjk_ngrams import ngrams_of
from app.memories.model import Memory
from app.sessions.model import Message
from app.store.words.tokenizer import kept_roots

MAX_CHUNK_CHARACTERS = 65_536
_MAX_DEPTH = 16
_ROLES = ("", "user")  # who is no name


def message_text(message: Message) -> str:
    """Return a message's content and the strings in the arguments of its tool calls.

    Text that an agent received from Keepsake and repeats is left out.
    """
    is_served = message.role == "tool" and is_own_tool(message.tool_name)
    content = "" if is_served else without_recalled(message.content)
    if not message.tool_calls:
        return content
    return "\n".join(part for part in (content, tool_text(message.tool_calls)) if part)


def index_entries(text: str) -> str:
    """Return what the index has of a text beside its words.

    It is character pairs of scripts without spaces, and the roots of words whose stems say too little.
    """
    return " ".join(filter(None, (ngrams_of(text), kept_roots(text))))


def tool_text(tool_calls: object) -> str:
    """Return the searchable text of tool calls: the strings in their arguments."""
    return "\n".join(text for text in _strings(tool_calls, 0) if text)


def memory_text(memory: Memory) -> str:
    """Return the searchable text of a memory.

    It is title, content, statements, category and key, the name of who said a fact, and related files and people.
    """
    parts = [memory.title, memory.content, *memory.facts]
    if memory.key:
        parts.append(f"{memory.category} {memory.key}")
    if (who := memory.said_by) not in _ROLES:
        parts.append(who)
    parts += [*memory.files, *memory.people]
    return "\n".join(part for part in parts if part)


def _strings(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < _MAX_DEPTH and isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner, depth + 1)
    elif depth < _MAX_DEPTH and isinstance(value, list):
        for inner in value:
            yield from _strings(inner, depth + 1)
