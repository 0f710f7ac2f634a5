"""Reader of Cursor's conversations: its ``state.vscdb`` (SQLite, opened for reading only) or composers as JSON.

The database keeps JSON under keys: ``composerData:<id>`` has the order of a conversation, ``bubbleId:<id>:<bubble>``
its messages; older versions keep whole conversations in ``ItemTable``. No other key is read: some hold access tokens.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from app.core.clock import parse_instant
from app.errors import FormatError
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.transcripts import transcript_records
from app.exchange.formats.transcripts.transcript_records import turn
from app.exchange.importing.accounting import read_item
from app.exchange.model import Position, Record, SessionRecord
from app.exchange.parsing.item_places import numbered, part
from app.exchange.parsing.json_items import decode
from app.exchange.parsing.lenient import filled, first_text, row, table, text
from app.memories.foreign_record import Problem
from app.sentence import Sentence
from app.sessions.model import Role
from app.store.files.database_file import SYSTEM_VFS
from app.store.sqlite_errors import file_problem

FORMAT = "cursor"
AGENT = transcript_records.AGENTS[FORMAT]
PATTERNS = ("state.vscdb",)
MAGIC = b"SQLite format 3\x00"
NOISE = ("context", "codebaseContextChunks", "attachedCodeChunks", "richText", "cursorRules")
_CHATS = "workbench.panel.aichat.view.aichat.chatdata"
_MAX_BYTES = 256 << 20
_BUSY_MS = 2_000
_ROLES: dict[str, Role] = {"1": "user", "2": "assistant", "user": "user", "ai": "assistant", "assistant": "assistant"}


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read the conversations of a database, or of JSON with composers.

    Args:
        path: ``state.vscdb``, a JSON file, or a folder with such databases in it or below.
        cancelled: Asked before each conversation; reading stops when it says so.

    Raises:
        FormatError: The database is damaged.
    """
    return transcript_records.each_file(path, PATTERNS, lambda file: _read_file(file, cancelled), cancelled)


