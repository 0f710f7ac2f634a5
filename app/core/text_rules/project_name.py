"""Names of projects: what a working folder belongs to, by its repository.

Clones and worktrees of one remote have one name, which is the end of the remote's address. Nothing is run and no
network is used. What a repository's files say is not trusted: only so much of them is read, and of regular files.

Conversations and memories keep the name as an attribute. Hooks of agents import this all the time, so it loads little.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from typing import Any, Final

ATTRIBUTE: Final = "project"
"""The attribute of a conversation or memory that names its project."""
MAX_NAME: Final = 200
_MAX_CONFIG: Final = 256 << 10
_MAX_POINTER: Final = 8 << 10
_MAX_DEPTH: Final = 64
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_ABSOLUTE: Final = re.compile(r"(?:[A-Za-z]:)?/(?!/)")
_HOME: Final = re.compile(r"\A(?:(?:[A-Za-z]:|/mnt/[a-z])?/(?:var/home|home|Users)/[^/]+|/root)(?=/|\Z)")
# Folders of everything in a home, as systems call them in the window's languages.
_FOR_ALL: Final = "Desktop|Documents|Downloads|Schreibtisch|Dokumente|Escritorio|Documentos|Descargas|桌面|文档|下载"
_TOO_HIGH: Final = re.compile(rf"~(?:/(?:{_FOR_ALL}))?|(?:[A-Za-z]:)?")
_TEMPORARY: Final = re.compile(r"(?:/private)?/(?:tmp|var/tmp|var/folders)(?:/|\Z)")
_SECTION: Final = re.compile(r'\[remote "([^"\\]{1,200})"\]\Z')
_ADDRESS: Final = re.compile(r"url[ \t]*=[ \t]*(\S{1,2000})\Z")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
_NO_SEGMENTS: Final = frozenset({"", ".", "..", "~", "_git"})


def project_sql(table: str) -> str:
    """Return the SQL of a conversation's or memory's project, which is indexed; null for none."""
    return f"{table}.attributes ->> '$.{ATTRIBUTE}'"


def project_name(value: object) -> str:
    """Return the name that an attribute holds, ``""`` for any other value."""
    return clean_name(value) if isinstance(value, str) and not value.startswith(("[", "{")) else ""


def with_project(attributes: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return attributes with the name of a project, unchanged where it is empty."""
    clean = clean_name(name)
    return {**attributes, ATTRIBUTE: clean} if clean else dict(attributes)


def of_project(attributes: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return attributes with another project, none where the name is empty."""
    return with_project({key: value for key, value in attributes.items() if key != ATTRIBUTE}, name)


def project_of(folder: str, *, needs_repository: bool = False) -> str:
    """Return the name of the project that a working folder belongs to, ``""`` for none.

    It is the end of the address of the repository's remote (``alice/garden``), else the path of the repository or
    folder, in which ``~`` stands for any person's home: ``~/work/garden``. A home itself is no project, nor are its
    folders for all kinds of files, such as ``~/Documents``, or a temporary folder without a repository.

    Args:
        folder: An absolute path, which need not be there: it may come from another machine.
        needs_repository: Whether a folder without a repository is no project.
    """
    path = folder.replace("\\", "/").rstrip("/")
    if not _ABSOLUTE.match(path) or "\0" in path or ".." in path.split("/"):
        return ""
    for parent in _parents(path):
        if _is_too_high(parent):
            break
        git = _git_folder(parent)
        if git is not None:
            owner, config = git
            return project_of_remote(_remote(config)) or _of_path(owner)
    return "" if needs_repository or _is_too_high(path) or _TEMPORARY.match(path) else _of_path(path)


def project_of_remote(address: str) -> str:
    """Return the end of a remote's address: owner and name, without host, user and password."""
    _, scheme, rest = address.partition("://")
    path = (rest if scheme else address).replace("\\", "/")
    path = re.split(r"[?#]", path, maxsplit=1)[0]
    if scheme:
        path = path.partition("/")[2]
    elif re.match(r"[^/]{2,}:", path):  # git@host:alice/garden.git
        path = path.partition(":")[2]
    segments = [part for part in path.rstrip("/").removesuffix(".git").split("/") if part not in _NO_SEGMENTS]
    return clean_name("/".join(segments[-2:]))


def clean_name(name: str) -> str:
    """Return the name of a project on one line, not too long."""
    return _UNPRINTABLE.sub(" ", name).strip()[:MAX_NAME].strip()


def _parents(path: str) -> Iterator[str]:
    """Yield a path and the folders above it."""
    for _ in range(_MAX_DEPTH):
        yield path
        path, _, last = path.rpartition("/")
        if not (path and last):
            return


def _is_too_high(path: str) -> bool:
    # A home may be a repository itself, of settings; what lies in it is no part of that.
    return bool(_TOO_HIGH.fullmatch(_HOME.sub("~", path, count=1)))


def _of_path(path: str) -> str:
    return clean_name(_HOME.sub("~", path, count=1))


def _git_folder(path: str) -> tuple[str, str] | None:
    """Return the main working folder of the repository in ``path``, and its configuration."""
    config = _read(f"{path}/.git/config", _MAX_CONFIG)
    if config is not None:
        return path, config
    pointer = _read(f"{path}/.git", _MAX_POINTER) or ""
    if not pointer.startswith("gitdir:"):
        return None
    own = _joined(path, pointer.removeprefix("gitdir:").strip())
    common = _read(f"{own}/commondir", _MAX_POINTER)
    shared = own if common is None else _joined(own, common.strip())
    config = _read(f"{shared}/config", _MAX_CONFIG)
    if config is None:
        return None
    return (path if common is None else shared.removesuffix("/.git").removesuffix(".git")), config


def _joined(folder: str, path: str) -> str:
    """Return the path that is meant in a folder, without ``..``."""
    path = path.replace("\\", "/")
    parts: list[str] = []
    for part in (path if _ABSOLUTE.match(path) else f"{folder}/{path}").split("/"):
        if part == ".." and len(parts) > 1:
            parts.pop()
        elif part not in (".", ".."):
            parts.append(part)
    return "/".join(parts)


def _read(path: str, most: int) -> str | None:
    """Return the beginning of a regular file, ``None`` where none can be read."""
    if not _ABSOLUTE.match(path):
        return None
    try:
        handle = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        return os.read(handle, most).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(handle)


def _remote(config: str) -> str:
    """Return the address of ``origin``, else of the first remote; ``""`` for none."""
    addresses: dict[str, str] = {}
    remote = ""
    for line in config.split("\n"):
        words = line.strip()
        if words.startswith("["):
            section = _SECTION.match(words)
            remote = section[1] if section else ""
        elif remote and (address := _ADDRESS.match(words)):
            addresses.setdefault(remote, address[1].strip('"'))
    return addresses.get("origin") or next(iter(addresses.values()), "")
