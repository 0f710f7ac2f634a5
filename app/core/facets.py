"""Facets: counts of values by which a list is narrowed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Facet:
    """One value of a facet and how many items have it."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Facets:
    """Counts by kind, tag, store and source over the items a filter leaves."""

    kinds: tuple[Facet, ...] = ()
    tags: tuple[Facet, ...] = ()
    stores: tuple[Facet, ...] = ()
    sources: tuple[Facet, ...] = ()
