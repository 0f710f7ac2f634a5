"""Default store of an agent's memories."""

from app.api.caller import Caller
from app.core.stores import StoreName
from app.errors import AccessDeniedError
from app.sentence import Sentence


def default_store(caller: Caller, named: StoreName | None) -> StoreName:
    """Return the store that was named, else the most private one that the caller sees.

    Raises:
        AccessDeniedError: The caller sees no store, or not the one named.
    """
    if named is None and caller.stores:
        return caller.stores[0]
    if named is None or named not in caller.stores:
        allowed = " or ".join(caller.stores) or "no store"
        raise AccessDeniedError(
            Sentence(
                "{agent} has {trust} trust and stores in {allowed}.",
                agent=caller.name,
                trust=caller.trust,
                allowed=allowed,
            ),
            store=named,
        )
    return named
