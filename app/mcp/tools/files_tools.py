"""Toolbox of the files profile: Anthropic's memory tool over notes that are files.

Commands, answers and errors are those of its documentation ("Memory tool", tool type ``memory_20250818``), which models
know by heart, so the sentences are in its words.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from app.core.text import storable
from app.core.text_rules.recall_fence import PREAMBLE, neutralise
from app.errors import InputError
from app.mcp.host_link import HostLink
from app.mcp.tools.files_schema import COMMANDS, FILES_TOOLS, ROOT
from app.mcp.tools.tool_answers import Answer, held_back
from app.mcp.tools.toolbox import CallContext, refused, unknown_tool
from app.sentence import Sentence

Given = Mapping[str, Any]
File = Mapping[str, Any]

_NOTICE: Final = PREAMBLE.partition(" Each entry")[0]
_HOW: Final = "Once the person has accepted it, view shows it."
_NUMBER_WIDTH: Final = 6
_MOST_LINES: Final = 999_999
_MOST_CHARACTERS: Final = 60_000
"""Characters of a file that are viewed at once, about 15,000 tokens."""
_AROUND: Final = 2
"""Lines shown before and after a change."""
_DEPTH: Final = 2
_UNITS: Final = ("B", "K", "M", "G")


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """Answer in the words of the documentation, made harmless.

    Args:
        words: The sentence or the view.
        is_recalled: Whether it holds more than what the call itself gave; that this is quoted data is said beside it.
        is_error: Whether nothing was done.
    """

    words: str
    is_recalled: bool = False
    is_error: bool = False

    def as_result(self) -> dict[str, Any]:
        """See ``Answer``."""
        texts = (neutralise(self.words), _NOTICE if self.is_recalled else "")
        return {"content": [{"type": "text", "text": text} for text in texts if text], "isError": self.is_error}


class FilesToolbox:
    """The memory tool; see ``Toolbox``."""

    async def listed(self, link: HostLink) -> list[dict[str, Any]]:
        """See ``Toolbox``."""
        return FILES_TOOLS

    def known_tools(self) -> list[dict[str, Any]]:
        """See ``Toolbox``."""
        return FILES_TOOLS

    def is_reading(self, name: str) -> bool:
        """See ``Toolbox``."""
        return False

    async def call(self, name: str, arguments: Given, context: CallContext) -> Answer:
        """See ``Toolbox``."""
        if name != FILES_TOOLS[0]["name"]:
            raise unknown_tool(name, [FILES_TOOLS[0]["name"]])
        handler = _HANDLERS.get(str(arguments.get("command")))
        if handler is None:
            raise InputError(Sentence("'command' must be one of {names}.", names=", ".join(COMMANDS)), field="command")
        try:
            return await handler(arguments, context)
        except _FileError as error:
            return FileAnswer(str(error), is_error=True)


class _FileError(Exception):
    """A refusal in the words of the documentation."""


async def _view(given: Given, call: CallContext) -> Answer:
    path, shown = _path(given, "path")
    files = await _files(call)
    if path in files:
        return _viewed(shown, (await _note(call, files[path]))["content"], given.get("view_range"))
    if path and not _below(files, path):
        raise _FileError(f"The path {shown} does not exist. Please provide a valid path.")
    lines = [f"{_size(sum(file['bytes'] for file in _below(files, path).values()))}\t{shown}"]
    lines += [f"{size}\t{shown}/{name}" for name, size in _tree(files, path, _DEPTH)]
    heading = (
        f"Here're the files and directories up to 2 levels deep in {shown}, excluding hidden items and node_modules:"
    )
    return FileAnswer("\n".join([heading, *lines]), is_recalled=len(lines) > 1)


def _viewed(shown: str, content: str, view_range: Any) -> Answer:
    lines = neutralise(content).split("\n")
    if len(lines) > _MOST_LINES:
        raise _FileError(f"File {shown} exceeds maximum line limit of 999,999 lines.")
    first, last = 1, len(lines)
    if view_range is not None:
        if not isinstance(view_range, list) or [type(number) for number in view_range] != [int, int]:
            raise InputError("'view_range' must be a list of two whole numbers.", field="view_range")
        first, last = max(1, view_range[0]), len(lines) if view_range[1] == -1 else min(len(lines), view_range[1])
    fitting, room = first, _MOST_CHARACTERS
    while fitting <= last and (fitting == first or len(lines[fitting - 1]) < room):
        room -= len(lines[fitting - 1])
        fitting += 1
    heading = f"Here's the content of {shown} with line numbers:"
    more = [f"Lines {fitting} to {last} follow: view them with view_range."] if fitting <= last else []
    return FileAnswer("\n".join([heading, *_numbered(lines, first, fitting - 1), *more]), is_recalled=True)


async def _create(given: Given, call: CallContext) -> Answer:
    path, shown = _path(given, "path", is_file=True)
    content, files = _text(given, "file_text"), await _files(call)
    if path in files or _below(files, path):
        raise _FileError(f"Error: File {shown} already exists")
    value = await call.write("note.create_file", path=path, content=content)
    return _waits(value) or FileAnswer(f"File created successfully at: {shown}")


async def _replace(given: Given, call: CallContext) -> Answer:
    path, shown = _path(given, "path")
    old, new = _text(given, "old_str"), _text(given, "new_str", "")
    note = await _file(call, path, f"Error: The path {shown} does not exist. Please provide a valid path.")
    content = note["content"]
    places = _places(content, old)
    if not places:
        raise _FileError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {shown}.")
    if len(places) > 1:
        numbers = ", ".join(str(content.count("\n", 0, place) + 1) for place in places)
        raise _FileError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {numbers}. Please ensure"
            " it is unique"
        )
    changed = content[: places[0]] + new + content[places[0] + len(old) :]
    if held := await _change(call, note, changed):
        return held
    at = content.count("\n", 0, places[0]) + 1
    lines = changed.split("\n")
    snippet = _numbered(lines, max(1, at - _AROUND), min(len(lines), at + new.count("\n") + _AROUND))
    return FileAnswer("\n".join(["The memory file has been edited.", *snippet]), is_recalled=True)


async def _insert(given: Given, call: CallContext) -> Answer:
    path, shown = _path(given, "path")
    at, text = given.get("insert_line"), _text(given, "insert_text")
    note = await _file(call, path, f"Error: The path {shown} does not exist")
    lines = note["content"].removesuffix("\n").split("\n") if note["content"] else []
    if type(at) is not int or not 0 <= at <= len(lines):
        raise _FileError(
            f"Error: Invalid `insert_line` parameter: {at}. It should be within the range of lines of the file:"
            f" [0, {len(lines)}]"
        )
    changed = "\n".join([*lines[:at], text.removesuffix("\n"), *lines[at:]]) + "\n"
    return await _change(call, note, changed) or FileAnswer(f"The file {shown} has been edited.")


async def _delete(given: Given, call: CallContext) -> Answer:
    path, shown = _path(given, "path")
    if not path:
        raise _FileError("Error: Cannot delete the /memories directory itself")
    gone = _below(await _files(call), path)
    if not gone:
        raise _FileError(f"Error: The path {shown} does not exist")
    if refusal := refused(await call.confirmer.confirm(f"Delete from your memory: {shown}?")):
        return FileAnswer(refusal, is_error=True)
    value = await call.write("note.delete_many", ids=[file["id"] for file in gone.values()])
    return _waits(value) or FileAnswer(f"Successfully deleted {shown}")


async def _rename(given: Given, call: CallContext) -> Answer:
    old, shown_old = _path(given, "old_path")
    new, shown_new = _path(given, "new_path", is_file=True)
    files = await _files(call)
    if not old:
        raise _FileError("Error: Cannot rename the /memories directory itself")
    if not _below(files, old):
        raise _FileError(f"Error: The path {shown_old} does not exist")
    if _below(files, new):
        raise _FileError(f"Error: The destination {shown_new} already exists")
    value = await call.write("note.move_files", old=old, new=new)
    return _waits(value) or FileAnswer(f"Successfully renamed {shown_old} to {shown_new}")


_HANDLERS: Final[dict[str, Callable[[Given, CallContext], Awaitable[Answer]]]] = dict(
    zip(COMMANDS, (_view, _create, _replace, _insert, _delete, _rename), strict=True)
)


async def _files(call: CallContext) -> dict[str, File]:
    return {file["path"]: file for file in await call.read("note.files")}


async def _file(call: CallContext, path: str, refusal: str) -> Mapping[str, Any]:
    """Return the note of a file; a folder is no file."""
    file = (await _files(call)).get(path)
    if file is None:
        raise _FileError(refusal)
    return await _note(call, file)


async def _note(call: CallContext, file: File) -> Mapping[str, Any]:
    note: Mapping[str, Any] = await call.read("note.get", id=file["id"])
    return note


async def _change(call: CallContext, note: Mapping[str, Any], content: str) -> Answer | None:
    """Write a file's new text; return the answer where that waits for the person."""
    return _waits(await call.write("note.update", id=note["id"], version=note["version"], content=content))


