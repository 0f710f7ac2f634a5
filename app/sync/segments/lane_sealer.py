"""Sealing of segments and snapshots by a member, and opening of those of others."""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.errors import ExchangeError
from app.sync.sealing import key_manifest, sealed_object
from app.sync.sealing.device_keys import DeviceKeys
from app.sync.sealing.key_manifest import Pinned
from app.sync.sealing.member_list import MemberList
from app.sync.sealing.sealed_object import SealedObject
from app.sync.sealing.signed_text import TornError
from app.sync.segments import lane_segment
from app.sync.segments.capture import LanePart
from app.sync.segments.lane_segment import Forgotten, Segment, SegmentPlace

_DIGEST_BYTES: Final = 16
_FIELDS: Final = ("first", "last", "previous", "digest")
_COVERED: Final = "covered"


class OtherEpochError(ExchangeError):
    """A segment was sealed in an epoch whose key is not here."""

    code = "exchange_epoch"


class RemovedWriterError(ExchangeError):
    """A machine that was removed wrote a segment afterwards."""

    code = "exchange_removed"


class CoveredError(ExchangeError):
    """A snapshot has the changes of a segment, and is not whole at the place."""

    code = "exchange_covered"


@dataclass(frozen=True, slots=True)
class SegmentHeader:
    """Header of a segment, as its writer signed it.

    Args:
        first: The number of its first change.
        last: That of the last.
        previous: The digest of the segment before it, ``""`` for the first.
        digest: What the next one names as the one before it.
    """

    first: int
    last: int
    previous: str
    digest: str


