"""Reader of SQLite databases in which programs for agents keep conversations and memories.

Such databases have few names for the same things, so tables are read by their columns: conversations from
``conversation_events`` or ``messages``, and memories from ``memories``, ``facts`` and ``observations``.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import apsw

from app.core.clock import optional_datetime, parse_instant
from app.core.process import open_databases
from app.core.text import content_hash, excerpt, storable
from app.encryption.key_file import has_key_file
from app.errors import FormatError
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.memory_systems.foreign_entity import foreign_entity
from app.exchange.formats.memory_systems.memory_list import MEMORY_SERVICE, memory_record, tags_of
from app.exchange.formats.memory_systems.message_list import content_text
from app.exchange.importing.accounting import read_item
from app.exchange.model import MessageRecord, Position, Record, SessionRecord
from app.exchange.parsing.item_places import numbered, part
from app.exchange.parsing.lenient import clean, filled, first_text, row, table, text
from app.exchange.parsing.temporary_copies import temporary_copies
from app.memories.foreign_record import MemoryRecord, Problem
from app.memories.model import Kind
from app.sentence import Sentence
from app.sessions.model import NewMessage, Role
from app.store.files.database_file import SYSTEM_VFS
from app.store.sqlite_errors import file_problem

NAME: Final = "memory-database"
BEGINNING: Final = b"SQLite format 3\x00"
VAULT_DATABASE: Final = "memory.db"
VAULT_ADVICE: Final = Sentence("Open it with --vault, or export it there and import the file.")
_OURS: Final = 0x4B454550  # the application id of a vault, "KEEP"
_OURS_AT: Final = 68  # bytes into a database
_ROLES: Final[dict[str, Role]] = {"user": "user", "assistant": "assistant", "tool": "tool", "system": "system"}
_STEPS: Final = 100_000
_KNOWN: Final = ("conversation_events", "messages", "memories", "facts", "observations")
_TEXT_COLUMNS: Final = frozenset({"content", "payload_json", "value", "narrative", "title"})

Fields = dict[str, Any]


def is_vault(folder: Path) -> bool:
    """Return whether a folder is a vault of Keepsake, open or closed."""
    database = folder / VAULT_DATABASE
    if not database.is_file():
        return False
    if has_key_file(folder) or open_databases.is_open(database):
        return True
    with database.open("rb") as stream:
        head = stream.read(_OURS_AT + 4)
    return head.startswith(BEGINNING) and int.from_bytes(head[_OURS_AT:], "big") == _OURS


def is_readable(path: Path) -> bool:
    """Return whether a SQLite database has tables that this reader knows.

    Raises:
        FormatError: It is damaged, or a vault of Keepsake.
    """
    with _opened(path, lambda: False) as connection:
        return any(_has_texts(connection, name) for name in _tables(connection) & {*_KNOWN})


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read a copy of a database, so that another program may write meanwhile.

    Args:
        path: The file; its write-ahead log beside it is read too.
        cancelled: Asked now and then; reading stops when it says so.

    Raises:
        FormatError: It is damaged, or a vault of Keepsake.
    """
    size, made_ms = path.stat().st_size, int(path.stat().st_mtime * 1000)
    with _opened(path, cancelled) as connection:
        database = _Database(connection, path.stem, made_ms)
        for name, part in (
            ("conversation_events", database.events),
            ("messages", database.messages),
            ("memories", database.memories),
            ("facts", database.facts),
            ("observations", database.observations),
            ("observation_archive", database.archived),
            ("session_summaries", database.summaries),
            ("entities", database.entities),
            ("people", database.entities),
        ):
            if cancelled():
                return
            if name in database.tables:
                try:
                    yield from part(name)
                except (apsw.Error, UnicodeDecodeError) as error:
                    if cancelled():
                        return
                    yield Problem(
                        numbered(path.name, "table", name),
                        Sentence("The rest of it cannot be read: {error}.", error=error),
                    )
    yield Position(size, size, path.name)