def _waits(value: Any) -> Answer | None:
    held = held_back(value, _HOW)
    return None if held is None else FileAnswer(held.words)


def _path(given: Given, name: str, *, is_file: bool = False) -> tuple[str, str]:
    """Return a path below the root, and the path as answers name it.

    The root itself is ``""`` below the root.

    Raises:
        InputError: It is no text, leads out of the root, or is the root where a file is asked for.
    """
    shown = " ".join(storable(_text(given, name))[0].split())
    if shown != ROOT and not shown.startswith(f"{ROOT}/"):
        raise _FileError(f"Path must start with /memories, got: {shown}")
    shown = shown.rstrip("/")
    names = shown[len(ROOT) :].split("/")[1:]
    if any(part in (".", "..") for name in names for part in unquote(name).replace("\\", "/").split("/")):
        raise _FileError(f"Path {shown} would escape /memories directory")
    names = [name.strip() for name in names if name.strip()]
    if is_file and not names:
        raise _FileError(f"Error: File {shown} already exists")
    return "/".join(names), "/".join((ROOT, *names))


def _text(given: Given, name: str, default: str | None = None) -> str:
    text = given.get(name, default)
    if not isinstance(text, str):
        raise InputError(Sentence("'{name}' must be a text.", name=name), field=name)
    return text


