"""Values of salvage: what became of each table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SalvagedTable:
    """Result of the salvage of one table.

    Args:
        name: Its name.
        kept: Rows in the new vault.
        lost: Rows that an index of the damaged vault knows and that could not be read; ``None`` when that cannot be
            said.
        broken_pages: Pages of it that could not be read in full.
        refused: Rows left out, for they broke a rule of the vault or belonged to something lost.
    """

    name: str
    kept: int
    lost: int | None
    broken_pages: int
    refused: int


@dataclass(frozen=True, slots=True)
class SalvageReport:
    """Report of a salvage: the content saved and lost.

    Args:
        source: The damaged vault, left as it was.
        into: The new vault.
        tables: What became of each table.
        broken_pages: Pages of the database, those of indexes among them, that could not be read in full.
        found_again: Rows found on pages that nothing led to any more; something deleted may be among them.
        regained: Rows of broken pages that the search index or the history still had the words of.
        sessions_made: Conversations of which only messages were left.
        attachments_lost: Names of attachments that could not be read.
    """

    source: str
    into: str
    tables: tuple[SalvagedTable, ...]
    broken_pages: int
    found_again: int
    regained: int
    sessions_made: int
    attachments_lost: tuple[str, ...] = ()
