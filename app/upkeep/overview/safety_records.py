"""Records of the last check and the last verified backup, kept in the vault."""

import contextlib
from functools import partial
from typing import Final, TypeVar

import msgspec

from app.core.clock import Clock, to_datetime
from app.errors import KeepsakeError
from app.sentence import plain_text
from app.store import meta
from app.store.store import Store
from app.upkeep.model import BackupCheck, CheckReport
from app.upkeep.overview.model import CheckRecord, VerificationRecord

T = TypeVar("T")

_CHECK: Final = "last_check"
_VERIFIED: Final = "last_verified_backup"


class SafetyRecords:
    """Keeps how the last check and the last verification ended.

    Args:
        store: The vault's database.
        clock: The source of the time.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def keep_check(self, report: CheckReport) -> None:
        """Keep how a check ended; a vault that cannot be written keeps nothing."""
        errors = sum(finding.severity == "error" for finding in report.findings)
        at = to_datetime(self._clock.now_ms())
        await self._keep(_CHECK, CheckRecord(at, report.ok, errors, len(report.findings) - errors))

    async def keep_verification(self, check: BackupCheck) -> None:
        """Keep how a verification of a backup ended."""
        at = to_datetime(self._clock.now_ms())
        await self._keep(_VERIFIED, VerificationRecord(at, check.name, check.ok, check.problem))

    async def last_check(self) -> CheckRecord | None:
        """Return how the last check ended, ``None`` before the first."""
        return await self._last(_CHECK, CheckRecord)

    async def last_verification(self) -> VerificationRecord | None:
        """Return how the last verification of a backup ended, ``None`` before the first."""
        return await self._last(_VERIFIED, VerificationRecord)

    async def _keep(self, key: str, value: CheckRecord | VerificationRecord) -> None:
        if self._store.read_only is not None:
            return
        text = msgspec.json.encode(value, enc_hook=plain_text).decode()
        # On a full disk or a damaged vault the report itself is what counts.
        with contextlib.suppress(KeepsakeError):
            await self._store.write(partial(meta.write, key=key, value=text), is_derived=True)

    async def _last(self, key: str, kind: type[T]) -> T | None:
        text = await self._store.read(partial(meta.read, key=key))
        try:
            return None if text is None else msgspec.json.decode(text, type=kind)
        except msgspec.DecodeError:
            return None  # of another version; the next check replaces it
