"""Values of devices: machines of a person, invitations and who answers them."""

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Device:
    """Machine that shares the memory, or did.

    Args:
        id: Its id.
        name: Its name.
        is_this: Whether it is this one.
        added_at: When it was added.
        last_seen_at: When it last met the others, as far as it is known here.
        behind: How many changes that are known here it does not have yet; of this one, how many others have.
        removed_at: When it was removed, ``None`` for a member.
        schedules: The ids of the schedules that it ran last for all machines, as far as it is known here.
        erased: How many of the things that were erased for ever it has erased, as far as it is known here.
        unerased: How many of them it has still to erase; 0 of a removed one, which hears of them no more.
    """

    id: str
    name: str
    is_this: bool
    added_at: datetime
    last_seen_at: datetime | None
    behind: int
    removed_at: datetime | None
    schedules: tuple[str, ...] = ()
    erased: int = 0
    unerased: int = 0


@dataclass(frozen=True, slots=True)
class Invitation:
    """Invitation of one more machine.

    Args:
        words: Twelve words, which only that machine's person may see.
        address: The address of the place, without a password.
        expires_at: Until when they count.
        place: The address of a server with its login, sealed: of no use without the words. ``""`` for a folder, which
            has another path on each machine.
    """

    words: str = field(repr=False)
    address: str
    expires_at: datetime
    place: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class JoinRequest:
    """Request of a machine that was given the words of an invitation.

    Args:
        id: The id of the machine.
        name: The name that it gives itself.
        requested_at: When it was first seen here.
    """

    id: str
    name: str
    requested_at: datetime
