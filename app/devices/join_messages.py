"""Messages of a pairing: invitation, request and answer.

They are sealed under the secret that the words say. It has 128 random bits and counts for some minutes, so that who
keeps the place can neither guess it nor put a request or an answer of its own there. Each message is bound to its name,
and an answer to the request that it answers.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from app.errors import InputError
from app.sync.membership import checked_name
from app.sync.sealing import primitives, signed_text
from app.sync.sealing.device_keys import DeviceKeys
from app.sync.sealing.member_list import Member
from app.sync.sealing.primitives import NotOpenedError
from app.sync.sealing.signed_text import MalformedError, TornError

PREFIX: Final = "join"
APPROVED, REFUSED, USED, EXPIRED = "approved", "refused", "used", "expired"
_ID_BYTES: Final = 16
_ID, _INVITATION, _REQUEST, _ANSWER, _BOX = (
    "invitation id", "invitation", "join request", "join answer", "keys of members",
)  # fmt: skip


def is_of(name: str, invitation: str) -> bool:
    """Return whether a name is that of a message of an invitation, by its id."""
    return name.partition("/")[2][2:].partition("-")[0] == invitation


@dataclass(frozen=True, slots=True)
class JoinMessages:
    """Names and keys of the messages of one invitation.

    Args:
        vault: The id of the vault.
        secret: What the words say.
    """

    vault: str
    secret: bytes = field(repr=False)

    @property
    def id(self) -> str:
        """The id of the invitation, which does not tell the secret."""
        return primitives.derived(self.secret, _ID, _ID_BYTES).hex()

    @property
    def invitation_name(self) -> str:
        """The name of the invitation."""
        return f"{PREFIX}/i-{self.id}"

    @property
    def request_prefix(self) -> str:
        """The beginning of the names of all requests."""
        return f"{PREFIX}/q-{self.id}-"

    def request_name(self, device: str) -> str:
        """Return the name of a device's request."""
        return self.request_prefix + device

    def answer_name(self, device: str) -> str:
        """Return the name of the answer to a device."""
        return f"{PREFIX}/a-{self.id}-{device}"

    def invitation(self) -> bytes:
        """Return the invitation."""
        return self._sealed(_INVITATION, self.invitation_name, b"")

    def is_invitation(self, data: bytes) -> bool:
        """Return whether an object is the invitation."""
        try:
            self._opened(_INVITATION, self.invitation_name, data)
        except NotOpenedError:
            return False
        return True

    def request(self, keys: DeviceKeys, name: str) -> bytes:
        """Return the request of a device, signed with its key."""
        fields = {
            "signing": primitives.public_signing_key(keys.signing).hex(),
            "receiving": primitives.public_receiving_key(keys.receiving[0]).hex(),
            "name": name,
        }
        text = signed_text.signed(keys.signing, _REQUEST, fields)
        return self._sealed(_REQUEST, self.request_name(keys.id), text)

    def requested(self, device: str, data: bytes) -> tuple[Member, str] | None:
        """Return the device that asks, and its name; ``None`` where this is no request."""
        try:
            text = signed_text.read(self._opened(_REQUEST, self.request_name(device), data))
            fields = text.fields
            member = Member(bytes.fromhex(fields["signing"]), bytes.fromhex(fields["receiving"]), 0)
            name = checked_name(str(fields["name"]))
        except (NotOpenedError, MalformedError, TornError, InputError, LookupError, TypeError, ValueError):
            return None
        return (member, name) if member.id == device and text.is_by(member.signing, _REQUEST) else None

    def answer(self, device: Member, request: bytes, word: str, keys: Mapping[str, Any] | None = None) -> bytes:
        """Return the answer to a request.

        Args:
            device: The device that asked.
            request: Its request.
            word: What was decided.
            keys: What a member needs, where it becomes one; only the device itself can read it.
        """
        name = self.answer_name(device.id)
        fields = {"answer": word}
        if keys is not None:
            box = primitives.encrypt_to(device.receiving, _BOX, json.dumps(dict(keys)).encode(), name.encode())
            fields["box"] = box.hex()
        return self._sealed(_ANSWER, name, json.dumps(fields).encode(), request)

    def answered(self, keys: DeviceKeys, request: bytes, data: bytes) -> tuple[str, Mapping[str, Any]]:
        """Return what was decided about a request, with what a member needs.

        Raises:
            NotOpenedError: It is no answer to this request.
        """
        name = self.answer_name(keys.id)
        try:
            fields = json.loads(self._opened(_ANSWER, name, data, request))
            if "box" not in fields:
                return str(fields["answer"]), {}
            box = bytes.fromhex(fields["box"])
            content: dict[str, Any] = json.loads(primitives.decrypt_as(keys.receiving[0], _BOX, box, name.encode()))
            return str(fields["answer"]), content
        except (LookupError, TypeError, ValueError):
            raise NotOpenedError from None

    def _sealed(self, purpose: str, name: str, plain: bytes, answers: bytes = b"") -> bytes:
        return primitives.encrypt(primitives.derived(self.secret, purpose), plain, self._bound_to(name, answers))

    def _opened(self, purpose: str, name: str, data: bytes, answers: bytes = b"") -> bytes:
        return primitives.decrypt(primitives.derived(self.secret, purpose), data, self._bound_to(name, answers))

    def _bound_to(self, name: str, answers: bytes) -> bytes:
        return f"{self.vault} {name} {hashlib.sha256(answers).hexdigest()}".encode()
