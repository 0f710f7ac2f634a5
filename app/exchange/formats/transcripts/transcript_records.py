"""Parts shared by transcript readers: messages with foreign ids, and lines read one by one."""

import json
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from app.core.clock import optional_datetime
from app.core.text import excerpt, storable
from app.core.text_rules.project_name import project_of, project_of_remote, with_project
from app.exchange.formats.format_spec import Reader
from app.exchange.formats.transcripts.program_text import parted
from app.exchange.importing.accounting import read_item
from app.exchange.model import MessageRecord, Position, Record
from app.exchange.parsing.item_places import numbered
from app.exchange.parsing.json_items import decode
from app.exchange.parsing.lenient import clean, first_text, row, table, text
from app.exchange.parsing.lines import read_lines
from app.memories.foreign_record import Problem
from app.sentence import Sentence
from app.sessions.model import NewMessage, Role

AGENTS: Final = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "cursor": "Cursor",
    "agent-session": "Agent",
}
THOUGHT_IMPORTANCE: Final = 0.1
NOTICE_IMPORTANCE: Final = 0.1

_MAX_KEPT: Final = 256  # names of tools whose answers are still to come


def head_attributes(attributes: dict[str, Any], remote: str = "") -> dict[str, Any]:
    """Return the attributes of a conversation with its project.

    That is found from the working folder (``cwd``), or from the address of the repository's ``remote``.
    """
    return with_project(attributes, project_of_remote(remote) or project_of(text(attributes.get("cwd"))))


class LineParser:
    """Parser of a transcript that grows line by line.

    Args:
        name: What the session is called where no line says it.
        state: What it must know of earlier lines to go on, as JSON values: the state of an earlier parser of the file.
    """

    def __init__(self, name: str, state: dict[str, Any] | None = None) -> None:
        self._name = name
        self.state: dict[str, Any] = dict(state or {})

    def look_ahead(self, lines: Iterable[bytes]) -> None:
        """Look through the lines that are about to be read."""

    def records(self, line: bytes, place: str) -> Iterator[Record]:
        """Yield the records of a whole line; ``place`` says where it stands, for a person."""
        event = parsed(line, place)
        if isinstance(event, Problem):
            yield event
        elif event is not None:
            yield from self._event(event, line, place)

    def _event(self, event: dict[str, Any], line: bytes, place: str) -> Iterator[Record]:
        """Yield the records of the object in a line."""
        raise NotImplementedError

    @property
    def _key(self) -> str:
        return text(self.state.get("session")) or self._name


def peeked(line: bytes) -> dict[str, Any]:
    """Return the JSON object of a line that is read later."""
    try:
        return table(decode(line)[0])
    except ValueError:
        return {}


def parsed(line: bytes, place: str) -> dict[str, Any] | Problem | None:
    """Return the JSON object of a line, a problem, or ``None`` for a blank line."""
    if not line.strip():
        return None
    try:
        value, _ = decode(line)
    except ValueError:
        return Problem(
            place,
            Sentence(
                "It is not JSON and was left out: {text}.", text=repr(excerpt(line[:80].decode("utf-8", "replace"), 40))
            ),
        )
    if not isinstance(value, dict):
        return Problem(place, Sentence("It is not a JSON object and was left out."))
    read_item(place, value, "line")
    return value


def each_file(
    path: Path,
    patterns: tuple[str, ...],
    read: Callable[[Path], Iterator[Record]],
    cancelled: Callable[[], bool],
    is_own: Callable[[Path], bool] = Path.is_file,
) -> Iterator[Record]:
    """Read a file, or the program's own files below a folder."""
    if not path.is_dir():
        yield from read(path)
        return
    for file in sorted({file for pattern in patterns for file in path.rglob(pattern)}):
        if cancelled():
            return
        if file.is_file() and not file.is_symlink() and is_own(file):
            yield from read(file)


def reader_of(patterns: tuple[str, ...], parser: Callable[[str], LineParser]) -> Reader:
    """Return the reader of transcripts whose lines a parser takes one by one.

    Args:
        patterns: What their files are called in a folder.
        parser: Makes the parser of a file from the name of its session.
    """

    def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
        return each_file(path, patterns, lambda file: read_with(parser(file.stem), file, cancelled), cancelled)

    return read


