"""Reader of Gemini's part of Google Takeout: ``My Activity.json``.

Each entry is a prompt with its answer. Takeout does not say which belong to one conversation, so those of a day do.
"""

from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any, Final

from app.core.clock import optional_datetime, parse_instant, to_datetime
from app.core.text import storable
from app.exchange.formats.format_spec import FormatSpec, fields
from app.exchange.importing.accounting import name_item
from app.exchange.model import MessageRecord, Record, SessionRecord
from app.exchange.parsing.html_text import markdown_of
from app.exchange.parsing.json_items import JsonItem, items
from app.exchange.parsing.lenient import row, table, text
from app.memories.foreign_record import Problem
from app.sentence import Sentence, counted_sentence
from app.sessions.model import NewMessage

NAME: Final = "gemini-takeout"
AGENT: Final = "Gemini"
_PRODUCTS: Final = frozenset({"Gemini Apps", "Gemini", "Bard"})
NOISE: Final = ("header", "products", "activityControls")
_PROMPTED: Final = ("Prompted ", "Asked ", "Said ")

Fields = dict[str, Any]


def read(path: Path, cancelled: Callable[[], bool]) -> Iterator[Record]:
    """Read what Gemini was prompted and what it answered, a conversation for each day.

    Args:
        path: The file.
        cancelled: Asked now and then; reading stops when it says so.
    """
    days: dict[str, list[tuple[int, Fields]]] = {}
    others = 0
    for thing in items(path, cancelled, "entry"):
        if not isinstance(thing, JsonItem):
            yield thing
            continue
        entry = table(thing.value)
        moment = parse_instant(entry.get("time"))
        if not _PRODUCTS & {text(entry.get("header")), *map(text, row(entry.get("products")))}:
            others += 1
            name_item()
        elif moment is None:
            yield Problem(thing.place, Sentence("It has no time that can be read and was left out."))
        else:
            days.setdefault(f"{to_datetime(moment).astimezone(UTC):%Y-%m-%d}", []).append((moment, entry))
    for day, entries in sorted(days.items()):
        entries.sort(key=lambda pair: pair[0])  # the latest come first in the file
        key = f"{NAME}-{day}"
        yield SessionRecord(key, title=f"{AGENT}, {day}", agent=AGENT, created_ms=entries[0][0])
        for moment, entry in entries:
            yield from _said(key, moment, entry)
    if others:
        what = counted_sentence(
            others,
            "1 entry of another Google product was left out.",
            "{count} entries of other Google products were left out.",
        )
        yield Problem(path.name, what, False, foreign=True)


def _said(key: str, moment: int, entry: Fields) -> Iterator[Record]:
    title = text(entry.get("title"))
    prompt = next((title.removeprefix(word) for word in _PROMPTED if title.startswith(word)), title)
    answers = [markdown_of(text(table(part).get("html")))[0] for part in row(entry.get("safeHtmlItem"))]
    for role, author, words in (("user", "", prompt), ("assistant", AGENT, "\n\n".join(filter(None, answers)))):
        if words.strip():
            yield MessageRecord(
                key,
                NewMessage(
                    role="user" if role == "user" else "assistant",
                    content=storable(words)[0],
                    author=author,
                    created_at=optional_datetime(moment),
                ),
            )


SPEC = FormatSpec(
    name=NAME,
    title="Gemini, from Google Takeout",
    read=read,
    kind="memories",
    help="Gemini (Takeout)",
    suffixes=(".json",),
    fields=fields("item.header item.products item.time"),
    noise=NOISE,
)
