"""Identity of an MCP server towards the host: the tokens it may show."""

import hashlib
import json
import logging
import os
import time
from pathlib import Path
from typing import Any, Final

import platformdirs

from app.rpc.credentials import environment_credentials, keep_token, kept_token, keyring_name

_ASK_AGAIN_SECONDS: Final = 86_400.0
_log = logging.getLogger(__name__)


def known_tokens(vault: Path, name: str) -> list[str]:
    """Return the tokens of a client's own requests, from our file and the keyring.

    Looking into the keyring may take long; not for an event loop.
    """
    return list(
        dict.fromkeys(token for token in (str(_held(vault, name).get("token", "")), kept_token(vault, name)) if token)
    )


def given_token(name: str) -> str | None:
    """Return the token in ``KEEPSAKE_TOKEN``, ``None`` where it is not set."""
    token = environment_credentials(name)
    return None if token is None else token.token


def keep(vault: Path, name: str, token: str, request: str) -> None:
    """Keep a requested token for the next start.

    It is kept in the system's keyring, else in a file that only the person can read.

    Args:
        vault: The vault's folder.
        name: The name of the client.
        token: The token, valid once the person allows the request.
        request: The id of the request.
    """
    is_in_keyring = keep_token(vault, name, token)
    held = {"token": "" if is_in_keyring else token, "request": request, "requested_at": time.time()}
    path = _file(vault, name)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(held, file)
    except OSError as error:
        _log.warning("the token could not be kept and will be asked for again: %s", error)


def waiting_request(vault: Path, name: str) -> str:
    """Return the id of a recent request for access, ``""`` for none."""
    held = _held(vault, name)
    requested_at = held.get("requested_at")
    is_recent = isinstance(requested_at, float) and 0 <= time.time() - requested_at < _ASK_AGAIN_SECONDS
    return str(held.get("request", "")) if is_recent else ""


def _held(vault: Path, name: str) -> dict[str, Any]:
    try:
        held = json.loads(_file(vault, name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}


def _file(vault: Path, name: str) -> Path:
    folder = Path(platformdirs.user_state_dir("keepsake", appauthor=False)) / "tokens"
    return folder / hashlib.sha256(keyring_name(vault, name).encode("utf-8", "surrogateescape")).hexdigest()[:32]
