"""Settings of the window are obeyed at once."""

from app.host import Host
from ui.bridge import Bridge
from ui.style.appearance import Appearance
from ui.theme import Theme


def test_contrast_motion_and_keys(host: Host, bridge: Bridge, look: Theme) -> None:
    appearance = Appearance(bridge)
    emitted: list[object] = []
    appearance.keys_changed.connect(emitted.append)
    before = look.tokens

    def store(name: str, value: str | bool) -> None:
        appearance.apply(host.ask("settings.set", name=name, value=value))

    store("window.contrast", "high")
    assert look.tokens != before
    store("window.contrast", "system")
    assert look.tokens == before
    store("window.reduced_motion", True)
    assert look.reduced_motion
    store("window.reduced_motion", False)
    assert not look.reduced_motion
    store("window.shortcuts", '{"notes.new": "F9"}')
    assert emitted == [{"notes.new": "F9"}]
