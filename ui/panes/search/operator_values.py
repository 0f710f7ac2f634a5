"""Operator values to complete: the tags, agents, conversations, projects and entities of a vault."""

from typing import TYPE_CHECKING, Final

from app.entities.model import EntityFilter
from app.errors import KeepsakeError
from app.sessions.model import SessionFilter
from ui import operations
from ui.widgets.fields.search_box import Hint

if TYPE_CHECKING:
    from app.core.facets import Facet
    from app.entities.model import EntityRow
    from app.sessions.model import Session
    from ui.bridge import Bridge

COMPLETED: Final = frozenset({"tag", "agent", "session", "project", "entity"})
"""Operators whose values are looked up; those of the others are known beforehand."""
_LIMIT: Final = 20


async def operator_values(bridge: "Bridge", name: str, begun: str) -> list[Hint]:
    """Return values of an operator that begin with the typed text.

    The values used most often, or last, come first.

    Args:
        bridge: Who answers.
        name: One of ``COMPLETED``.
        begun: What is typed of the value.
    """
    try:
        if name == "tag":
            tags: list[Facet] = await bridge.call(operations.tag.list(prefix=begun.casefold(), limit=_LIMIT))
            return [Hint(tag.name) for tag in tags]
        if name == "agent":
            agents: list[Facet] = await bridge.call(operations.session.agents())
            return [Hint(agent.name) for agent in agents if agent.name]
        if name == "session":
            wanted = SessionFilter(text=begun)
            sessions: list[Session] = await bridge.call(operations.session.list(filter=wanted, limit=_LIMIT))
            return [Hint(title) for title in dict.fromkeys(session.title for session in sessions) if title]
        wanted_names = EntityFilter(text=begun, types=("project",)) if name == "project" else EntityFilter(prefix=begun)
        entities: list[EntityRow] = await bridge.call(operations.entity.list(filter=wanted_names, limit=_LIMIT))
        return [Hint(entity.name) for entity in entities]
    except KeepsakeError:
        return []  # without completion one can still type; a search says what is wrong
