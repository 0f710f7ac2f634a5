"""Settings of the window are obeyed at once."""

from app.config.model import SettingValue
from ui.bridge import Bridge
from ui.style.appearance import Appearance
from ui.theme import Theme


def _setting(name: str, value: str | bool) -> SettingValue:
    return SettingValue(name, value, value, "file", "str", "")


def test_contrast_motion_and_keys(fake_bridge: Bridge, look: Theme) -> None:
    appearance = Appearance(fake_bridge)
    emitted: list[object] = []
    appearance.keys_changed.connect(emitted.append)
    before = look.tokens
    appearance.apply(_setting("window.contrast", "high"))
    assert look.tokens != before
    appearance.apply(_setting("window.contrast", "system"))
    assert look.tokens == before
    appearance.apply(_setting("window.reduced_motion", True))
    assert look.reduced_motion
    appearance.apply(_setting("window.reduced_motion", False))
    assert not look.reduced_motion
    appearance.apply(_setting("window.shortcuts", '{"notes.new": "F9"}'))
    assert emitted == [{"notes.new": "F9"}]
