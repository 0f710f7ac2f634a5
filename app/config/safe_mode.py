"""Settings of safe mode: no model, no vectors, nothing watched, and the default appearance."""

from collections.abc import Mapping
from typing import Final

from app.config.schema import SETTINGS, Value

_OFF: Final[Mapping[str, Value]] = {
    "capture.watch": False,
    "index.vectors": False,
    "llm.provider": "none",
    "ner.accurate": False,
    "search.reranker": "",
}
_APPEARANCE: Final = ("window.contrast", "window.reduced_motion", "window.scale", "window.shortcuts", "window.theme")

SAFE_MODE: Final[Mapping[str, Value]] = {
    **_OFF,
    **{item.name: item.default for item in SETTINGS if item.name in _APPEARANCE},
}
"""Values that win in safe mode; the person's own stay in the file and can be changed there."""
