"""Starts the window: ``keepsake`` without a verb, or ``python -m ui``."""

import argparse
import asyncio
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.paths import default_vault
from app.core.stop_signal import StopSignal
from ui.process import runtime_check, start_times

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.core.vault_opening import VaultOpening
    from app.host import Host
    from app.recovery.model import SalvageReport
    from app.upkeep.closed_vault import ClosedVault
    from app.upkeep.model import BackupCheck, BackupInfo, RestoredVault
    from ui.process.program import OpenVault
    from ui.process.single_instance import LaunchRequest, SingleInstance

DESKTOP_ID = "io.github.keepsake.Keepsake"
CAPTURE_LINK = "keepsake://capture"
_OPENING_PAUSE_S = 0.1
_log = logging.getLogger(__name__)


def parser() -> argparse.ArgumentParser:
    """Return the window's own command line."""
    parser = argparse.ArgumentParser("keepsake", description="Open Keepsake's window.")
    parser.add_argument("--vault", type=Path, default=None, help="the vault's folder")
    parser.add_argument("--hidden", action="store_true", help="start in the tray, where there is one")
    parser.add_argument("--locked", action="store_true", help="start locked, whatever the system's keyring holds")
    parser.add_argument("--safe-mode", action="store_true", help="start without schedules, models and appearance")
    parser.add_argument("--open", metavar="LINK", default="", help="go to a keepsake:// link")
    parser.add_argument("--capture", metavar="TEXT", nargs="?", const="", default=None, help="open quick capture")
    parser.add_argument("--import", metavar="PATH", dest="paths", nargs="+", default=[], help="preview an import")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the window until the person quits; return the exit status."""
    start_times.mark("program")
    runtime_check.check()
    options = parser().parse_args(sys.argv[1:] if argv is None else argv)
    vault = (options.vault or default_vault()).expanduser().absolute()
    # Qt is imported only now: the guard has to speak first.
    _import_qt()
    from ui.process.single_instance import SingleInstance, address, hand_over  # noqa: PLC0415

    application = make_application(vault)
    where = address(vault)
    requests = _wishes(options)
    if hand_over(where, requests[0]):
        if options.safe_mode:
            _log.warning("Keepsake was running already; quit it first to start it in safe mode.")
        return 0
    instance = SingleInstance(where)
    if not instance.listen():
        _log.warning("Later launches cannot reach this window: %s cannot be listened at", where)
    first = [request for request in requests if request.command != "raise"]
    begin = Beginning(hidden=options.hidden, safe_mode=options.safe_mode, locked=options.locked, requests=tuple(first))
    return _run(application, vault, instance, begin)


def make_application(vault: Path | None = None) -> "QApplication":
    """Return the Qt application, in Keepsake's look.

    Args:
        vault: Its settings choose the language; without one the window is English, or as the environment says.
    """
    _import_qt()
    from PySide6.QtGui import QIcon  # noqa: PLC0415
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415

    from app.core.paths import resources  # noqa: PLC0415
    from ui import theme, translation  # noqa: PLC0415

    existing = QApplication.instance()
    application = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    application.setApplicationName("keepsake")
    application.setApplicationDisplayName("Keepsake")
    application.setDesktopFileName(DESKTOP_ID)
    application.setQuitOnLastWindowClosed(False)
    application.setWindowIcon(QIcon(str(resources() / "icons" / "keepsake.svg")))
    theme.current().install(application)
    translation.install(application, translation.chosen_language(vault))
    return application


def _import_qt() -> None:
    """Import Qt without what reads the source of each module imported after it."""
    import PySide6.QtCore  # noqa: F401, PLC0415

    from ui.process.qt_features import ignore_features  # noqa: PLC0415

    ignore_features()


@dataclass(frozen=True, slots=True)
class Beginning:
    """Options of the window's start.

    Args:
        hidden: It stays in the tray.
        safe_mode: Without schedules, models and appearance.
        locked: An encrypted vault asks for its passphrase, whatever the system's keyring holds.
        requests: What the launch asked for.
    """

    hidden: bool
    safe_mode: bool
    locked: bool
    requests: "tuple[LaunchRequest, ...]"


def _run(application: "QApplication", vault: Path, instance: "SingleInstance", begin: Beginning) -> int:
    """Run the event loop with the program in it until it has left in order."""
    from app.trace.crash_reports import CrashRecorder, take_crash_reports  # noqa: PLC0415
    from ui.process.error_reporter import ErrorReporter  # noqa: PLC0415
    from ui.process.event_loop import EventLoop  # noqa: PLC0415
    from ui.process.gc_control import GarbageCollector  # noqa: PLC0415
    from ui.process.program import Program  # noqa: PLC0415
    from ui.process.termination import SignalWatch  # noqa: PLC0415

    reports = take_crash_reports(vault)
    recorder = CrashRecorder(vault, "window")
    recorder.start()
    loop = EventLoop(application)
    asyncio.set_event_loop(loop)
    faults = ErrorReporter()
    faults.install(loop)
    program = Program(vault, instance, faults, start_host, VaultFolder(vault), safe_mode=begin.safe_mode)
    program.opened.connect(recorder.start)  # a new vault has its folder only now
    program.window.commands.offer_crash_reports(reports)
    signals = SignalWatch()
    signals.stop_requested.connect(program.quit)
    collector = GarbageCollector(program)
    collector.start()
    ended: asyncio.Future[None] = loop.create_future()
    program.finished.connect(partial(_end, ended))
    try:
        program.start(hidden=begin.hidden, locked=begin.locked, requests=list(begin.requests))
        loop.run_until_complete(ended)
    finally:
        collector.stop()
        signals.close()
        faults.uninstall()
        loop.close()
        recorder.stop()
    return 0


def start_host(vault: Path, *, safe_mode: bool = False, opening: "VaultOpening | None" = None) -> "OpenVault":
    """Open ``vault``, or join the host that has it open already.

    The engine is imported here, off the Qt thread, so that the window is there first.

    Args:
        vault: Its folder.
        safe_mode: Begin without schedules, models and vectors; a host that is joined goes on as it is.
        opening: Hears of the steps before the vault is open, and can stop them.

    Raises:
        KeepsakeError: The vault cannot be opened, and no host answers for it.
    """
    from app.errors import HostUnreachableError, VaultLockedError  # noqa: PLC0415
    from app.host import Host  # noqa: PLC0415

    while True:
        host = Host(vault, safe_mode=safe_mode, opening=opening)
        try:
            host.start()
        except VaultLockedError as locked:
            from app.rpc.host_backend import HostBackend  # noqa: PLC0415

            joined = HostBackend(vault, partial(_take_over, vault))
            try:
                joined.start()
            except HostUnreachableError:
                # The process that holds the vault answers no calls; the lock is the thing that the person can act on.
                if not locked.data.get("is_opening"):
                    raise locked from None
            else:
                return joined
        else:
            return host
        # Another process opens it still, which may take minutes, as after an update.
        if opening is not None:
            opening.stop.check()
        time.sleep(_OPENING_PAUSE_S)


class VaultFolder:
    """Recovery of a vault that does not open.

    The engine is imported when it is first needed.

    Args:
        vault: The vault's folder.
    """

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._stop = StopSignal()

    def backups(self) -> "Sequence[BackupInfo]":
        """Return the backups, newest first."""
        return self._closed().backups()

    def check(self) -> "BackupCheck":
        """Return what a reading of all of the database found."""
        return self._closed().check()

    def restore(self, name: str) -> "RestoredVault":
        """Replace the database with a backup, or with that of the vault at a path."""
        return self._closed().restore(name)

    def salvage(self) -> "SalvageReport":
        """Copy what is readable into a new vault beside this one."""
        return self._closed().salvage()

    def unlock(self, passphrase: str) -> None:
        """Keep the key of an encrypted vault for this process."""
        from app.store.encryption.vault_encryption import VaultEncryption  # noqa: PLC0415

        VaultEncryption(self._vault).unlock(passphrase)

    def cancel_encryption(self) -> None:
        """Call off an encryption that has not begun."""
        from app.store.encryption.vault_encryption import VaultEncryption  # noqa: PLC0415

        VaultEncryption(self._vault).cancel()

    def confirm_decryption(self, is_wanted: bool) -> None:
        """Answer whether a decryption that was requested elsewhere is to be carried out."""
        from app.store.encryption.vault_encryption import VaultEncryption  # noqa: PLC0415

        VaultEncryption(self._vault).confirm(is_wanted=is_wanted)

    def stop(self) -> None:
        """Stop what is under way, for good."""
        self._stop.set()

    def _closed(self) -> "ClosedVault":
        from app.upkeep.closed_vault import ClosedVault  # noqa: PLC0415

        return ClosedVault(self._vault, self._stop)


def _take_over(vault: Path) -> "Host | None":
    """Open ``vault`` here; ``None`` where another process was faster."""
    from app.errors import VaultLockedError  # noqa: PLC0415
    from app.host import Host  # noqa: PLC0415

    host = Host(vault)
    try:
        host.start()
    except VaultLockedError:
        return None
    return host


def _end(ended: "asyncio.Future[None]") -> None:
    if not ended.done():
        ended.set_result(None)


def _wishes(options: argparse.Namespace) -> "list[LaunchRequest]":
    """Return the requests of this launch; without options, to raise the window."""
    from ui.process.single_instance import request_from_environment  # noqa: PLC0415

    if options.capture is not None:
        return [request_from_environment("capture", [options.capture])]
    if options.paths:
        return [request_from_environment("import", [str(Path(path).absolute()) for path in options.paths])]
    if options.open == CAPTURE_LINK:  # what a desktop's menu calls
        return [request_from_environment("capture", [""])]
    if options.open:
        return [request_from_environment("open", [options.open])]
    return [request_from_environment("raise", [])]


if __name__ == "__main__":
    sys.exit(main())
