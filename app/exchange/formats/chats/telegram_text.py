"""Words of Telegram's messages: texts, polls, lists, contacts, places and others."""

import re
from collections.abc import Iterator
from typing import Any, Final

from app.exchange.formats.chats import chat_records
from app.exchange.formats.chats.chat_words import merged, unread
from app.exchange.parsing.lenient import MAX_DEPTH, first_text, row, table, text
from app.exchange.parsing.source_words import Noise

_MEDIA: Final = ("photo", "file", "media_type", "location_information", "contact_information", "poll")
_FILES: Final = ("photo", "file")
_INLINE: Final = frozenset({"type", "text", "href", "user_id", "document_id", "language", "collapsed", "url", "email"})
_LISTS: Final = frozenset({"answers", "items", "options", "tasks", "inline_bot_buttons"})
_ENUMERATED: Final = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+|[\W\d_]*")
_SPEAKING: Final = frozenset({"text", "title", "question", "label", "caption", "description", "address"})
# Words that a message has instead of a text, or besides it, in the order of reading.
_SPOKEN: Final = (
    *("rich_message", "poll", "todo_list", "todo_append_tasks", "items", "place_name", "address", "game_title"),
    *("game_description", "invoice_information", "gift_text", "performer", "caption", "quote", "additional_prize"),
    "inline_bot_buttons",
)
_METADATA: Final = frozenset(
    {
        *("id", "type", "date", "date_unixtime", "from", "from_id", "actor", "actor_id", "edited", "edited_unixtime"),
        *("photo", "file", "file_name", "thumbnail", "contact_vcard", "forwarded_from", "saved_from", "via_bot"),
        *("author", "reactions", "members", "inviter", "action"),
    }
)
_NOBODYS: Final = Noise(("type", "data", "callback_data", "button_id", "forward_text", "currency"))


def message(entry: dict[str, Any]) -> str:
    """Return all words of a message."""
    words = inline(entry.get("text"))
    if not words.strip():
        words = inline(entry.get("text_entities"))
    is_notice = entry.get("type") == "service"
    fields = (name for name in _SPOKEN if entry.get(name))
    contact = table(entry.get("contact_information"))
    person = " ".join(first_text(contact, name) for name in ("first_name", "last_name", "phone_number")).strip()
    spoken = merged(words, person, *("\n".join(_lines(entry[name], in_list=name in _LISTS)) for name in fields))
    if not spoken.strip() and is_notice:
        action = text(entry.get("action")).replace("_", " ")
        spoken = " ".join(filter(None, (action, text(entry.get("title")))))
    elif text(entry.get("title")):
        spoken = merged(spoken, text(entry.get("title")))
    marks = [_mark(entry, name) for name in _FILES if text(entry.get(name))]
    if not marks and not spoken.strip() and any(entry.get(name) for name in _MEDIA):
        marks = [f"[{next(name for name in _MEDIA if entry.get(name)).partition('_')[0]}]"]
    read = chat_records.joined(spoken, *marks)
    return chat_records.joined(read, unread(entry, _METADATA, [read], _NOBODYS))


def inline(value: Any, depth: int = 0) -> str:
    """Return Telegram's text, which is a string or a list of pieces.

    Links keep their address.
    """
    if isinstance(value, str) or depth > MAX_DEPTH:
        return text(value)
    if isinstance(value, dict):
        words = inline(value.get("text"), depth + 1)
        return f"[{words}]({value['href']})" if text(value.get("href")) else words
    return "".join(inline(piece, depth + 1) for piece in row(value))


def _is_inline(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and "text" in value and value.keys() <= _INLINE)


def _lines(value: Any, *, in_list: bool = False, depth: int = 0) -> Iterator[str]:
    """Yield the words of a value of any shape, a line for each."""
    if depth > MAX_DEPTH:
        return
    if _is_inline(value) or (isinstance(value, list) and not in_list and all(map(_is_inline, value))):
        yield inline(value)
    elif isinstance(value, list):
        for item in value:
            lines = [line for line in _lines(item, depth=depth + 1) if line.strip()]
            yield from (f"- {line}" if in_list and not at else line for at, line in enumerate(lines))
    else:
        for name, inner in table(value).items():
            is_mark = isinstance(inner, str) and name not in _SPEAKING and _ENUMERATED.fullmatch(inner)
            if not is_mark and not _NOBODYS.has_field(name):
                yield from _lines(inner, in_list=name in _LISTS, depth=depth + 1)


def _mark(fields: dict[str, Any], name: str) -> str:
    kind = text(fields.get("media_type")).replace("_", " ") or name
    file = text(fields.get("file_name")) or text(fields.get(name)).rpartition("/")[2]
    mark = f"{kind}: {file}" if file and not file.startswith("(") else kind
    return f"[{mark}]" if not text(fields.get("sticker_emoji")) else f"[{mark}] {fields['sticker_emoji']}"
