"""Entities of other programs as records of an import."""

import uuid
from collections.abc import Sequence
from typing import Final

from app.core.text import storable
from app.entities.linking import MAX_NAME
from app.entities.model import registry_type
from app.exchange.model import VaultDetail

_SPACE: Final = uuid.UUID("0d1f4c1e-52a8-5b70-8c0f-656e74697479")


def foreign_entity(name: str, kind: str, aliases: Sequence[str], summary: str, made_ms: int) -> VaultDetail | None:
    """Return the record of an entity, ``None`` where its name cannot be stored.

    Args:
        name: Its name.
        kind: Its type as the other program names it.
        aliases: Its other names.
        summary: What is known of it in a few sentences.
        made_ms: When it was stored, milliseconds UTC.
    """
    names = [" ".join(storable(spelling)[0].split()) for spelling in (name, *aliases)]
    names = [name for name in dict.fromkeys(names) if name and len(name) <= MAX_NAME]
    if not names or names[0] != " ".join(name.split()):
        return None
    return VaultDetail(
        "entity",
        {
            "id": f"ent-{uuid.uuid5(_SPACE, f'{registry_type(kind)} {names[0]}')}",
            "name": names[0],
            "entity_type": registry_type(kind),
            "aliases": names,
            "summary": storable(summary)[0],
            "protected": False,
            "touched": True,
            "merged_into": None,
            "x": None,
            "y": None,
            "attributes": {},
            "created_at": made_ms,
            "updated_at": made_ms,
        },
    )
