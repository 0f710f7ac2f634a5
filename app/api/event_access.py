"""Events that a caller may see: those of its stores and its own conversations."""

from dataclasses import replace
from typing import Final

from app.api.caller import Caller
from app.changes import Area, ChangeSet, Event, Progress, Scope, joined_scopes

# What full trust reads; settings, agents and the inbox are the person's.
_READABLE_AREAS: Final[frozenset[Area]] = frozenset(
    {"sessions", "messages", "memories", "tags", "links", "entities", "index", "schedules"}
)
_OF_SESSIONS: Final[frozenset[Area]] = frozenset({"sessions", "messages"})
_OF_MEMORIES: Final[frozenset[Area]] = frozenset({"memories", "tags", "links"})


def visible(event: Event, caller: Caller) -> Event | None:
    """Return the part of an event that a caller may see, ``None`` for nothing.

    The person sees everything. An agent with full trust sees every change of what it may read. Others see those of the
    memories in their stores and of their own conversations, as if nothing else had changed.
    """
    if caller.is_owner:
        return event
    if caller.state != "active":
        return None
    if isinstance(event, Progress):
        return None  # only the person begins jobs
    if caller.reaches("full"):
        areas = event.areas & _READABLE_AREAS
        return replace(event, areas=areas) if areas else None
    return _narrowed(event, caller)


def _narrowed(event: ChangeSet, caller: Caller) -> ChangeSet | None:
    """Return the part of a change in the stores and conversations of a caller."""
    if event.scopes is None:
        return None
    reach: set[str] = {*caller.stores}
    if caller.reaches("familiar"):
        reach.add(f"agent:{caller.name}")
    visible_scopes = [tuple(name for name in scope if name in reach) for scope in event.scopes]
    places = [place for place, scope in enumerate(visible_scopes) if scope]
    if not places:
        return None
    # Entities have other ids for those who do not see all that names them.
    is_named = event.ids and "entities" not in event.areas
    ids = tuple(event.ids[place] for place in places) if is_named else ()
    scopes = (
        tuple(visible_scopes[place] for place in places)
        if is_named
        else joined_scopes(visible_scopes[place] for place in places)
    )
    areas = event.areas & _areas([event.scopes[place] for place in places], event.areas)
    return replace(event, areas=areas, ids=ids, scopes=scopes, history_ids=()) if areas else None


def _areas(scopes: list[Scope], areas: frozenset[Area]) -> frozenset[Area]:
    """Return the areas that scopes of a change may lie in.

    A conversation lies in a store and is an agent's; what an entity's change has of an agent is a relation.
    """
    is_agents = [any(name.startswith("agent:") for name in scope) for scope in scopes]
    if areas & _OF_SESSIONS:
        of_sessions, has_memories = _OF_SESSIONS if any(is_agents) else frozenset(), not all(is_agents)
    else:
        of_sessions, has_memories = (
            frozenset(),
            any(not name.startswith("agent:") for scope in scopes for name in scope),
        )
    return of_sessions | (_OF_MEMORIES if has_memories else frozenset()) | {"entities"}
