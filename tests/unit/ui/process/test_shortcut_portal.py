"""Global shortcuts of the desktop, against a portal on a message bus of its own."""

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from typing import Any

import pytest

if shutil.which("dbus-daemon") is None:
    pytest.skip("dbus-daemon is not installed, so no message bus can be started", allow_module_level=True)
jeepney = pytest.importorskip("jeepney")

from jeepney import MessageType, new_error, new_method_return, new_signal  # noqa: E402
from jeepney.bus_messages import message_bus  # noqa: E402
from jeepney.io.blocking import open_dbus_connection  # noqa: E402

from ui.process.shortcut_portal import (  # noqa: E402
    BUS_NAME,
    BUS_VARIABLE,
    INTERFACE,
    PATH,
    REQUEST,
    ShortcutPortal,
    ShortcutPortalError,
)

LIMIT_S = 30.0
SESSION = f"{PATH}/session/one"


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the address of a message bus."""
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert daemon.stdout is not None
    address = daemon.stdout.readline().strip()
    monkeypatch.setenv(BUS_VARIABLE, address)
    yield address
    daemon.terminate()
    daemon.wait(LIMIT_S)
    daemon.stdout.close()


class Desktop:
    """A portal that grants, refuses or lacks global shortcuts."""

    def __init__(self, address: str, *, statuses: dict[str, int] | None = None, is_old: bool = False) -> None:
        self._connection = open_dbus_connection(address)
        self._statuses, self._is_old = statuses or {}, is_old
        self.calls: list[tuple[str, Any]] = []
        self._connection.send_and_get_reply(message_bus.RequestName(BUS_NAME))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while True:
                self._answer(self._connection.receive())
        except (OSError, ConnectionError):
            return

    def _answer(self, call: Any) -> None:
        if call.header.message_type is not MessageType.method_call:
            return
        fields = {field.name: value for field, value in call.header.fields.items()}
        method = fields["member"]
        self.calls.append((method, call.body))
        if self._is_old:
            self._connection.send(new_error(call, "org.freedesktop.DBus.Error.UnknownMethod"))
            return
        options = call.body[-1]
        handle = f"{PATH}/request/{fields['sender'].removeprefix(':').replace('.', '_')}/{options['handle_token'][1]}"
        self._connection.send(new_method_return(call, "o", (handle,)))
        results: dict[str, Any] = {"session_handle": ("s", SESSION)}
        if method == "BindShortcuts":
            key, properties = call.body[1][0]
            granted = {"description": properties["description"], "trigger_description": ("s", "Ctrl+Alt+Space")}
            results = {"shortcuts": ("a(sa{sv})", [(key, granted)])}
        emitter = jeepney.DBusAddress(handle, BUS_NAME, REQUEST)
        self._connection.send(new_signal(emitter, "Response", "ua{sv}", (self._statuses.get(method, 0), results)))

    def press(self, key: str = "capture", session: str = SESSION) -> None:
        emitter = jeepney.DBusAddress(PATH, BUS_NAME, INTERFACE)
        self._connection.send(new_signal(emitter, "Activated", "osta{sv}", (session, key, 0, {})))

    def close(self) -> None:
        self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(LIMIT_S)
        self._connection.close()


class Outcome:
    """What a shortcut tells."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.errors: list[ShortcutPortalError] = []
        self.bound, self.pressed, self.failed = threading.Event(), threading.Semaphore(0), threading.Event()
        self.shortcut = ShortcutPortal(
            "capture", "Quick capture", "CTRL+ALT+space", self.pressed.release, self._on_bound, self._on_failed
        )

    def _on_bound(self, keys: str) -> None:
        self.keys.append(keys)
        self.bound.set()

    def _on_failed(self, error: ShortcutPortalError) -> None:
        self.errors.append(error)
        self.failed.set()


@pytest.fixture
def outcome() -> Iterator[Outcome]:
    outcome = Outcome()
    yield outcome
    outcome.shortcut.stop()


def test_the_shortcut_is_bound_and_heard(bus: str, outcome: Outcome) -> None:
    desktop = Desktop(bus)
    outcome.shortcut.start()
    assert outcome.bound.wait(LIMIT_S)
    assert outcome.keys == ["Ctrl+Alt+Space"]
    assert [method for method, _ in desktop.calls] == ["CreateSession", "BindShortcuts"]
    key, properties = desktop.calls[1][1][1][0]
    assert (key, properties["preferred_trigger"]) == ("capture", ("s", "CTRL+ALT+space"))
    # It listens a moment after it was bound.
    for _ in range(600):
        desktop.press()
        if outcome.pressed.acquire(timeout=0.05):
            break
    else:
        pytest.fail("the shortcut was not noticed")
    outcome.shortcut.stop()
    assert outcome.errors == []
    desktop.close()


def test_other_shortcuts_and_sessions_are_not_ours(bus: str, outcome: Outcome) -> None:
    desktop = Desktop(bus)
    outcome.shortcut.start()
    assert outcome.bound.wait(LIMIT_S)
    for _ in range(600):
        desktop.press()
        if outcome.pressed.acquire(timeout=0.05):
            break
    while outcome.pressed.acquire(timeout=0.2):
        pass
    desktop.press("other")
    desktop.press(session=f"{PATH}/session/two")
    assert not outcome.pressed.acquire(timeout=0.3)
    desktop.close()


@pytest.mark.parametrize("method", ["CreateSession", "BindShortcuts"])
def test_a_refusal_is_told(bus: str, outcome: Outcome, method: str) -> None:
    desktop = Desktop(bus, statuses={method: 1})
    outcome.shortcut.start()
    assert outcome.failed.wait(LIMIT_S)
    assert "did not grant" in outcome.errors[0].message
    desktop.close()


def test_a_desktop_without_the_interface_is_told(bus: str, outcome: Outcome) -> None:
    desktop = Desktop(bus, is_old=True)
    outcome.shortcut.start()
    assert outcome.failed.wait(LIMIT_S)
    assert "does not offer" in outcome.errors[0].message
    desktop.close()


@pytest.mark.parametrize("address", ["", "unix:path=/nowhere/at/all", "nonsense"])
def test_no_bus_is_told(outcome: Outcome, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv(BUS_VARIABLE, address)
    outcome.shortcut.start()
    assert outcome.failed.wait(LIMIT_S)
    assert "does not offer" in outcome.errors[0].message


def test_a_bus_that_ends_is_told_and_one_that_never_answers_can_be_left(bus: str, outcome: Outcome) -> None:
    del bus
    outcome.shortcut.start()  # nobody has the portal's name
    assert outcome.failed.wait(LIMIT_S)
    outcome.shortcut.stop()


def test_stopping_while_the_person_is_asked(bus: str, outcome: Outcome) -> None:
    class Asking(Desktop):
        def _answer(self, call: Any) -> None:
            if call.header.fields.get(jeepney.HeaderFields.member) != "BindShortcuts":
                super()._answer(call)
            else:
                self.calls.append(("BindShortcuts", call.body))

    desktop = Asking(bus)
    outcome.shortcut.start()
    for _ in range(600):
        if len(desktop.calls) > 1:
            break
        threading.Event().wait(0.05)
    outcome.shortcut.stop()
    assert outcome.errors == []
    assert not outcome.shortcut._thread.is_alive()
    desktop.close()