class _Database:
    """The tables of one database as records.

    Args:
        connection: A connection to a copy.
        stem: The file's name, for keys.
        made_ms: When the file was changed last, for what has no time.
    """

    def __init__(self, connection: apsw.Connection, stem: str, made_ms: int) -> None:
        self._connection, self._stem, self._made_ms = connection, storable(stem)[0], made_ms
        self.tables = _tables(connection)
        self._records_of_sessions = self._sessions()
        self._opened: set[str] = set()

    def _rows(self, name: str, order: str = "rowid") -> Iterator[Fields]:
        names = [column for column, _ in _columns(self._connection, name)]
        listed = ", ".join(_quoted(column) for column in names)
        columns = ", ".join(_quoted(column) for column in order.split() if column in {*names, "rowid"}) or "rowid"
        for values in self._connection.execute(f"SELECT {listed} FROM {_quoted(name)} ORDER BY {columns}"):
            fields = {column.lower(): value for column, value in zip(names, values, strict=True)}
            read_item(Sentence("table {name}", name=name), fields, "row")
            yield fields

    def _sessions(self) -> dict[str, SessionRecord]:
        """Return the records of the sessions by their id in the database."""
        sessions: dict[str, SessionRecord] = {}
        summaries = {
            str(fields.get("session_id")): fields
            for name in ("summaries", "session_state")
            if name in self.tables
            for fields in self._rows(name)
        }
        for fields in self._rows("sessions") if "sessions" in self.tables else ():
            key = first_text(fields, "session_id", "id")
            if key:
                sessions[key] = self._head(key, fields, summaries.get(key, {}))
        return sessions

    def _head(self, session: str, fields: Fields, summary: Fields) -> SessionRecord:
        words = first_text(summary, "summary", "content") or _state_summary(summary)
        return SessionRecord(
            key=f"{self._stem}/{storable(session)[0]}",
            title=storable(first_text(fields, "title", "name"))[0],
            agent=storable(first_text(fields, "agent_identity", "agent", "agent_id"))[0],
            created_ms=parse_instant(fields.get("created_at")),
            updated_ms=parse_instant(fields.get("updated_at")),
            attributes={"summary": clean(words)} if words else {},
        )

    def _open(self, session: str) -> Iterator[Record]:
        if session not in self._opened:
            self._opened.add(session)
            yield self._records_of_sessions.get(session) or self._head(session, {}, {})

    def events(self, name: str) -> Iterator[Record]:
        """Yield messages that are kept as JSON."""
        for fields in self._rows(name, "session_id sequence"):
            session = str(fields.get("session_id") or "")
            payload = _json(fields.get("payload_json"))
            if not isinstance(payload, dict):
                place = numbered(
                    numbered(name, "session", repr(excerpt(session, 40))), "message", fields.get("sequence")
                )
                yield Problem(place, Sentence("Its message is not JSON and was left out."))
                continue
            yield from self._open(session)
            yield from self._message(session, {"created_at": fields.get("created_at"), **payload}, name)

    def messages(self, name: str) -> Iterator[Record]:
        """Yield messages that have columns of their own."""
        for fields in self._rows(name, "session_id seq created_at rowid"):
            session = str(fields.get("session_id") or fields.get("session_key") or "")
            yield from self._open(session)
            yield from self._message(session, fields, name)

    def _message(self, session: str, fields: Fields, name: str) -> Iterator[Record]:
        role = _ROLES.get(text(fields.get("role")).lower())
        calls = [clean(call) for call in row(_json(fields.get("tool_calls_json") or fields.get("tool_calls")))]
        words = content_text(fields.get("content"))
        if not words.strip() and not calls:
            return
        if role is None:
            shown = excerpt(text(fields.get("role")), 40)
            yield Problem(
                numbered(name, "session", repr(excerpt(session, 40))),
                Sentence("A role {shown} is unknown.", shown=repr(shown)),
                lost=False,
            )
        importance = fields.get("importance")
        yield MessageRecord(
            f"{self._stem}/{storable(session)[0]}",
            NewMessage(
                role=role or "system",
                content=storable(words)[0],
                author=storable(first_text(fields, "author"))[0],
                created_at=optional_datetime(parse_instant(fields.get("created_at"))),
                importance=_share(importance),
                tool_call_id=storable(text(fields.get("tool_call_id")))[0] or None,
                tool_name=storable(first_text(fields, "tool_name", "name"))[0] or None if role == "tool" else None,
                tool_calls=calls or None,
            ),
        )

    def memories(self, name: str) -> Iterator[Record]:
        """Yield memories of all kinds; episodes are messages of their sessions."""
        for fields in self._rows(name, "created_at rowid"):
            words = storable(text(fields.get("content")))[0]
            kind = text(fields.get("kind")).lower()
            if not words.strip():
                yield Problem(part(name, _id(fields)), Sentence("It holds no text and was left out."))
            elif kind == "episode":
                session = str(fields.get("session_id") or "")
                yield from self._open(session)
                by = text(fields.get("source_role"))
                spoken: Fields = {"role": "user" if by == "user" else "assistant", "author": "" if by == "user" else by}
                spoken |= {"content": words, "created_at": fields.get("event_time") or fields.get("created_at")}
                yield from self._message(session, spoken, name)
            elif "content_hash" in fields and not kind:
                decoded = {**fields, "metadata": _json(fields.get("metadata"))}
                yield memory_record(decoded, words, MEMORY_SERVICE)
            else:
                yield self._memory(name, fields, words, "reflection" if kind == "reflection" else "fact")

    def _memory(self, name: str, fields: Fields, content: str, kind: Kind) -> MemoryRecord:
        session = text(fields.get("session_id"))
        return MemoryRecord(
            f"{self._stem}/{name}/{_id(fields)}",
            content,
            kind=kind,
            tags=tags_of({"tags": _list(fields.get("tags"))}),
            created_ms=parse_instant(fields.get("created_at")) or self._made_ms,
            updated_ms=parse_instant(fields.get("updated_at")),
            event_ms=parse_instant(fields.get("event_time")),
            deleted_ms=parse_instant(fields.get("valid_until")),
            session_key=f"{self._stem}/{storable(session)[0]}" if session in self._opened else None,
            confidence=_share(fields.get("confidence")),
            attributes=filled(table(_json(fields.get("attributes") or fields.get("metadata")))),
        )

    def facts(self, name: str) -> Iterator[Record]:
        """Yield facts: values by category and key, or sentences."""
        for fields in self._rows(name, "created_at rowid"):
            words = storable(first_text(fields, "value", "content"))[0]
            if not words.strip():
                yield Problem(part(name, _id(fields)), Sentence("It holds no text and was left out."))
                continue
            category, key = (storable(text(fields.get(column)))[0] for column in ("category", "key"))
            yield MemoryRecord(
                f"{self._stem}/{name}/{f'{category}/{key}' if key else _id(fields)}",
                words,
                kind="fact",
                category=category,
                fact_key=key if category else "",
                tags=tags_of({"tags": _list(fields.get("tags"))}),
                created_ms=parse_instant(fields.get("created_at")) or self._made_ms,
                updated_ms=parse_instant(fields.get("updated_at")),
                attributes=filled(table(_json(fields.get("metadata")))),
            )

    def observations(self, name: str) -> Iterator[Record]:
        for fields in self._rows(name, "created_at rowid"):
            yield self._observation(fields)

    def archived(self, name: str) -> Iterator[Record]:
        """Yield archived observations, without a time as of when the file changed."""
        for fields in self._rows(name, "archived_at rowid"):
            identified = {**fields, "id": fields.get("original_observation_id") or fields.get("id")}
            moment = parse_instant(fields.get("archived_at")) or self._made_ms
            yield self._observation(identified, moment, text(fields.get("archive_reason")))

    def _observation(self, fields: Fields, archived_ms: int | None = None, reason: str = "") -> Record:
        facts = tuple(
            storable(fact)[0] for fact in _list(fields.get("facts")) if isinstance(fact, str) and fact.strip()
        )
        title = storable(text(fields.get("title")))[0]
        words = storable(first_text(fields, "narrative", "content"))[0]
        if not words.strip() and not facts and not title.strip():
            return Problem(part("observations", _id(fields)), Sentence("It holds no text and was left out."))
        store = text(fields.get("store")).lower()
        return MemoryRecord(
            f"{self._stem}/observations/{_id(fields)}",
            words or ("" if facts else title),
            kind="observation",
            title=title,
            store=store if store in ("private", "shared", "social") else None,  # type: ignore[arg-type]
            facts=facts,
            type=storable(first_text(fields, "type", "obs_type"))[0],
            tags=tags_of({"tags": _list(fields.get("tags"))}),
            files=tuple(clean(path) for path in _list(fields.get("related_files")) if isinstance(path, str)),
            people=tuple(clean(person) for person in _list(fields.get("related_people")) if isinstance(person, str)),
            mention_count=max(1, _whole(fields.get("mention_count"))),
            created_ms=parse_instant(fields.get("created_at")) or self._made_ms,
            updated_ms=parse_instant(fields.get("updated_at")),
            expires_ms=parse_instant(fields.get("expires_at")),
            archived_ms=archived_ms,
            archive_reason=storable(reason)[0],
        )

    def summaries(self, name: str) -> Iterator[Record]:
        """Yield the accounts of sessions as notes."""
        for fields in self._rows(name):
            words = storable(first_text(fields, "summary", "content", "request", "outcome"))[0]
            session = storable(first_text(fields, "session_key", "session_id"))[0]
            if words.strip():
                title = f"Summary of {session}" if session else "Summary of a conversation"
                yield MemoryRecord(
                    f"{self._stem}/{name}/{session or _id(fields)}",
                    words,
                    title=title,
                    created_ms=parse_instant(fields.get("created_at")) or self._made_ms,
                )

    def entities(self, name: str) -> Iterator[Record]:
        """Yield people and things with their other names."""
        for fields in self._rows(name):
            named = storable(first_text(fields, "canonical_name", "name"))[0]
            kind = text(fields.get("type")) or ("person" if name == "people" else "")
            aliases = [alias for alias in _list(fields.get("aliases")) if isinstance(alias, str)]
            detail = foreign_entity(named, kind, aliases, text(fields.get("summary")), self._made_ms)
            if detail is not None:
                yield detail


