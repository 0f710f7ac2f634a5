"""No thread that the program waits for at its end calls a place where machines meet."""

import re

from tests.helpers.sample_data import ROOT

_AWAITED = re.compile(r"asyncio\.to_thread\(([a-z_.]+)")
_NO_PLACE = re.compile(r"self\.(_membership\.)?_?key_store\.[a-z_]+|(reached\.point|tables)\.close")


def test_places_are_called_in_daemon_threads() -> None:
    sources = [path for folder in ("sync", "devices", "projection") for path in (ROOT / "app" / folder).rglob("*.py")]
    called = [call for path in sources for call in _AWAITED.findall(path.read_text("utf-8"))]
    assert called
    assert [call for call in called if not _NO_PLACE.fullmatch(call)] == []