def read_with(parser: LineParser, path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read a whole file of lines with a parser."""
    total = path.stat().st_size
    parser.look_ahead(line.data for line in read_lines(path) if line.data is not None and not cancelled())
    for line in read_lines(path):
        if cancelled():
            return
        place = numbered(path.name, "line", line.number)
        if line.data is None:
            yield Problem(place, line.broken or "It is too long and was left out.")
        elif not line.complete and not is_whole(line.data):
            yield Problem(
                place,
                Sentence("It is cut off and was left out; import the file again when it is complete."),
                lost=False,
            )
        else:
            yield from parser.records(line.data, place)
        yield Position(line.done, total, path.name)


def is_whole(line: bytes) -> bool:
    """Return whether a last line that nothing ends is complete JSON."""
    try:
        decode(line)
    except ValueError:
        return False
    return True


def line_id(line: bytes) -> str:
    """Return an id for a line without one, made of its content."""
    return f"line-{blake2b(line.strip(), digest_size=12).hexdigest()}"


def turn(
    session: str,
    role: Role,
    text: str,
    foreign_id: str,
    moment: int | None,
    *,
    author: str = "",
    importance: float | None = None,
    call: str | None = None,
    tool: str = "",
    calls: list[dict[str, Any]] | None = None,
    payload: dict[str, Any] | None = None,
) -> MessageRecord:
    """Return a message of a transcript; ``foreign_id`` tells it from all others of its session."""
    return MessageRecord(
        session,
        NewMessage(
            role=role,
            content=storable(text)[0],
            author=storable(author)[0],
            created_at=optional_datetime(moment),
            importance=importance,
            tool_call_id=storable(call)[0] if call else None,
            tool_name=storable(tool)[0] or None,
            tool_calls=clean(calls) or None,
            payload={**clean(payload or {}), "id": storable(foreign_id)[0]},
        ),
    )


def thought(session: str, text: str, foreign_id: str, moment: int | None, author: str) -> MessageRecord:
    """Return what a model thought and did not say; it is kept with the notices."""
    mark = {"thought": True}
    return turn(session, "system", text, foreign_id, moment, author=author, importance=THOUGHT_IMPORTANCE, payload=mark)


def persons_turn(session: str, content: str, foreign_id: str, moment: int | None) -> Iterator[MessageRecord]:
    """Yield what a person said, and what their program added as a notice."""
    words, added = parted(content)
    if added.strip():
        name = f"{foreign_id}#notice" if words.strip() else foreign_id
        yield turn(session, "system", added, name, moment, importance=NOTICE_IMPORTANCE)
    if words.strip():
        yield turn(session, "user", words, foreign_id, moment)


def readable(value: Any) -> str:
    """Return the text in a tool's answer of any shape, else its JSON."""
    if isinstance(value, str):
        return value
    parts = [readable(part) for part in row(value)] if isinstance(value, list) else []
    if parts:
        return "\n".join(filter(None, parts))
    fields = table(value)
    words = first_text(fields, "text", "output", "content", "error", "stdout", "aggregated_output", "message")
    if words:
        return words
    for name in ("functionResponse", "response", "output", "content", "result"):
        if isinstance(fields.get(name), dict | list):
            return readable(fields[name])
    return json.dumps(clean(value), ensure_ascii=False) if value not in (None, "", [], {}) else ""


def keep_tool(state: dict[str, Any], call: str, tool: str) -> None:
    """Keep the name of a tool until its answer comes."""
    tools: dict[str, str] = state.setdefault("tools", {})
    if call and tool:
        tools[call] = tool
        while len(tools) > _MAX_KEPT:
            del tools[next(iter(tools))]


def tool_of(state: dict[str, Any], call: str) -> str:
    """Return the name of the tool that answers a call, ``""`` if unknown."""
    return text(table(state.get("tools")).get(call))


def arguments_of(value: Any) -> Any:
    """Return a tool's arguments, decoded where they are JSON in a string."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
