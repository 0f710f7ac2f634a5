"""Quick capture by a shortcut of the desktop."""

from typing import TYPE_CHECKING

import pytest

from app.host import Host
from tests.unit.ui.conftest import Rest
from tests.unit.ui.process.test_shortcut_portal import Desktop, bus
from ui.bridge import Bridge
from ui.process.global_capture import SETTING, GlobalCapture
from ui.process.shortcut_portal import BUS_VARIABLE

if TYPE_CHECKING:
    from ui.notice import Notice

__all__ = ["bus"]  # a fixture


def is_on(host: Host) -> bool:
    return next(bool(one.value) for one in host.ask("settings.list") if one.name == SETTING)


def test_the_shortcut_opens_capture_while_the_setting_is_on(bus: str, host: Host, bridge: Bridge, rest: Rest) -> None:
    desktop = Desktop(bus)
    capture = GlobalCapture(bridge)
    pressed: list[bool] = []
    notices: list[Notice] = []
    capture.pressed.connect(lambda: pressed.append(True))
    capture.notice.connect(notices.append)
    rest(lambda: not bridge.is_busy)
    assert desktop.calls == []
    host.ask("settings.set", name=SETTING, value=True)
    rest(lambda: bool(notices))
    assert "Ctrl+Alt+Space" in notices[0].text

    def is_pressed() -> bool:
        desktop.press()
        return bool(pressed)

    rest(is_pressed)
    host.ask("settings.set", name=SETTING, value=False)
    rest(lambda: capture._portal is None)
    desktop.close()


def test_a_desktop_without_shortcuts_turns_the_setting_off(
    host: Host, bridge: Bridge, rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(BUS_VARIABLE, raising=False)
    capture = GlobalCapture(bridge)
    notices: list[Notice] = []
    capture.notice.connect(notices.append)
    host.ask("settings.set", name=SETTING, value=True)
    rest(lambda: bool(notices) and not bridge.is_busy)
    assert notices[0].kind == "error"
    rest(lambda: not is_on(host))
    capture.stop()
