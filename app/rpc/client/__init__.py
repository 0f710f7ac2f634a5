"""Client of a running host: connects, greets, repeats what may be repeated, and subscribes again.

Importing this loads neither the engine nor the database; what a program does not use is not loaded either, so that a
hook, which needs a stream alone, starts 50 ms sooner.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from app.rpc.client.host_client import Client
    from app.rpc.credentials import Credentials
    from app.rpc.messages import EventListener

__all__ = ["Client", "Credentials", "EventListener"]

_PLACES = {
    "Client": "app.rpc.client.host_client",
    "Credentials": "app.rpc.credentials",
    "EventListener": "app.rpc.messages",
}


def __getattr__(name: str) -> Any:
    """Load a public name where it is used first."""
    if name not in _PLACES:
        raise AttributeError(name)
    return getattr(import_module(_PLACES[name]), name)
