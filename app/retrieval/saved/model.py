"""Values of saved searches."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """A search that a person keeps under a name.

    Args:
        id: Its id.
        name: What the person calls it.
        query: What is searched, as typed; no two saved searches have the same.
        created_at: When it was saved.
    """

    id: str
    name: str
    query: str
    created_at: datetime
