"""Exchange point: a place that keeps segments for the machines of one person.

All verbs may be repeated. An object is never changed; only its lane's writer makes or removes it.
"""

import re
from collections.abc import Sequence
from typing import Final, Protocol

VAULT_ID: Final = re.compile(r"[0-9a-f]{32}")
LANE_NAME: Final = re.compile(r"[0-9a-f]{16}")
OBJECT_NAME: Final = re.compile(
    r"s-[0-9]{12}-[0-9]{12}(-r[0-9]{1,9})?|k-[0-9]{6}-[0-9a-f]{32}-[0-9]{1,6}|m-[0-9]{6}|[dj]-[0-9a-f]{32}-[0-9]{12}"
    r"|[iqa]-[0-9a-f]{32}(-[0-9a-f]{32})?|h-[0-9]{6}-[0-9a-f]{32}|p-[0-9]{6}-[0-9a-f]{32}-[0-9a-f]{8}-[0-9]{6}"
)
LEASES: Final = "jobs"
"""First part of the names of leases; whoever waits for one looks by itself, and nobody is told of them."""
MOST_BYTES: Final = 320 << 20
"""No object is larger; of a longer answer nothing is kept."""


class ExchangePoint(Protocol):
    """Place that keeps the objects of one vault.

    Each verb may take long, and raises a ``MachineError`` where the place cannot be reached.
    """

    def require_there(self) -> None:
        """Refuse where the place is not there; an empty one is not taken for it."""

    def put_new(self, name: str, data: bytes) -> bool:
        """Keep an object under a new name; return False where another one has it.

        Where the answer to an attempt was lost, the object is there already, and that is no other one.
        """

    def gives_names_once(self) -> bool:
        """Return whether ``put_new`` holds where two machines write one name at the same moment.

        As far as that can be tried; it is tried once.
        """

    def get(self, name: str) -> bytes | None:
        """Return an object by its name, ``None`` where there is none."""

    def names(self, prefix: str) -> Sequence[str]:
        """Return the names that begin with a prefix and a slash, in order."""

    def lanes(self) -> Sequence[str]:
        """Return what stands before the slash of the names."""

    def remove(self, name: str) -> None:
        """Remove an object, if it is there."""

    @property
    def hears(self) -> bool:
        """Return whether the place tells of what is new."""

    @property
    def is_near(self) -> bool:
        """Return whether looking costs nothing, as in a folder of this machine."""

    def wait(self, seconds: float) -> bool:
        """Wait until another machine adds something, or some seconds; return whether it did.

        Leases do not count. Only for a place that ``hears``; another one returns False at once.
        """

    def close(self) -> None:
        """Let go of the place; safe to call twice."""


class ExchangePlace(Protocol):
    """Place that a person names, before it is known which vault it is for.

    Both verbs raise a ``MachineError`` where the place cannot be reached or written.
    """

    address: str
    """The address as it is kept, without what must stay secret."""

    def vault(self) -> str | None:
        """Return the id of the vault that the place is for, ``None`` without one.

        Raises:
            ExchangeError: It is that of several.
        """

    def make_vault(self, vault: str) -> None:
        """Make the place the exchange point of a vault, unless it is that already."""

    def point(self, vault: str) -> ExchangePoint:
        """Return the exchange point of a vault; nothing is looked at yet."""
