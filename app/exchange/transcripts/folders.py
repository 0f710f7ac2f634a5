"""Folders in which coding agents keep their transcripts, and the files in them."""

import os
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

_DEPTH: Final = 6


@dataclass(frozen=True, slots=True)
class TranscriptFolder:
    """A folder of transcripts.

    Args:
        format: Their format.
        path: The folder.
        patterns: Names of the files.
        only_in: The name of the folders in which they lie, ``""`` for any.
    """

    format: str
    path: Path
    patterns: tuple[str, ...]
    only_in: str = ""


def transcript_folders(environment: Mapping[str, str], platform: str = sys.platform) -> list[TranscriptFolder]:
    """Return where the clients keep their transcripts on this system.

    Args:
        environment: Where variables such as ``CLAUDE_CONFIG_DIR`` are looked up.
        platform: As in ``sys.platform``.
    """
    home = Path(environment.get("USERPROFILE" if platform == "win32" else "HOME") or Path.home())
    claude = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    codex = Path(environment.get("CODEX_HOME") or home / ".codex")
    gemini = Path(environment.get("GEMINI_CLI_HOME") or home) / ".gemini"
    folders = [
        TranscriptFolder("claude-code", claude / "projects", ("*.jsonl",)),
        TranscriptFolder("codex", codex / "sessions", ("rollout-*.jsonl",)),
        TranscriptFolder("gemini", gemini / "tmp", ("*.json", "*.jsonl"), "chats"),
    ]
    storage = application_data(environment, platform) / "Cursor" / "User"
    return [*folders, TranscriptFolder("cursor", storage, ("state.vscdb",))]


def application_data(environment: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Return the folder in which programs keep a person's settings."""
    home = Path(environment.get("USERPROFILE" if platform == "win32" else "HOME") or Path.home())
    if platform == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    if platform == "darwin":
        return home / "Library" / "Application Support"
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")


@dataclass(slots=True)
class FileList:
    """The files in folders of transcripts, listed again only where a folder changed.

    Args:
        folders: The folders.
    """

    folders: list[TranscriptFolder]
    _listed: dict[str, tuple[int, list[str], list[str]]] = field(default_factory=dict)

    def files(self) -> Iterator[tuple[TranscriptFolder, str, os.stat_result]]:
        """Yield each file with its size and time; links are not followed."""
        for folder in self.folders:
            for name in self._below(str(folder.path), folder, _DEPTH):
                try:
                    status = os.lstat(name)
                except OSError:
                    continue
                if stat.S_ISREG(status.st_mode):
                    yield folder, name, status

    def _below(self, path: str, folder: TranscriptFolder, depth: int) -> Iterator[str]:
        try:
            changed = os.lstat(path).st_mtime_ns
            known = self._listed.get(path)
            if known is None or known[0] != changed:
                known = self._listed[path] = (changed, *self._list(path, folder))
        except OSError:
            self._listed.pop(path, None)
            return
        yield from known[1]
        if depth:
            for inner in known[2]:
                yield from self._below(inner, folder, depth - 1)

    @staticmethod
    def _list(path: str, folder: TranscriptFolder) -> tuple[list[str], list[str]]:
        files: list[str] = []
        folders: list[str] = []
        is_wanted = not folder.only_in or folder.only_in in Path(path).relative_to(folder.path).parts
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                elif is_wanted and any(fnmatch(entry.name, pattern) for pattern in folder.patterns):
                    files.append(entry.path)
        return sorted(files), sorted(folders)