def _below(files: Mapping[str, File], folder: str) -> dict[str, File]:
    """Return the files that are or lie in a folder; all for the root."""
    return {path: file for path, file in files.items() if not folder or path == folder or path.startswith(f"{folder}/")}


def _tree(files: Mapping[str, File], folder: str, depth: int) -> list[tuple[str, str]]:
    """Return names within a folder and their sizes, folders with a slash.

    Each folder is followed by what is in it.
    """
    start = len(folder) + 1 if folder else 0
    inner: dict[str, int] = {}
    folders: set[str] = set()
    for path, file in _below(files, folder).items():
        name, slash, _ = path[start:].partition("/")
        inner[name] = inner.get(name, 0) + file["bytes"]
        folders |= {name} if slash else set()
    lines: list[tuple[str, str]] = []
    for name in sorted(inner):
        if name.startswith(".") or name == "node_modules":
            continue
        lines.append((f"{name}/" if name in folders else name, _size(inner[name])))
        if name in folders and depth > 1:
            below = f"{folder}/{name}" if folder else name
            lines += [(f"{name}/{deeper}", size) for deeper, size in _tree(files, below, depth - 1)]
    return lines


def _size(count: int) -> str:
    """Return a size as people read it: ``5.5K``."""
    place, size = 0, float(count)
    while size >= 1024 and place < len(_UNITS) - 1:  # noqa: PLR2004  (bytes in a K)
        place, size = place + 1, size / 1024
    return f"{size:.0f}{_UNITS[place]}" if size == int(size) else f"{size:.1f}{_UNITS[place]}"


def _numbered(lines: list[str], first: int, last: int) -> list[str]:
    return [f"{number:>{_NUMBER_WIDTH}}\t{lines[number - 1]}" for number in range(first, last + 1)]


def _places(content: str, wanted: str) -> list[int]:
    """Return where a text stands in a file, as stored or else as shown."""
    shown = neutralise(content)
    for text in (content, shown if len(shown) == len(content) else ""):
        if wanted and (places := _found(text, wanted)):
            return places
    return []


def _found(text: str, wanted: str) -> list[int]:
    places, at = [], text.find(wanted)
    while at >= 0:
        places.append(at)
        at = text.find(wanted, at + 1)
    return places
