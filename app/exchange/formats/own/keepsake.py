"""Reader of Keepsake's own format: JSON lines that name their ``type``."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core.clock import optional_datetime
from app.core.stores import STORES
from app.core.text import content_hash, excerpt
from app.core.text_rules.tag_names import normalise_tags
from app.errors import NotFoundError
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.formats.own.keepsake_details import FIELDS, detail_type, read_detail
from app.exchange.importing.accounting import read_item
from app.exchange.model import DetailType, MessageRecord, Position, Record, SessionRecord
from app.exchange.parsing.item_places import numbered
from app.exchange.parsing.json_items import decode
from app.exchange.parsing.lines import TextLine, read_lines
from app.exchange.parsing.object_fields import ObjectFields, WrongFieldError
from app.memories.foreign_record import MemoryRecord, Problem
from app.memories.model import KINDS, SOURCE_KINDS, Source
from app.sentence import Sentence
from app.sessions.model import NewMessage, Role

POSITION_EVERY = 1 << 20
MAX_RATE = 10.0  # what an operation takes for the share of confidence lost in a day
_ROLES: tuple[Role, ...] = ("user", "assistant", "tool", "system")
_SESSION_NAMES = ("session", "session_id")
LINE_TYPES = ("session", "message", "memory", *FIELDS)
NOISE = ("meta", "payload")  # kept whole with the message or memory, and exported again as they are


@dataclass(slots=True)
class _Course:
    """State that carries over from one line to the next.

    Args:
        default: The session of messages that name none.
        last: The last number of each session met so far.
        from_zero: Sessions whose numbers begin at 0, where ours begin at 1.
    """

    default: str
    last: dict[str, int] = field(default_factory=dict)
    from_zero: set[str] = field(default_factory=set)

    def number(self, key: str, seq: int | None) -> tuple[int | None, str]:
        """Return a message's number, and a remark when it was changed.

        The number is ``None`` for the next one.
        """
        sentence = ""
        if seq == 0 and not self.last[key] and key not in self.from_zero:
            self.from_zero.add(key)
            sentence = Sentence("The numbers of its session begin at 0; each message got the number one higher.")
        if seq is not None and key in self.from_zero:
            seq += 1
        if seq is not None and seq <= self.last[key]:
            sentence = Sentence(
                "Its number {seq} does not follow {key}; it was kept in the order of the file.",
                seq=seq,
                key=self.last[key],
            )
            seq = None
        self.last[key] = self.last[key] + 1 if seq is None else seq
        return seq, sentence


def read(path: Path, cancelled: Callable[[], bool], *, first_line: int = 1) -> Iterator[Record]:
    """Read an export, plain or gzipped.

    Args:
        path: The file.
        cancelled: Asked before every line; reading stops when it says so.
        first_line: The line to begin with, the first being 1.

    Raises:
        NotFoundError: There is nothing at ``path``.
    """
    if not path.is_file():
        raise NotFoundError(Sentence("There is no file at {path}.", path=path), path=str(path))
    total, lines = path.stat().st_size, read_lines(path)
    yield from records_of((line for line in lines if line.number >= first_line), path.name, total, cancelled)
    if not cancelled():
        yield Position(total, total)


def records_of(
    lines: Iterable[TextLine], name: str, total: int, cancelled: Callable[[], bool] = lambda: False
) -> Iterator[Record]:
    """Read the lines of an export.

    Args:
        lines: The lines.
        name: What the person calls the file.
        total: Its size in bytes.
        cancelled: Asked before every line; reading stops when it says so.
    """
    course, reported = _Course(name.partition(".")[0] or "import"), 0
    for line in lines:
        if cancelled():
            return
        yield from _line(line, course, name)
        if line.done - reported >= POSITION_EVERY:
            reported = line.done
            yield Position(line.done, total, f"line {line.number}")


def _line(line: TextLine, course: _Course, name: str) -> Iterator[Record]:
    place = numbered(name, "line", line.number)
    if line.data is None:
        yield Problem(
            place, line.broken.capitalize() + "." if line.broken else Sentence("The line is too long and was left out.")
        )
        return
    if not line.data.strip():
        return
    try:
        value, replaced = decode(line.data)
        # Why something was archived is kept with its place in the archive, not in its text.
        counted = (
            {key: item for key, item in value.items() if key != "archive_reason"} if isinstance(value, dict) else value
        )
        read_item(place, counted, "line")
        fields = ObjectFields(value)
        known = detail_type(fields.text("type"))
        records = list(_records(fields, course, place) if known is None else _detail(known, value, place))
    except WrongFieldError as error:
        yield Problem(place, Sentence("It was left out: {error}.", error=error))
        return
    except ValueError as error:
        reason = (
            Sentence("it is not valid JSON: {error}", error=error)
            if line.complete
            else Sentence("the file is cut off in the middle of it")
        )
        yield Problem(place, Sentence("It was left out: {reason}.", reason=reason))
        return
    if replaced or fields.replaced:
        yield Problem(place, Sentence("Characters that cannot be stored were replaced."), lost=False)
    yield from records


def _records(fields: ObjectFields, course: _Course, place: str) -> Iterator[Record]:
    kind = fields.text("type")
    if kind == "message" or (not kind and fields.has("role", "content")):
        yield from _message(fields, course, place)
    elif kind == "session":
        yield _session(fields, course)
    elif kind == "memory":
        yield from _memory(fields, place)
    else:
        shown = excerpt(kind, 40)
        raise WrongFieldError(
            f"its type is {shown!r}; 'session', 'message' and 'memory' are known. If a newer version of Keepsake wrote"
            " the file, import it with that version"
        )


def _detail(kind: DetailType, value: dict[str, Any], place: str) -> Iterator[Record]:
    detail, unknown = read_detail(kind, value)
    if unknown:
        names = ", ".join(f"'{excerpt(name, 40)}'" for name in unknown)
        yield Problem(
            place, Sentence("This version of Keepsake does not know {names}, which was left out.", names=names)
        )
    yield detail


def _session(fields: ObjectFields, course: _Course) -> SessionRecord:
    key = fields.text("id", *_SESSION_NAMES) or course.default
    course.last.setdefault(key, 0)
    fields.skip("message_count", "preview")
    return SessionRecord(
        key=key,
        title=fields.text("title"),
        agent=fields.text("agent"),
        channel=fields.text("channel"),
        created_ms=fields.instant("created_at"),
        updated_ms=fields.instant("updated_at"),
        consolidated_ms=fields.instant("consolidated_at"),
        forgotten_ms=fields.instant("forgotten_at"),
        attributes=fields.rest("attributes", "meta") or {},
    )


def _message(fields: ObjectFields, course: _Course, place: str) -> Iterator[Record]:
    key = fields.text(*_SESSION_NAMES) or course.default
    title, agent, channel = fields.text("title"), fields.text("agent"), fields.text("channel")
    role = fields.choice("role", _ROLES)
    if role is None:
        raise WrongFieldError("its 'role' is missing")
    content, moment = fields.needed_text("content"), fields.instant("created_at", "timestamp")
    seq, importance = fields.whole("seq"), fields.share("importance")
    tools = (fields.optional_text("tool_call_id"), fields.optional_text("tool_name"), fields.objects("tool_calls"))
    author = fields.text("author")
    fields.skip("tokens")
    payload = fields.rest("meta", "payload")
    yield from _problems(fields, place)
    if key not in course.last:
        course.last[key] = 0
        yield SessionRecord(key, title, agent, channel, created_ms=moment)
    seq, remark = course.number(key, seq)
    if remark:
        yield Problem(place, remark, lost=False)
    yield MessageRecord(
        key,
        NewMessage(role, content, author, optional_datetime(moment), seq, importance, *tools, payload=payload),
    )


def _memory(fields: ObjectFields, place: str) -> Iterator[Record]:
    content, title = fields.needed_text("content"), fields.text("title")
    kind, store = fields.choice("kind", KINDS), fields.choice("store", STORES)
    category, fact_key = fields.text("category"), fields.text("key")
    key = fields.text("id") or content_hash(kind or "note", title, category, fact_key, content)
    keeps_id = fields.has("id", "version")
    fields.skip("tokens")
    record = MemoryRecord(
        key=key,
        content=content,
        kind=kind or "note",
        title=title,
        tags=normalise_tags(fields.texts("tags")),
        store=store,
        category=category,
        fact_key=fact_key,
        created_ms=fields.instant("created_at"),
        updated_ms=fields.instant("updated_at"),
        facts=tuple(fields.texts("facts")),
        type=fields.text("observation_type"),
        source=fields.text("source"),
        session_key=fields.optional_text(*_SESSION_NAMES),
        confidence=fields.share("confidence"),
        decay_rate=fields.share("decay_rate", MAX_RATE),
        mention_count=max(fields.whole("mention_count") or 1, 1),
        pinned=fields.flag("pinned"),
        event_ms=fields.instant("event_time"),
        expires_ms=fields.instant("expires_at"),
        deleted_ms=fields.instant("deleted_at"),
        superseded_by=fields.optional_text("superseded_by"),
        files=tuple(fields.texts("files")),
        people=tuple(fields.texts("people")),
        sources=tuple(Source(source["kind"], source["id"]) for source in fields.objects("sources", _is_source) or ()),
        access_count=fields.whole("access_count") or 0,
        accessed_ms=fields.instant("last_accessed"),
        archived_ms=fields.instant("archived_at"),
        archive_reason=fields.text("archive_reason"),
        keeps_id=keeps_id,
        version=max(fields.whole("version") or 1, 1),
        attributes=fields.rest("attributes", "meta") or {},
    )
    yield from _problems(fields, place)
    yield record


def _is_source(item: dict[str, Any]) -> bool:
    name = item.get("id")
    return item.get("kind") in SOURCE_KINDS and isinstance(name, str) and bool(name.strip())


def _problems(fields: ObjectFields, place: str) -> Iterator[Problem]:
    if fields.wrong:
        names = ", ".join(f"'{name}'" for name in fields.wrong)
        yield Problem(
            place,
            Sentence("It went in without {names}, whose value cannot be read; it is kept in 'meta'.", names=names),
            lost=False,
        )


SPEC = FormatSpec(
    name="keepsake",
    title="Keepsake export",
    read=read,
    kind="conversations",
    help="Keepsake (JSONL, encrypted)",
    suffixes=(".jsonl", ".gz"),
    noise=NOISE,
    keys="file",
    has_attachments=True,
)
