"""Global shortcuts of the desktop, through xdg-desktop-portal.

The interface is ``org.freedesktop.portal.GlobalShortcuts``: a session is made, shortcuts are bound to it, which the
desktop may ask the person about, and a signal tells when one is pressed. See
https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.GlobalShortcuts.html
"""

import logging
import os
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from app.errors import MachineError

if TYPE_CHECKING:
    from jeepney.io.blocking import DBusConnection

BUS_NAME: Final = "org.freedesktop.portal.Desktop"
PATH: Final = "/org/freedesktop/portal/desktop"
INTERFACE: Final = "org.freedesktop.portal.GlobalShortcuts"
REQUEST: Final = "org.freedesktop.portal.Request"
BUS_VARIABLE: Final = "DBUS_SESSION_BUS_ADDRESS"
CALL_S: Final = 10.0
ANSWER_S: Final = 600.0
"""Seconds that the person has to answer the desktop's question."""
_log = logging.getLogger(__name__)


class ShortcutPortalError(MachineError):
    """The desktop offers no global shortcuts, or the person refused."""


class ShortcutPortal:
    """One shortcut that the desktop grants, listened to on a thread.

    Args:
        key: An id of the shortcut that stays the same.
        title: What it does, which the desktop shows.
        wanted: The keys that are proposed, such as ``CTRL+ALT+space``; the desktop and the person decide.
        on_pressed: Called on the thread when it is pressed.
        on_bound: Called on the thread with the keys in the desktop's words, ``""`` where it does not say.
        on_failed: Called on the thread with what went wrong; nothing more comes then.
    """

    def __init__(
        self,
        key: str,
        title: str,
        wanted: str,
        on_pressed: Callable[[], None],
        on_bound: Callable[[str], None],
        on_failed: Callable[[ShortcutPortalError], None],
    ) -> None:
        self._key, self._title, self._wanted = key, title, wanted
        self._on_pressed, self._on_bound, self._on_failed = on_pressed, on_bound, on_failed
        self._connection: DBusConnection | None = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="global-shortcut", daemon=True)

    def start(self) -> None:
        """Ask the desktop for the shortcut."""
        self._thread.start()

    def stop(self) -> None:
        """Give the shortcut back; the session ends with the connection."""
        self._stopped.set()
        if self._connection is not None:
            with suppress(OSError):
                self._connection.sock.shutdown(socket.SHUT_RDWR)
        if self._thread.is_alive():
            self._thread.join(CALL_S)

    def _run(self) -> None:
        try:
            self._serve()
        except ShortcutPortalError as error:
            if not self._stopped.is_set():
                self._on_failed(error)
        except (OSError, ValueError, KeyError, EOFError, ConnectionError) as error:
            if not self._stopped.is_set():
                _log.info("global shortcut: %s", type(error).__name__)
                self._on_failed(ShortcutPortalError("Your desktop does not offer global shortcuts to programs."))

    def _serve(self) -> None:
        if not os.environ.get(BUS_VARIABLE):
            raise ShortcutPortalError("Your desktop does not offer global shortcuts to programs.")
        from jeepney.io.blocking import open_dbus_connection  # noqa: PLC0415  (only where there is a session bus)

        with open_dbus_connection("SESSION") as connection:
            self._connection = connection
            if self._stopped.is_set():
                return
            session = self._new_session(connection)
            keys = self._bind(connection, session)
            self._on_bound(keys)
            self._listen(connection, session)

    def _new_session(self, connection: "DBusConnection") -> str:
        token = _token()
        options = {"handle_token": ("s", token), "session_handle_token": ("s", _token())}
        results = self._request(connection, token, "CreateSession", "a{sv}", (options,), CALL_S)
        return str(results["session_handle"][1])

    def _bind(self, connection: "DBusConnection", session: str) -> str:
        token = _token()
        shortcut = {"description": ("s", self._title), "preferred_trigger": ("s", self._wanted)}
        body = (session, [(self._key, shortcut)], "", {"handle_token": ("s", token)})
        results = self._request(connection, token, "BindShortcuts", "oa(sa{sv})sa{sv}", body, ANSWER_S)
        for key, properties in results.get("shortcuts", ("", []))[1]:
            if key == self._key:
                return str(properties.get("trigger_description", ("s", ""))[1])
        raise ShortcutPortalError("Your desktop did not grant the shortcut.")

    def _request(
        self,
        connection: "DBusConnection",
        token: str,
        method: str,
        signature: str,
        body: tuple[Any, ...],
        wait_s: float,
    ) -> dict[str, tuple[str, Any]]:
        """Call a method of the portal, and return what its request answers.

        Raises:
            ShortcutPortalError: The portal refuses, or the person does.
        """
        from jeepney import DBusAddress, MatchRule, MessageType, new_method_call  # noqa: PLC0415

        sender = connection.unique_name.removeprefix(":").replace(".", "_")
        handle = f"{PATH}/request/{sender}/{token}"
        rule = MatchRule(type="signal", interface=REQUEST, member="Response", path=handle)
        self._subscribe(connection, rule)
        with connection.filter(rule) as answers:
            call = new_method_call(DBusAddress(PATH, BUS_NAME, INTERFACE), method, signature, body)
            reply = connection.send_and_get_reply(call, timeout=CALL_S)
            if reply.header.message_type is MessageType.error:
                raise ShortcutPortalError("Your desktop does not offer global shortcuts to programs.")
            status, results = connection.recv_until_filtered(answers, timeout=wait_s).body
        if status:
            raise ShortcutPortalError("Your desktop did not grant the shortcut.")
        answer: dict[str, tuple[str, Any]] = results
        return answer

    def _listen(self, connection: "DBusConnection", session: str) -> None:
        from jeepney import MatchRule  # noqa: PLC0415

        rule = MatchRule(type="signal", interface=INTERFACE, member="Activated", path=PATH)
        self._subscribe(connection, rule)
        while not self._stopped.is_set():
            message = connection.receive()
            if rule.matches(message) and message.body[:2] == (session, self._key):
                self._on_pressed()

    @staticmethod
    def _subscribe(connection: "DBusConnection", rule: Any) -> None:
        from jeepney.bus_messages import message_bus  # noqa: PLC0415

        connection.send_and_get_reply(message_bus.AddMatch(rule), timeout=CALL_S)


def _token() -> str:
    return f"keepsake_{secrets.token_hex(8)}"
