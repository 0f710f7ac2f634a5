"""Opening of a vault, with steps that are reported and can be stopped."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from app.core.stop_signal import StopSignal

OpeningWork = Literal["restore", "encryption", "decryption", "backup", "migration"]


@dataclass(frozen=True, slots=True)
class OpeningStep:
    """A step before a vault is open.

    Args:
        work: A staged restore is carried out, files are encrypted or decrypted, the vault is backed up, or its
            schema is migrated.
        number: The step's number, from 1; for a backup and for encryption the percentage that is done.
        count: The number of steps, 0 where nobody knows.
    """

    work: OpeningWork
    number: int = 0
    count: int = 0


def _ignore(_step: OpeningStep) -> None:
    pass


@dataclass(frozen=True, slots=True)
class VaultOpening:
    """One opening of a vault.

    Args:
        report: Hears of each step, on the thread that opens.
        stop: Stops the opening; the vault is then as it was, or as after the last finished migration.
    """

    report: Callable[[OpeningStep], None] = _ignore
    stop: StopSignal = field(default_factory=StopSignal)

    def begin(self, work: OpeningWork, number: int = 0, count: int = 0) -> None:
        """Report a step that begins.

        Raises:
            CancelledByPersonError: The opening should stop.
        """
        self.stop.check()
        self.report(OpeningStep(work, number, count))
