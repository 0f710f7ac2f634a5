"""Folders of isolated vaults: one for each agent name, valid on every system."""

import hashlib
import re
import unicodedata
from pathlib import Path

from app.core.files import from_os, replace_file
from app.core.regular_files import make_folder, open_for_reading, require_folder

AGENTS = "agents"
DATABASE = "memory.db"
_NAME_FILE = "agent.txt"
_MAX_NAME_BYTES = 1 << 16
_READABLE = 32
_OTHER = re.compile(r"[^a-z0-9]+")


def folder_of(vault: Path, agent: str) -> Path:
    """Return the folder of an agent's vault.

    Its name is the readable part of the agent's name, and a digest that makes it unique.

    The digest also keeps apart names that differ in case only, and from names that systems reserve, such as ``con``.
    """
    clean = cleaned(agent)
    plain = unicodedata.normalize("NFKD", clean).casefold().encode("ascii", "ignore").decode()
    readable = _OTHER.sub("-", plain).strip("-")[:_READABLE].strip("-") or "agent"
    digest = hashlib.blake2b(clean.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return vault / AGENTS / f"{readable}-{digest}"


def cleaned(agent: str) -> str:
    """Return a name as names are compared: trimmed, in one Unicode form."""
    return unicodedata.normalize("NFC", agent.strip())


def prepare(folder: Path, agent: str) -> None:
    """Make an agent's folder, for the person only, with the name in it.

    Raises:
        MachineError: It cannot be made.
    """
    try:
        for path in (folder.parent, folder):
            make_folder(path)
    except OSError as error:
        raise from_os(error, folder) from error
    if not (folder / _NAME_FILE).exists():
        replace_file(folder / _NAME_FILE, cleaned(agent).encode("utf-8", "replace"))


def existing(vault: Path) -> list[tuple[str, Path]]:
    """Return the name and folder of every isolated agent, by name.

    The name is empty where it is unknown.

    Raises:
        MachineError: The folders cannot be read.
    """
    try:
        require_folder(vault / AGENTS)
        folders = [path.parent for path in (vault / AGENTS).glob(f"*/{DATABASE}") if not path.parent.is_symlink()]
        return sorted((_name_in(folder), folder) for folder in folders)
    except OSError as error:
        raise from_os(error, vault / AGENTS) from error


def size_of(folder: Path) -> int:
    """Return the bytes of a vault's database and log."""
    try:
        return sum(path.stat().st_size for path in folder.glob(f"{DATABASE}*"))
    except FileNotFoundError:  # the log went while we looked
        return sum(path.stat().st_size for path in folder.glob(DATABASE))


def _name_in(folder: Path) -> str:
    """Return the name kept in a folder if the folder is that name's."""
    try:
        with open_for_reading(folder / _NAME_FILE) as file:
            name = file.read(_MAX_NAME_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    return name if folder_of(folder.parent.parent, name) == folder else ""
