"""Filter of the events that a subscriber asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.changes import AREAS, ChangeSet, Event
from app.core.stores import STORES
from app.errors import InputError
from app.sentence import Sentence

_FIELDS = ("areas", "stores", "progress")


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Events that a subscriber hears of.

    Args:
        areas: Changes in one of these areas, ``None`` for any.
        stores: Changes in one of these stores, ``None`` for any.
        progress: Whether it hears of the progress of long work.
    """

    areas: frozenset[str] | None = None
    stores: frozenset[str] | None = None
    progress: bool = True

    def accepts(self, event: Event) -> bool:
        """Return whether the subscriber hears of an event."""
        if not isinstance(event, ChangeSet):
            return self.progress
        if self.areas is not None and not self.areas & event.areas:
            return False
        stores = stores_of(event)
        # A change that names no store may be in any of them.
        return self.stores is None or not stores or not self.stores.isdisjoint(stores)


def stores_of(event: ChangeSet) -> frozenset[str]:
    """Return the stores that a change touched, none where it does not say."""
    scopes = event.scopes or ()
    return frozenset(name for scope in scopes for name in scope if name in STORES)


def event_filter(params: Mapping[str, Any]) -> EventFilter:
    """Return the filter in the arguments of ``subscribe``.

    Raises:
        InputError: An argument is unknown or of the wrong type.
    """
    if unknown := sorted(set(params) - set(_FIELDS)):
        raise InputError(
            Sentence("subscribe: there is no argument '{name}'.", name=unknown[0]), parameters=", ".join(_FIELDS)
        )
    progress = params.get("progress", True)
    if not isinstance(progress, bool):
        raise InputError("subscribe: 'progress' must be true or false.")
    stores = _names(params, "stores")
    if stores is not None and (wrong := stores - set(STORES)):
        raise InputError(Sentence("subscribe: there is no store '{name}'.", name=min(wrong)), stores=", ".join(STORES))
    areas = _names(params, "areas")
    if areas is not None and (wrong := areas - AREAS):
        raise InputError(
            Sentence(
                "subscribe: there is no area '{name}'. There are: {names}.",
                name=min(wrong),
                names=", ".join(sorted(AREAS)),
            ),
            field="areas",
        )
    return EventFilter(areas, stores, progress)


def _names(params: Mapping[str, Any], field: str) -> frozenset[str] | None:
    names = params.get(field)
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(Sentence("subscribe: '{field}' must be a list of texts.", field=field))
    return frozenset(names)
