"""The engine behind a host, for what no operation offers."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.api.registry import Catalogue
    from app.host import Host


def engine_of(host: "Host") -> Any:
    """Return the engine of ``host``, to look at its parts or to put others in their place."""
    return engine_behind(host.catalogue)


def engine_behind(catalogue: "Catalogue") -> Any:
    """Return the engine that the operations of ``catalogue`` work on."""
    return catalogue._engine
