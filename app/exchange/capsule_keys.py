"""Keys of capsules that were imported, with the day each was first seen."""

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any, Final

import apsw

from app.core.clock import Clock, to_datetime
from app.exchange.capsules import CapsuleMaker
from app.exchange.formats.own.capsule import CapsuleHeader, open_capsule
from app.exchange.model import CapsuleOrigin
from app.store.store import Store

_KEY: Final = "capsule_key:"


class CapsuleKeys:
    """Keys that the person has imported capsules of.

    A sender's name is only what they say; the key is what stays the same.

    Args:
        store: The vault's database.
        clock: The source of the time.
        vault: The vault's folder, where its own key is.
    """

    def __init__(self, store: Store, clock: Clock, vault: Path) -> None:
        self._store = store
        self._clock = clock
        self._maker = CapsuleMaker(vault)

    async def origin(self, path: Path) -> CapsuleOrigin:
        """Return who made a capsule, and since when their key is known.

        Raises:
            FormatError: It is none, was changed, or has expired.
        """
        header = await asyncio.to_thread(open_capsule, path, self._clock.now_ms())
        known = await self._store.read(partial(_known, key=header.key))
        own = await asyncio.to_thread(self._maker.own_fingerprint)
        return CapsuleOrigin(
            header.sender,
            header.fingerprint,
            to_datetime(header.expires_at),
            header.recipient,
            None if known is None else to_datetime(known["first_ms"]),
            "" if known is None else str(known["sender"]),
            is_own=own == header.fingerprint,
        )

    async def remember(self, path: Path) -> None:
        """Keep that a capsule was imported, if it is the first with its key.

        Raises:
            FormatError: It is none, was changed, or has expired.
        """
        header = await asyncio.to_thread(open_capsule, path, self._clock.now_ms())
        await self._store.write(partial(_remember, header=header, now_ms=self._clock.now_ms()))


def _known(connection: apsw.Connection, key: str) -> dict[str, Any] | None:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_KEY + key,)).fetchone()
    return None if row is None else dict(json.loads(str(row[0])))


def _remember(connection: apsw.Connection, header: CapsuleHeader, now_ms: int) -> None:
    connection.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
        (_KEY + header.key, json.dumps({"first_ms": now_ms, "sender": header.sender})),
    )
