"""Making of capsules: chosen memories, signed with the vault's own key."""

import base64
import hashlib
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from app.core.clock import DAY_MS, to_datetime
from app.core.files import replace_file
from app.core.regular_files import open_for_reading
from app.errors import InputError, MachineError
from app.exchange.exporting.export_target import FileTarget, writable
from app.exchange.formats.own.capsule import BEGINNING, CapsuleHeader, clean_sender, fingerprint_of
from app.exchange.formats.own.keepsake_writer import JsonlWriter
from app.exchange.model import Capsule
from app.sentence import Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from app.memories.model import Memory

KEY_FILE: Final = "capsule.key"
MAX_DAYS: Final = 3650


class CapsuleMaker:
    """Signs capsules with the key of a vault, which is made with the first one.

    Args:
        vault: The vault's folder.
    """

    def __init__(self, vault: Path) -> None:
        self._file = vault / KEY_FILE

    def fingerprint(self) -> str:
        """Return the vault's key in short.

        Raises:
            MachineError: It cannot be read or written.
        """
        return fingerprint_of(_public(self._key()))

    def own_fingerprint(self) -> str:
        """Return the vault's key in short, ``""`` where it has none yet.

        Raises:
            MachineError: It cannot be read.
        """
        return self.fingerprint() if self._file.exists() else ""

    def make(
        self, path: Path, memories: "Sequence[Memory]", *, sender: str, days: int, now_ms: int, recipient: str = ""
    ) -> Capsule:
        """Write a capsule; an earlier one there is replaced, anything else is not.

        Args:
            path: The file.
            memories: What goes in.
            sender: Who sends it, in their own words.
            days: Days for which it can be imported.
            now_ms: The time, in milliseconds since 1970 UTC.
            recipient: For whom it is, in the sender's words.

        Raises:
            InputError: Nothing was chosen, the days are out of bounds, or something else is at ``path``.
            MachineError: It cannot be written.
        """
        if not memories:
            raise InputError("No memory was chosen, so there is nothing to put into a capsule.")
        if not 1 <= days <= MAX_DAYS:
            raise InputError(Sentence("A capsule can be valid for 1 to {most} days.", most=MAX_DAYS), field="days")
        key, lines = self._key(), BytesIO()
        writer = JsonlWriter(lines)
        for memory in memories:
            writer.memory(memory)
        body, expires = lines.getvalue(), now_ms + days * DAY_MS
        public = base64.b64encode(_public(key)).decode()
        digest = hashlib.blake2b(body).hexdigest()
        header = CapsuleHeader(clean_sender(sender), now_ms, expires, len(memories), digest, public)
        header = replace(header, recipient=clean_sender(recipient))
        header = replace(header, signature=base64.b64encode(key.sign(header.signed_bytes())).decode())
        with writable(path):
            target = FileTarget(path, _is_capsule)
            try:
                with target.open() as file:
                    file.write(header.line())
                    file.write(body)
                target.commit()
            except BaseException:
                target.abandon()
                raise
        return Capsule(str(path), len(memories), to_datetime(expires), header.fingerprint)

    def _key(self) -> "Ed25519PrivateKey":
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

        try:
            with open_for_reading(self._file) as stream:
                return Ed25519PrivateKey.from_private_bytes(stream.read(64))
        except FileNotFoundError:
            key = Ed25519PrivateKey.generate()
            replace_file(self._file, key.private_bytes_raw())
            return key
        except (OSError, ValueError) as error:
            raise MachineError(
                Sentence(
                    "The key of your capsules, {path}, cannot be read. Move it away to get a new one.", path=self._file
                ),
                path=str(self._file),
            ) from error


def _public(key: "Ed25519PrivateKey") -> bytes:
    return key.public_key().public_bytes_raw()


def _is_capsule(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(BEGINNING)) == BEGINNING
