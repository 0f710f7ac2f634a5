"""People that a caller may see, with the count and time of their mentions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import apsw

from app.core.clock import optional_datetime
from app.entities.model import EntityFilter, EntityOrder
from app.entities.queries import entity_lists
from app.entities.queries.visibility import handle_column, within


@dataclass(frozen=True, slots=True)
class Person:
    """A person that messages and memories mention.

    Args:
        mentions: How often, as far as the caller may see; ``memories`` of them mention the person.
        last_at: When the latest of what mentions the person was said or happened, ``None`` when nothing does.
    """

    id: str
    name: str
    mentions: int
    memories: int
    last_at: datetime | None


def people(
    connection: apsw.Connection,
    text: str,
    order: EntityOrder,
    *,
    limit: int,
    offset: int,
    stores: Sequence[str],
) -> list[Person]:
    """Return the entities that are people, those whose names contain ``text``."""
    chosen = EntityFilter(text=text, types=("person",))
    handles = entity_lists.chosen_handles(connection, chosen, order, limit=limit, offset=offset, stores=stores)
    found = []
    for handle, row in entity_lists.rows_of(connection, handles, stores=stores).items():
        memories, latest = connection.execute(
            "SELECT count(DISTINCT CASE WHEN m.owner_kind = 'memory' THEN m.owner_id END), max(m.at) FROM mentions m"
            f" WHERE {handle_column(stores)} = ? AND {within(stores)}",
            (handle,),
        ).fetchall()[0]
        last = None if latest is None else optional_datetime(int(str(latest)))
        found.append(Person(row.id, row.name, row.mentions, int(str(memories)), last))
    return found
