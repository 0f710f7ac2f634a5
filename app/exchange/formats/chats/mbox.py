"""Reader of mbox files: each thread of mails is a conversation.

The standard library's ``mailbox`` reads a whole mail's bytes through an index of the whole file, and takes every line
that begins with ``From`` for a new mail; this reads on as it goes.
"""

import email
import email.policy
import html
import re
from collections.abc import Iterator
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from pathlib import Path

from app.core.clock import to_ms
from app.core.text import content_hash
from app.exchange.formats.chats import chat_records
from app.exchange.formats.chats.chat_records import Cancelled
from app.exchange.formats.chats.chat_words import covers
from app.exchange.formats.format_spec import FormatSpec
from app.exchange.importing.accounting import read_item
from app.exchange.importing.source_files import DAMAGE, SourceEntry, read_some
from app.exchange.importing.unread_files import left_out
from app.exchange.model import Position, Record
from app.exchange.parsing import encoding
from app.exchange.parsing.item_places import after, numbered
from app.memories.foreign_record import Problem
from app.sentence import Sentence

FORMAT = "mbox"
AGENT = "Mail"
FILES = re.compile(r"(?:.*/)?[^/]+\.(?:mbox(?:/mbox)?|eml)", re.IGNORECASE)
SINGLE = ".eml"
MAX_MAIL = 64 << 20
_CHUNK = 1 << 20
_FROM = re.compile(rb"From \S.{0,200}\d{1,2}:\d{2}.{0,60}$")
_FIELD = re.compile(rb"\s*[!-9;-~]{1,80}:[^\n]*\n")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_IDS = re.compile(r"<[^<>\s]{1,900}>")
_WRITTEN_FIELDS = ("Comments", "Keywords")  # what a person may write beside the subject
_PREFIX = re.compile(r"^(?:(?:re|aw|fwd?|wg|antw|sv|vs|tr|rv|odp)(?:\[\d+\])?\s?:\s*)+", re.IGNORECASE)
_HIDDEN = re.compile(r"<(style|script|head)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TEXTS = frozenset({"application/json", "application/xml", "application/yaml", "application/x-yaml", "application/ics"})
_ENCRYPTED = frozenset({"application/pgp-encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})
_BREAKS = re.compile(r"<(?:br|/p|/div|/tr|/li|/h\d)\b[^<>]*>", re.IGNORECASE)
_TAGS = re.compile(r"<[^<>]{0,5000}>")


def begins_mbox(data: bytes) -> bool:
    """Return whether bytes begin like an mbox file."""
    line, _, rest = data.lstrip(b"\r\n").partition(b"\n")
    header, _, _ = rest.partition(b"\n")
    return _FROM.match(line.rstrip(b"\r")) is not None and re.match(rb"[!-9;-~]{1,80}:", header) is not None


def is_single(name: str, data: bytes) -> bool:
    """Return whether a file is one mail by its name and beginning."""
    return name.lower().endswith(SINGLE) and _FIELD.match(data) is not None


def read(path: Path, cancelled: Cancelled) -> Iterator[Record]:
    """Read mails with their texts and those of attached files; other files are only named.

    Args:
        path: The file, or a folder or zip with files that end in ``.mbox`` or, for single mails, ``.eml``.
        cancelled: Asked now and then; reading stops when it says so.

    Raises:
        NotFoundError: There is nothing at ``path``.
        FormatError: The zip cannot be read at all.
    """
    threads: dict[str, str] = {}
    begun: dict[str, str] = {}
    attached: list[str] = []
    with chat_records.files(path, FILES) as archive:
        for entry in archive:
            number = 0
            try:
                for mail, done in _mails(entry):
                    if cancelled():
                        return
                    number += 1
                    place = numbered(entry.name, "mail", number)
                    if isinstance(mail, Problem):
                        read_item(place, None, "mail")
                        yield Problem(place, mail.what)
                    else:
                        yield from _records(mail, place, threads, begun, attached)
                    yield Position(done, entry.size, entry.name)
            except DAMAGE as error:
                yield Problem(
                    after(entry.name, "mail", number),
                    Sentence("The zip file is damaged here ({error}).", error=error),
                )
    if attached:
        nouns = (Sentence("file that is attached to a mail"), Sentence("files that are attached to mails"))
        yield left_out(path.name, attached, nouns, lost=False, advice=Sentence("A mark stands in place of each."))


def _mails(entry: SourceEntry) -> Iterator[tuple[bytes | Problem, int]]:
    """Yield the mails of a file, and how far it is read."""
    lines: list[bytes] = []
    length = done = 0
    is_blank, is_begun, is_single = True, False, entry.name.lower().endswith(SINGLE)
    with entry.open() as stream:
        for line in _pieces(stream):
            done += len(line)
            if is_blank and not (is_single and is_begun) and _FROM.match(line.rstrip(b"\r\n")):
                if is_begun:
                    yield _mail(lines, length), done
                lines, length, is_begun = [], 0, True
            elif is_begun or line.strip():
                is_begun = True
                length += len(line)
                if length <= MAX_MAIL:
                    lines.append(line)
            is_blank = not line.strip()
    if is_begun:
        yield _mail(lines, length), done


def _pieces(stream: object) -> Iterator[bytes]:
    """Yield lines, those beyond ``_CHUNK`` in pieces."""
    held = b""
    while data := read_some(stream, _CHUNK):  # type: ignore[arg-type]
        *lines, held = (held + data).split(b"\n")
        yield from (line + b"\n" for line in lines)
        if len(held) > _CHUNK:
            yield held
            held = b""
    if held:
        yield held


def _mail(lines: list[bytes], length: int) -> bytes | Problem:
    if length > MAX_MAIL:
        return Problem("", Sentence("It is longer than {most} MB and was left out.", most=MAX_MAIL >> 20))
    return _QUOTED_FROM.sub(rb"\1", b"".join(lines))


def _records(
    data: bytes, place: str, threads: dict[str, str], begun: dict[str, str], attached: list[str]
) -> Iterator[Record]:
    try:
        mail = email.message_from_bytes(data, policy=email.policy.compat32)
        written = [f"{name}: {value}" for name in _WRITTEN_FIELDS if (value := _header(mail, name))]
        parts = [*written, *_texts(mail), _trimmed(mail.epilogue or "")]
        read_item(place, {"subject": _PREFIX.sub("", _header(mail, "Subject")), "parts": parts}, "mail")
        content, repair = _content(mail, attached)
        content = chat_records.joined(*written, content, _trimmed(mail.epilogue or ""))
        foreign = _first_id(mail, "Message-ID") or f"hash:{content_hash(data.decode('latin-1'))}"
        name, address = parseaddr(_header(mail, "From"))
        subject = _header(mail, "Subject")
    except (ValueError, LookupError, TypeError, AttributeError, IndexError, RecursionError) as error:
        yield Problem(place, Sentence("It could not be read and was left out: {error}.", error=error))
        return
    if repair:
        yield Problem(place, repair, lost=False)
    if any(part.get_content_type() in _ENCRYPTED for part in mail.walk()):
        yield Problem(place, Sentence("Its text is encrypted and was left out. Decrypt the mail, and export it again."))
    key = _thread(mail, foreign, threads)
    moment = _moment(mail)
    title = _PREFIX.sub("", subject)
    if key not in begun:
        begun[key] = title
        yield chat_records.head(key, title or "Mail without a subject", AGENT, moment)
    elif title.casefold() != begun[key].casefold():
        content = chat_records.joined(f"Subject: {subject}", content)
    payload = {"subject": subject, "from": address, "to": _header(mail, "To"), "cc": _header(mail, "Cc")}
    yield chat_records.message(key, name or address, content, moment, foreign_id=foreign, payload=payload)


def _thread(mail: Message, foreign: str, threads: dict[str, str]) -> str:
    """Return the id of the mail that began the thread, which is stable over exports."""
    earlier = [*_ids(mail, "References"), *_ids(mail, "In-Reply-To")]
    known = next((threads[name] for name in earlier if name in threads), "")
    key = known or (earlier[0] if earlier else threads.get(foreign, foreign))
    for name in (*earlier[-20:], foreign):
        threads.setdefault(name, key)
    return key


def _ids(mail: Message, name: str) -> list[str]:
    return _IDS.findall(str(mail.get(name, ""))[:20_000])


def _first_id(mail: Message, name: str) -> str:
    return next(iter(_ids(mail, name)), "")


def _header(mail: Message, name: str) -> str:
    value = mail.get(name, "")
    try:
        header = str(make_header(decode_header(value)))
    except (ValueError, LookupError, UnicodeError):
        header = str(value)
    return " ".join(header.split())


def _moment(mail: Message) -> int | None:
    try:
        moment = to_ms(parsedate_to_datetime(str(mail.get("Date", ""))).astimezone())
    except (ValueError, TypeError, OverflowError, OSError, IndexError):
        return None
    return moment if moment >= 0 else None


def _content(mail: Message, attached: list[str]) -> tuple[str, str]:
    """Return the text of a mail, and what had to be repaired.

    Args:
        mail: The mail.
        attached: Takes the names of attached files without a text, of which only a mark stays.
    """
    plain: list[str] = []
    rich: list[str] = []
    marks: list[str] = []
    repair = ""
    for part in mail.walk():
        if part.get_content_type() == "message/rfc822":
            plain += [_heading(inner) for inner in part.get_payload() if isinstance(inner, Message)]
        if part.is_multipart():
            continue
        kind, name = part.get_content_type(), part.get_filename()
        if name or part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
            shown = " ".join(str(make_header(decode_header(name))).split()) if name else kind
            words = _attached_text(part)
            marks.append(chat_records.joined(f"[attachment: {shown}]", words))
            if not words:
                attached.append(shown)
            continue
        content, wrong = _decoded(part)
        repair = repair or wrong
        if kind == "text/plain" and _parameter(part, "format") == "flowed":
            content = unflowed(content, joins_words=_parameter(part, "delsp") == "yes")
        (rich if kind == "text/html" else plain).append(content)
    text = chat_records.joined(*map(_trimmed, plain))
    formatted = [_trimmed(_without_tags(rich_text)) for rich_text in rich]
    # Where a mail has both they say the same, unless the plain one only points to the other.
    added = (
        formatted if not text else [formatted_text for formatted_text in formatted if not covers(text, formatted_text)]
    )
    return chat_records.joined(text, *added, *marks), repair


def _texts(mail: Message) -> Iterator[str]:
    """Yield the text of each part, attached or not."""
    for part in mail.walk():
        if not part.is_multipart() and (part.get_content_type().startswith("text/") or _attached_text(part)):
            content = _decoded(part)[0]
            content = _without_tags(content) if part.get_content_type() == "text/html" else content
            yield unflowed(content, joins_words=True) if _parameter(part, "delsp") == "yes" else content


def _attached_text(part: Message) -> str:
    kind = part.get_content_type()
    if kind.startswith("text/") or kind in _TEXTS:
        content = _trimmed(_decoded(part)[0])
        return _without_tags(content) if kind == "text/html" else content
    return ""


def _trimmed(text: str) -> str:
    return text.replace("\r\n", "\n").strip("\n")


def _heading(mail: Message) -> str:
    """Return who sent a mail that is passed on, and its subject."""
    names = [(name, _header(mail, name)) for name in ("From", "Subject")]
    return "\n".join(f"{name}: {value}" for name, value in names if value)


def _parameter(part: Message, name: str) -> str:
    value = part.get_param(name)
    return value.strip().casefold() if isinstance(value, str) else ""


def unflowed(content: str, *, joins_words: bool) -> str:
    """Return flowed text with its paragraphs on one line each, as RFC 3676 says.

    Args:
        content: The text; a line that ends in a space goes on in the next one of the same depth of quotation.
        joins_words: Whether that space is no part of the text (``DelSp=yes``).
    """
    lines: list[str] = []
    before = (-1, False)
    for line in content.replace("\r\n", "\n").split("\n"):
        text = line.lstrip(">")
        depth = len(line) - len(text)
        text = text.removeprefix(" ")  # stuffed, so that no word looks like a mark
        is_signature = text == "-- "
        is_open = text.endswith(" ") and not is_signature
        body = text[:-1] if is_open and joins_words else text
        if before == (depth, True) and text and not is_signature:
            lines[-1] += body
        else:
            lines.append(f"{'>' * depth}{' ' if depth and body else ''}{body}")
        before = (depth, is_open)
    return "\n".join(line if line.endswith("-- ") else line.rstrip() for line in lines)


def _decoded(part: Message) -> tuple[str, str]:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset() or ""
    if charset:
        try:
            return data.decode(charset), ""
        except (LookupError, UnicodeError, ValueError):
            pass
    decoded = encoding.decode(data)
    if decoded is None:
        return data.decode("utf-8", "replace"), "Its text is not readable in full; bytes were replaced with \ufffd."
    wrong = Sentence(
        "Its text is not {charset}, as it says; it was read as {encoding}.", charset=charset, encoding=decoded.encoding
    )
    return decoded.text, wrong if charset else decoded.repair


def _without_tags(body: str) -> str:
    text = _TAGS.sub("", _BREAKS.sub("\n", _HIDDEN.sub("", body)))
    return re.sub(r"\n\s*\n\s*\n+", "\n\n", html.unescape(text)).strip()


SPEC = FormatSpec(
    name=FORMAT,
    title="Mails",
    read=read,
    kind="chat",
    help="mail programs (mbox)",
    suffixes=(".mbox", ".eml", ""),
    names=FILES,
    files=FILES,
)
