"""Members of a vault for tests of sealing: their keys, and the list in which they are."""

from dataclasses import dataclass, replace

from app.sync.sealing import member_list, primitives
from app.sync.sealing.device_keys import DeviceKeys, new_device_keys
from app.sync.sealing.member_list import Member, MemberList

VAULT = "a" * 32


@dataclass
class Founded:
    """A vault with its first member.

    Args:
        keys: The keys of the first member.
        entries: The entries of the list.
        lists: The list as of each.
    """

    keys: DeviceKeys
    entries: list[bytes]
    lists: list[MemberList]

    @property
    def members(self) -> MemberList:
        """The list as it is now."""
        return self.lists[-1]

    def add(self, after: MemberList, keys: DeviceKeys, names: dict[str, str] | None = None) -> bytes:
        """Add an entry, and return it."""
        data = member_list.entry(self.members, after, keys, names or {})
        self.lists.append(member_list.following(self.members, data))
        self.entries.append(data)
        return data

    def join(self) -> DeviceKeys:
        """Add a member, and return its keys."""
        keys = replace(new_device_keys(), shared=self.keys.shared, epochs=self.keys.epochs, anchor=self.keys.anchor)
        self.add(member_list.with_device(self.members, member_of(keys)), self.keys)
        return keys


def member_of(keys: DeviceKeys) -> Member:
    return Member(
        primitives.public_signing_key(keys.signing), primitives.public_receiving_key(keys.receiving[-1]), 1_000
    )


def founded(vault: str = VAULT) -> Founded:
    keys = replace(new_device_keys(), shared=primitives.random_key(), epochs={1: primitives.random_key()})
    first = replace(member_list.with_device(MemberList(vault), member_of(keys)), epoch=1)
    data = member_list.entry(MemberList(vault), first, keys, {keys.id: "desktop"})
    lists = [member_list.following(MemberList(vault), data)]
    return Founded(replace(keys, anchor=lists[0].digest), [data], lists)
