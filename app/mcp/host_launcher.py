"""Launcher of a headless host, for when none serves the vault."""

import os
import subprocess
import time
from pathlib import Path
from typing import Final

from app.core.paths import program_root
from app.core.process.lock_owner import lock_owner
from app.core.process.program_command import program_command
from app.errors import HostUnreachableError, PassphraseRequiredError, VaultLockedError
from app.rpc.client.dial import dial
from app.rpc.credentials import VARIABLE, Credentials
from app.sentence import Sentence

START_SECONDS: Final = 30.0
_PAUSE_SECONDS: Final = 0.05
_OPENING_PAUSE_SECONDS: Final = 1.0
"""Seconds between two tries to start a host while another process opens the vault."""
_PROBE: Final = Credentials("", "keepsake mcp")


def ensure_host(vault: Path, limit_seconds: float = START_SECONDS) -> None:
    """Return once a host answers for ``vault``; starts one that outlives this process.

    Opening a vault may take minutes, as after an update, here or in another process: that time does not count.

    Args:
        vault: Its folder.
        limit_seconds: How long a host may take that does not open the vault, or that is locked out.

    Raises:
        HostUnreachableError: None could be started in time, or the vault is encrypted and locked.
    """
    until = time.monotonic() + limit_seconds
    started: subprocess.Popen[bytes] | None = None
    while not _answers(vault):
        if time.monotonic() >= until:
            raise HostUnreachableError(
                Sentence("Keepsake could not be started for {vault}. Run 'keepsake serve' to see why.", vault=vault),
                vault=str(vault),
            )
        if started is not None and started.poll() == PassphraseRequiredError.exit_status:
            raise HostUnreachableError(
                "These memories are encrypted and locked. Ask the person to open Keepsake and type the passphrase, then"
                " try again.",
                vault=str(vault),
            )
        if started is not None and _is_opened_now(vault, started.poll()):
            until = time.monotonic() + limit_seconds
            if started.poll() is not None:
                time.sleep(_OPENING_PAUSE_SECONDS)
        # One that another program started meanwhile, or a command that has the vault open, makes ours end at once.
        if started is None or started.poll() is not None:
            started = _launch(vault)
        time.sleep(_PAUSE_SECONDS)


def _is_opened_now(vault: Path, exit_status: int | None) -> bool:
    """Return whether a process opens the vault, given the exit status of our host.

    The text of the lock file stays when its owner is killed, so that it counts only beside a host that runs, or that
    found the vault locked.
    """
    return exit_status in (None, VaultLockedError.exit_status) and lock_owner(vault).is_opening


def _answers(vault: Path) -> bool:
    try:
        dial(vault, _PROBE).close()
    except HostUnreachableError:
        return False
    return True


def _launch(vault: Path) -> "subprocess.Popen[bytes]":
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    # On Windows: without a console of its own (CREATE_NO_WINDOW), and apart from ours (CREATE_NEW_PROCESS_GROUP).
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    return subprocess.Popen(  # noqa: S603  (our own program)
        [*program_command(), "--vault", str(vault), "serve"],
        cwd=program_root(),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        creationflags=flags,
        start_new_session=True,
    )
