"""A process that opens a vault whose files are to be converted, and says each step.

Run as ``python -m tests.integration.processes.encrypting VAULT`` with the passphrase in the environment.
"""

import sys
from pathlib import Path

from app.core.vault_opening import OpeningStep, VaultOpening
from app.host import Host


def say(step: OpeningStep) -> None:
    """Write a step as a line."""
    sys.stdout.write(f"{step.work} {step.number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    host = Host(Path(sys.argv[1]), serve=False, opening=VaultOpening(say))
    host.start()
    host.stop()
