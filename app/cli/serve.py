"""``keepsake serve``: a host without a window, until a signal stops it."""

import gc
import logging
import signal
import threading
from pathlib import Path
from types import FrameType

from app.cli import terminal
from app.cli.passphrase import unlock_at_terminal
from app.errors import MachineError
from app.host import Host
from app.trace.crash_reports import CrashRecorder

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
# A wait without end cannot be interrupted on Windows.
_TURN_SECONDS = 3600.0
_WARM_SECONDS = 60.0
_log = logging.getLogger(__name__)


def serve_until_signal(vault: Path) -> None:
    """Serve ``vault`` until a signal to stop, then close it in order.

    Raises:
        MachineError: The vault cannot be opened, or there is nowhere to listen.
    """
    stopped = threading.Event()

    def stop(number: int, _frame: FrameType | None) -> None:
        # A second signal ends the process at once, should the orderly way take too long.
        for item in _SIGNALS:
            signal.signal(item, signal.SIG_DFL)
        _log.info("stopping after signal %s", number)
        stopped.set()

    for item in _SIGNALS:
        signal.signal(item, stop)
    unlock_at_terminal(vault)
    host = Host(vault)
    host.start()
    recorder = CrashRecorder(host.vault, "host")
    recorder.start()
    try:
        if not host.address:
            raise MachineError("There is nowhere for other programs to connect; the reason is above.")
        terminal.say(f"Keepsake serves {terminal.printable(str(vault))} at {host.address}")
        terminal.flush()
        _set_apart()
        is_stopped = stopped.wait(_WARM_SECONDS)
        _set_apart()  # what the first searches loaded stays too
        while not is_stopped:
            is_stopped = stopped.wait(_TURN_SECONDS)
    finally:
        host.stop()
        recorder.stop()


def _set_apart() -> None:
    """Exempt present objects from garbage collection.

    Scanning them would hold up a search each time.
    """
    gc.collect()
    gc.freeze()