@contextmanager
def _opened(path: Path, cancelled: Callable[[], bool]) -> Iterator[apsw.Connection]:
    with temporary_copies() as folder:
        for suffix in ("", "-wal"):
            source = path.with_name(path.name + suffix)
            if source.is_file():
                shutil.copyfile(source, Path(folder, f"copy.db{suffix}"))
        connection = None
        try:
            connection = apsw.Connection(str(Path(folder, "copy.db")), flags=apsw.SQLITE_OPEN_READWRITE, vfs=SYSTEM_VFS)
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            connection.pragma("cell_size_check", True)
            connection.set_progress_handler(cancelled, _STEPS)
            if connection.pragma("application_id") == _OURS:
                raise FormatError(
                    Sentence(
                        "{name} is the database of a Keepsake vault. {advice}",
                        name=path.name,
                        advice=VAULT_ADVICE,
                    ),
                    path=str(path),
                )
            yield connection
        except apsw.Error as error:
            raise FormatError(
                Sentence("{name} cannot be imported. {problem}", name=path.name, problem=file_problem(error, path)),
                path=str(path),
            ) from error
        finally:
            if connection is not None:
                connection.close()


def _tables(connection: apsw.Connection) -> set[str]:
    rows = connection.execute("SELECT lower(name) FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
    return {str(name_row[0]) for name_row in rows}


def _has_texts(connection: apsw.Connection, name: str) -> bool:
    return bool(_TEXT_COLUMNS & {column.lower() for column, _ in _columns(connection, name)})


def _columns(connection: apsw.Connection, name: str) -> list[tuple[str, str]]:
    rows = connection.execute("SELECT name, type FROM pragma_table_info(?)", (name,))
    # Vectors are made anew, by the model of this vault.
    return [(str(column), str(kind)) for column, kind in rows if "embedding" not in str(column).lower()]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _json(value: object) -> object:
    """Return decoded JSON text, ``None`` where it is not JSON, and other values unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _list(value: object) -> list[Any]:
    """Return a list that is kept as JSON, or as words between commas."""
    value_list = _json(value)
    if value_list is None and isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return row(value_list)


def _id(fields: Fields) -> str:
    identity = fields.get("id") or fields.get("content_hash")
    return storable(str(identity))[0] if identity else content_hash(json.dumps(fields, default=str, sort_keys=True))


def _share(value: object) -> float | None:
    return min(max(float(value), 0.0), 1.0) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _state_summary(state: Fields) -> str:
    held = table(table(_json(state.get("state_json"))).get("summary_state"))
    return first_text(held, "summary", "text", "content")


SPEC = FormatSpec(
    name=NAME,
    title="Memories of an agent",
    read=read,
    kind="memories",
    help="agents (SQLite databases)",
    suffixes=(".db", ".sqlite", ".sqlite3"),
    keys="file",
)