def _read_file(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    with path.open("rb") as file:
        has_magic = file.read(len(MAGIC)) == MAGIC
    return read_database(path, cancelled) if has_magic else _read_json(path, cancelled)


def is_database(path: Path) -> bool:
    """Return whether a file is a database with Cursor's tables."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return False
    try:
        with closing(_open(path)) as connection:
            return bool(_tables(connection))
    except apsw.Error:
        return False


def is_composer(value: object) -> bool:
    """Return whether a JSON value is a conversation of Cursor, or a list of them."""
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        return False
    return isinstance(first.get("composerId"), str) and bool(
        first.keys() & {"conversation", "conversationMap", "fullConversationHeadersOnly", "bubbles"}
    )


def read_database(path: Path, cancelled: Callable[[], bool], since_ms: int = 0) -> Iterator[Record]:
    """Read the conversations of a database that changed at ``since_ms`` or later.

    Raises:
        FormatError: It is damaged.
    """
    try:
        with closing(_open(path)) as connection:
            tables = _tables(connection)
            if "cursorDiskKV" in tables:
                yield from _composers(connection, path, cancelled, since_ms)
            if "ItemTable" in tables:
                yield from _tabs(_value(connection, "ItemTable", _CHATS), path.name)
    except apsw.Error as error:
        raise FormatError(
            Sentence(
                "{name} could not be read as a database of Cursor. {problem}",
                name=path.name,
                problem=file_problem(error, path),
            ),
            path=str(path),
        ) from error


def _open(path: Path) -> apsw.Connection:
    # A write-ahead log is read with the locks of its writer; without one, no file is made beside the database.
    is_in_use = path.with_name(f"{path.name}-wal").exists()
    options = "mode=ro" if is_in_use else "mode=ro&immutable=1"
    uri = f"file:{quote(str(path.absolute()))}?{options}"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, vfs=SYSTEM_VFS)
    connection.set_busy_timeout(_BUSY_MS)
    return connection


def _tables(connection: apsw.Connection) -> set[str]:
    sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('cursorDiskKV', 'ItemTable')"
    return {str(name) for (name,) in connection.execute(sql)}


def _value(connection: apsw.Connection, table_name: str, key: str) -> Any:
    row = connection.execute(f"SELECT value FROM {table_name} WHERE key = ?", (key,)).fetchone()
    return None if row is None else _decoded(row[0])


def _decoded(value: object) -> Any:
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    if not isinstance(data, bytes) or len(data) > _MAX_BYTES:
        return None
    try:
        return decode(data)[0]
    except ValueError:
        return None


def _composers(
    connection: apsw.Connection, path: Path, cancelled: Callable[[], bool], since_ms: int
) -> Iterator[Record]:
    keys = [
        str(key)
        for (key,) in connection.execute(
            "SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL"
            " AND (?1 = 0 OR NOT json_valid(value)"
            " OR coalesce(json_extract(value, '$.lastUpdatedAt'), json_extract(value, '$.createdAt'), 0) >= ?1)",
            (since_ms,),
        )
    ]
    for number, key in enumerate(keys, 1):
        if cancelled():
            return
        composer = _value(connection, "cursorDiskKV", key)
        if isinstance(composer, dict):

            def bubble(name: str, of: str = key.removeprefix("composerData:")) -> Any:
                return _value(connection, "cursorDiskKV", f"bubbleId:{of}:{name}")

            read_item(part(path.name, key), composer, "conversation")
            yield from _composer({"composerId": key.removeprefix("composerData:"), **composer}, bubble)
        else:
            yield Problem(part(path.name, key), Sentence("It is not a JSON object and was left out."))
        yield Position(number, len(keys), path.name)


def _composer(composer: dict[str, Any], bubble: Callable[[str], Any]) -> Iterator[Record]:
    key = text(composer.get("composerId"))
    records: list[Record] = []
    for found_bubble in _bubbles(composer, bubble):
        if isinstance(found_bubble, Problem):
            records.append(found_bubble)
        else:
            records.extend(_messages(key, found_bubble, parse_instant(composer.get("createdAt"))))
    if records:
        yield SessionRecord(
            key,
            title=first_text(composer, "name"),
            agent=AGENT,
            created_ms=parse_instant(composer.get("createdAt")),
            updated_ms=parse_instant(composer.get("lastUpdatedAt")),
            attributes=filled({"subtitle": composer.get("subtitle"), "mode": composer.get("unifiedMode")}),
        )
        yield from records


def _bubbles(composer: dict[str, Any], bubble: Callable[[str], Any]) -> Iterator[dict[str, Any] | Problem]:
    """Yield the messages of a conversation in order, without those that are still being written."""
    inline = [table(bubble) for bubble in row(composer.get("conversation")) or row(composer.get("bubbles"))]
    known = table(composer.get("conversationMap"))
    headers = [table(header) for header in row(composer.get("fullConversationHeadersOnly"))]
    writing = set(map(text, row(composer.get("generatingBubbleIds"))))
    for entry in inline or headers:
        name = text(entry.get("bubbleId"))
        if name in writing or (entry is (inline or headers)[-1] and composer.get("status") == "generating"):
            continue
        value = entry if inline else known.get(name) or bubble(name)
        if isinstance(value, dict):
            yield {"bubbleId": name, **value}
        else:
            yield Problem(
                numbered(Sentence("conversation {key}", key=text(composer.get("composerId"))), "message", name),
                Sentence("It is missing."),
            )


def _messages(key: str, bubble: dict[str, Any], begun: int | None) -> Iterator[Record]:
    name = text(bubble.get("bubbleId"))
    moment = parse_instant(bubble.get("createdAt")) or begun
    role = _ROLES.get(str(bubble.get("type")), "system")
    author = AGENT if role == "assistant" else ""
    thought = first_text(table(bubble.get("thinking")), "text")
    if thought:
        yield transcript_records.thought(key, thought, f"{name}#thought", moment, AGENT)
    words = first_text(bubble, "text", "rawText") or _code(bubble)
    if words and role == "user":
        yield from transcript_records.persons_turn(key, words, name, moment)
    elif words:
        yield turn(key, role, words, name, moment, author=author)
    tool = table(bubble.get("toolFormerData"))
    if tool:
        yield from _tool(key, tool, name, moment)


def _code(bubble: dict[str, Any]) -> str:
    blocks = [first_text(table(block), "content") for block in row(bubble.get("codeBlocks"))]
    return "\n\n".join(f"```\n{block}\n```" for block in blocks if block)


def _tool(key: str, tool: dict[str, Any], name: str, moment: int | None) -> Iterator[Record]:
    title = first_text(tool, "name") or str(tool.get("tool", "tool"))
    call = first_text(tool, "toolCallId", "callId") or f"{name}#tool"
    arguments = transcript_records.arguments_of(tool.get("rawArgs", tool.get("params")))
    calls = [filled({"id": call, "name": title, "input": arguments})]
    yield turn(key, "assistant", "", f"{name}#call", moment, author=AGENT, calls=calls)
    words = transcript_records.readable(transcript_records.arguments_of(tool.get("result")))
    if words:
        yield turn(key, "tool", words, f"{name}#answer", moment, author=title, call=call, tool=title)


def _tabs(value: Any, place: str) -> Iterator[Record]:
    """Yield the conversations of versions that kept all of them in one value."""
    for number, tab in enumerate(map(table, row(table(value).get("tabs"))), 1):
        key = first_text(tab, "tabId") or f"{place}:{number}"
        read_item(numbered(place, "tab", number), tab, "conversation")
        begun = parse_instant(tab.get("lastSendTime"))
        records: list[Record] = []
        for place_in, bubble in enumerate(map(table, row(tab.get("bubbles")))):
            name = first_text(bubble, "bubbleId", "id") or f"{key}#{place_in}"
            records.extend(_messages(key, {**bubble, "bubbleId": name}, begun))
        if records:
            yield SessionRecord(key, title=first_text(tab, "chatTitle"), agent=AGENT, created_ms=begun)
            yield from records


def _read_json(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    size = path.stat().st_size
    value = _decoded(path.read_bytes()) if size <= _MAX_BYTES else None
    if value is None:
        yield Problem(path.name, Sentence("It is not complete JSON, or too large, and was left out."))
        return
    for number, composer in enumerate(value if isinstance(value, list) else [value], 1):
        if cancelled():
            return
        if isinstance(composer, dict) and text(composer.get("composerId")):
            read_item(numbered(path.name, "conversation", number), composer, "conversation")
            bubbles = table(composer.get("bubbleMap"))
            yield from _composer(composer, bubbles.get)
        else:
            yield Problem(
                numbered(path.name, "conversation", number),
                Sentence("It is not a conversation of Cursor and was left out."),
            )
    yield Position(size, size, path.name)


SPEC = FormatSpec(
    name=FORMAT, title="Cursor", read=read, kind="transcript", help="Cursor", suffixes=(".vscdb", ".json"), noise=NOISE
)
