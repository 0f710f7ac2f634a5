"""Keys that the person chose, as the setting ``window.shortcuts`` holds them."""

import json
from collections.abc import Mapping


def read_keys(text: str) -> dict[str, str]:
    """Return keys by action; nothing where the text is no object of texts."""
    try:
        key_fields = json.loads(text) if text.strip() else {}
    except ValueError:
        return {}
    if not isinstance(key_fields, dict):
        return {}
    return {str(name): keys for name, keys in key_fields.items() if isinstance(keys, str)}


def write_keys(keys: Mapping[str, str]) -> str:
    """Return the setting's text; empty without any."""
    return json.dumps(dict(sorted(keys.items())), ensure_ascii=False) if keys else ""
