"""Token files: a hook's token in a private file, not in a visible command line."""

import hashlib
import os
from pathlib import Path
from typing import Final

import platformdirs

VARIABLE: Final = "KEEPSAKE_TOKEN_FILE"


def token_file(vault: Path, client: str) -> Path:
    """Return where the token of a client's hooks is kept."""
    name = hashlib.sha256(f"hooks\n{vault}\n{client}".encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return Path(platformdirs.user_state_dir("keepsake", appauthor=False)) / "tokens" / name


def write_token(path: Path, token: str) -> None:
    """Write a token file that only its owner reads."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(token)