class LaneSealer:
    """Seals segments as one device, and opens those of all members.

    Any thread may use it.

    Args:
        keys: The keys of the device.
        members: The list of members as it is now.
        pinned: By what names begin with, the keys of what was sealed in an earlier epoch.
    """

    def __init__(self, keys: DeviceKeys, members: MemberList, pinned: Callable[[str], Pinned]) -> None:
        self._keys = keys
        self._members = members
        self._pinned = pinned

    @property
    def device(self) -> str:
        """The id of the device."""
        return self._keys.id

    @property
    def vault(self) -> str:
        """The id of the vault."""
        return self._members.vault

    def is_member(self, device: str) -> bool:
        """Return whether a device is a member."""
        return device in self._members.members

    def seal(self, part: LanePart, previous: str, revision: int = 0) -> tuple[str, bytes, str]:
        """Return changes as a sealed segment: its name, its bytes and its digest.

        Args:
            part: The changes.
            previous: The digest of the segment before it, ``""`` for the first.
            revision: How often it was written anew.
        """
        text, header = lane_segment.encode(part, self.vault, previous)
        name = f"{part.lane:016x}/s-{part.first:012d}-{part.last:012d}{f'-r{revision}' if revision else ''}"
        digest = self._digest(header)
        return name, self._sealed(name, text, SegmentHeader(part.first, part.last, previous, digest)), digest

    def digest_of(self, part: LanePart, previous: str) -> str:
        """Return the digest that changes have as a segment."""
        return self._digest(lane_segment.encode(part, self.vault, previous)[1])

    def header(self, name: str, data: bytes) -> SegmentHeader:
        """Return the header of a segment that is whole and signed.

        Raises:
            TornError: It ends too early.
            ExchangeNewerError: A newer Keepsake wrote it.
            ExchangeError: It is damaged, or nobody's whose word counts.
        """
        found = self._read(name, data)
        self._secret(found)
        return _header(found)

    def is_of_removed(self, name: str, data: bytes) -> bool:
        """Return whether a segment was signed by a device that was removed."""
        try:
            found = self._read(name, data)
        except (TornError, ExchangeError):
            return False
        return found.device not in self._members.members

    def open(self, name: str, data: bytes, place: SegmentPlace) -> Segment:
        """Return what a segment holds, once all of it was checked.

        Args:
            name: The name in the exchange.
            data: The object there.
            place: Where it stands in its lane.

        Raises:
            TornError: It ends too early.
            ExchangeNewerError: A newer Keepsake wrote it.
            CoveredError: A snapshot has what it held.
            ExchangeError: It is damaged, of another vault or lane, not the next one, or nobody's whose word counts.
        """
        found = self._read(name, data)
        header, text = _header(found), self._text(found)
        if _COVERED in found.fields:
            raise not_whole()
        lane_segment.require_next(
            {"vault": self.vault, "lane": place.lane, "first": header.first, "previous": header.previous}, place
        )
        part = lane_segment.decode(text, place)
        if part.last != header.last or not name.startswith(f"{part.lane:016x}/"):
            raise sealed_object.damaged(name)
        return Segment(header.digest, part)

    def without(self, name: str, data: bytes, forgotten: Forgotten, anew: str) -> bytes | None:
        """Return a segment without what was forgotten, ``None`` where it has nothing of it.

        Args:
            name: The name in the exchange.
            data: The object there.
            forgotten: What was forgotten for ever.
            anew: The name that the segment gets.

        Raises:
            TornError: It ends too early.
            ExchangeError: It is damaged, or nobody's whose word counts.
        """
        found = self._read(name, data)
        text = lane_segment.without(self._text(found), forgotten)
        return None if text is None else self._sealed(anew, text, _header(found))

    def text(self, name: str, data: bytes) -> bytes:
        """Return what a segment holds, packed, wherever in its lane it stands; raises like ``open``."""
        return self._text(self._read(name, data))

    def snapshot(self, name: str, text: bytes) -> bytes:
        """Return a part of a snapshot as a sealed object; ``text`` reads it."""
        return sealed_object.seal(
            self._keys, self._members.epoch, self.vault, name, text, {}, min_reader=sealed_object.SNAPSHOT_READER
        )

    def cover(self, name: str, last: int, digest: str) -> bytes:
        """Return a cover: a sealed segment without content, for those that a snapshot has.

        A Keepsake that does not know snapshots reads from it that it is too old.

        Args:
            name: The name that it gets.
            last: The number of the last change.
            digest: What the next segment names as the one before it.
        """
        fields = {"first": 1, "last": last, "previous": "", "digest": digest, _COVERED: True}
        body = lane_segment.pack(lane_segment.dump({"lines": []}), ())
        return sealed_object.seal(
            self._keys, self._members.epoch, self.vault, name, body, fields, min_reader=sealed_object.SNAPSHOT_READER
        )

    def is_cover(self, name: str, data: bytes) -> bool:
        """Return whether an object is a cover, whole and signed."""
        try:
            found = self._read(name, data)
            self._secret(found)
        except (TornError, ExchangeError):
            return False
        return _COVERED in found.fields

    def _sealed(self, name: str, text: bytes, header: SegmentHeader) -> bytes:
        fields = {field: getattr(header, field) for field in _FIELDS}
        return sealed_object.seal(self._keys, self._members.epoch, self.vault, name, text, fields)

    def _read(self, name: str, data: bytes) -> SealedObject:
        return sealed_object.read(data, self.vault, name, self._members.signing_keys)

    def _text(self, found: SealedObject) -> bytes:
        return sealed_object.opened(found, self._secret(found))

    def _secret(self, found: SealedObject) -> bytes:
        """Return the key of a segment whose writer may have written it."""
        prefix = found.name.partition("/")[0]
        if found.epoch > self._members.epoch:
            raise OtherEpochError("The list of your machines is still being copied. Wait until the place is complete.")
        if found.epoch == self._members.epoch and found.device in self._members.members:
            secret = sealed_object.key_of(found, self._keys)
        else:
            secret = key_manifest.key_in(self._pinned(prefix), found)
        if secret is not None:
            return secret
        if found.device not in self._members.members:
            raise RemovedWriterError("What a machine wrote after it was removed is not taken in.", lane=prefix)
        raise OtherEpochError(
            "Another machine sealed changes with a key that is no longer used. They come here once it has met the"
            " others again.",
            lane=prefix,
        )

    def _digest(self, header: str) -> str:
        # Keyed, so that who keeps the exchange cannot try out what a segment may say.
        return hmac.new(self._keys.digest_key, header.encode(), hashlib.sha256).hexdigest()[: 2 * _DIGEST_BYTES]


def not_whole() -> CoveredError:
    """Return the error for a snapshot that is needed and not whole at the place."""
    return CoveredError(
        "Changes of your machines are in a snapshot, which is not whole at the place yet. They come here as soon as it"
        " is."
    )


def _header(found: SealedObject) -> SegmentHeader:
    fields = found.fields
    try:
        return SegmentHeader(int(fields["first"]), int(fields["last"]), str(fields["previous"]), str(fields["digest"]))
    except (LookupError, TypeError, ValueError):
        raise sealed_object.damaged(found.name) from None
