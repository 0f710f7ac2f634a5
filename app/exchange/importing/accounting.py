"""Account of an import: what its source holds is stored, or named as left out.

The iterators that readers draw from call ``read_item`` for each item of a source: a line, a message, a mail, a file.
What a reader yields from then on belongs to it. Where words of an item are in nothing that was yielded, and no problem
names the item, the account names it when it is closed, so that no reader can pass over words without a sign.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Final

from app.core.text import excerpt
from app.exchange.importing.unread_files import FileAccount
from app.exchange.model import (
    AttachmentRecord,
    ItemCounts,
    MessageRecord,
    Position,
    Record,
    SessionRecord,
    VaultDetail,
)
from app.exchange.parsing.item_places import noun_for
from app.exchange.parsing.source_words import Noise, SpokenValue, StoredWords, single_words, spoken, texts
from app.memories.foreign_record import MemoryRecord, Problem
from app.sentence import Sentence, counted_sentence

MAX_PENDING: Final = 20_000
_RECENT: Final = 50_000  # texts, which another item of the source may repeat
_REMEMBERED: Final = 4
_MAX_KINDS: Final = 30
_SHOWN: Final = 60
_SHOWN_FIELDS: Final = 3
_ALL_COUNT: Final = Noise()


@dataclass(slots=True)
class _Item:
    """An item of the source, with the words in it that are not found yet.

    ``is_kept`` says that those words are kept with a message, where no search finds them.
    """

    place: str
    noun: str
    words: list[SpokenValue]
    is_kept: bool = False


@dataclass(slots=True)
class _Yield:
    """Texts and signs that a reader yielded for an item."""

    said: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    has_records: bool = False
    has_problem: bool = False
    is_blank: bool = False
    is_named: bool = False


@dataclass(slots=True)
class _LeftOut:
    """Items of one kind whose words were left out."""

    first: _Item
    count: int = 0


class Account:
    """Account of one import. One thread at a time may use it.

    Args:
        noise: Fields without words of a person or agent in its format.
        has_other_products: Whether exports of its format also hold what is no conversation, such as posts.
    """

    def __init__(self, noise: Noise = _ALL_COUNT, *, has_other_products: bool = False) -> None:
        self._noise = noise
        self.files = FileAccount(has_other_products=has_other_products)
        self._counts = ItemCounts()
        self._item: _Item | None = None
        self._value: Any = None
        self._yield = _Yield()
        self._pending: list[_Item] = []
        self._later = StoredWords()
        self._recent: OrderedDict[int, None] = OrderedDict()
        self._left_out: dict[tuple[str, str, bool], _LeftOut] = {}
        self._has_any = False
        self._undated = 0

    def begin(self, place: str, value: Any, noun: str) -> None:
        """Take an item of the source; the one before it is complete.

        Args:
            place: Where it stands, for a person.
            value: The item: a text, or decoded JSON.
            noun: What such an item is called.
        """
        self._end()
        self._item, self._value = _Item(place, noun, list(spoken(value, self._noise))), value
        self._counts = replace(self._counts, read=self._counts.read + 1, noun=noun if self._is_alike(noun) else "item")

    def add(self, record: Record) -> None:
        """Take what the reader yields."""
        if isinstance(record, Position):
            return
        count = self._yield
        if isinstance(record, Problem):
            count.has_problem = count.has_problem or record.lost or record.foreign
            self._has_any = self._has_any or record.lost
            count.said += (record.what, record.place)
            return
        self._has_any = count.has_records = True
        self._undated += isinstance(record, MessageRecord) and record.message.created_at is None
        count.is_blank = count.is_blank or _is_blank(record)
        record_texts = [text for text in _texts_of(record) if text]
        count.said += record_texts
        if isinstance(record, MessageRecord):
            count.kept += texts(record.message.payload)
        self._remember(record_texts)

    def name_item(self) -> None:
        """Take that the reader itself names the item at hand."""
        self._yield.has_problem = self._yield.is_named = True

    def close(self, name: str) -> tuple[ItemCounts, list[Problem]]:
        """Return how many items there were, and name those whose words are nowhere.

        Args:
            name: What was read, for a person.
        """
        self._end()
        self._settle()
        for item in self._pending:
            self._leave_out(item)
        self._pending.clear()
        problems = [_problem(kind) for kind in self._left_out.values()]
        if not self._has_any and not problems:
            problems.append(Problem(name, _nothing(self._counts)))
        if self._undated:
            sentence = counted_sentence(
                self._undated,
                "1 message has no date; the time of the import stands in its place.",
                "{count} messages have no date; the time of the import stands in its place.",
            )
            problems.append(Problem(name, sentence, lost=False, foreign=True, count=self._undated))
        return self._counts, [*problems, *self.files.problems(name)]

    def _is_alike(self, noun: str) -> bool:
        return self._counts.noun in ("", noun)

    def _remember(self, texts: list[str]) -> None:
        for text in texts[:_REMEMBERED]:
            self._recent[hash(text.strip())] = None
        while len(self._recent) > _RECENT:
            self._recent.popitem(last=False)
        if self._pending:
            for text in texts:
                self._later.add(text)

    def _end(self) -> None:
        """Look for the words of the item at hand in what was made of it."""
        item, count, value = self._item, self._yield, self._value
        self._item, self._value, self._yield = None, None, _Yield()
        if item is None:
            return
        if count.is_blank:
            item.words += single_words(value, self._noise)
        item.words = [] if count.is_named else _missing(item.words, count.said, self._recent)
        item.is_kept = bool(item.words) and not _missing(item.words, count.kept)
        counts = self._counts
        if count.has_problem and not count.has_records:
            self._counts = replace(counts, left_out=counts.left_out + 1)
        elif item.words:
            self._pending.append(item)
            if len(self._pending) > MAX_PENDING:
                self._settle()
                self._leave_out(self._pending.pop(0)) if len(self._pending) > MAX_PENDING else None
        elif count.has_records:
            self._counts = replace(counts, stored=counts.stored + 1)
        else:
            self._counts = replace(counts, wordless=counts.wordless + 1)

    def _settle(self) -> None:
        """Strike out the items whose words came later."""
        waiting: list[_Item] = []
        for item in self._pending:
            item.words = [word for word in item.words if not self._later.holds(word.text, is_line=not word.way)]
            if item.words:
                waiting.append(item)
        stored = len(self._pending) - len(waiting)
        self._counts = replace(self._counts, stored=self._counts.stored + stored)
        self._pending = waiting
        if not waiting:
            self._later = StoredWords()

    def _leave_out(self, item: _Item) -> None:
        self._counts = replace(self._counts, left_out=self._counts.left_out + 1)
        way = ".".join(item.words[0].way.split(".")[-_SHOWN_FIELDS:])
        key = (item.noun, way if len(self._left_out) < _MAX_KINDS else "", item.is_kept)
        self._left_out.setdefault(key, _LeftOut(item)).count += 1


_account: ContextVar[Account | None] = ContextVar("account", default=None)


@contextmanager
def kept_by(account: Account) -> Iterator[None]:
    """Let what readers draw from their sources be counted by an account."""
    token = _account.set(account)
    try:
        yield
    finally:
        _account.reset(token)


def read_item(place: str, value: Any, noun: str = "item") -> None:
    """Tell the account at work that a reader draws an item from its source.

    Args:
        place: Where it stands, for a person.
        value: The item: a text, or decoded JSON.
        noun: What such an item is called: ``line``, ``message``.
    """
    if (account := _account.get()) is not None:
        account.begin(place, value, noun)


def name_item() -> None:
    """Tell the account at work that the reader itself names the item at hand."""
    if (account := _account.get()) is not None:
        account.name_item()


def list_file(name: str, size: int) -> None:
    """Tell the account at work that a file lies in the export.

    It is named as left out unless it is opened.

    Args:
        name: Its path in the export.
        size: In bytes.
    """
    if (account := _account.get()) is not None:
        account.files.add(name, size)


def open_file(name: str) -> None:
    """Tell the account at work that a reader opens a file of the export."""
    if (account := _account.get()) is not None:
        account.files.open(name)


def _missing(wanted: list[SpokenValue], texts: list[str], recent: Collection[int] = frozenset()) -> list[SpokenValue]:
    """Return the words that no text holds, of this item or a recent one."""
    if not wanted:
        return []
    words = StoredWords()
    for text in texts:
        words.add(text)
    return [
        value
        for value in wanted
        if not words.holds(value.text, is_line=not value.way) and hash(value.text.strip()) not in recent
    ]


def _is_blank(record: Record) -> bool:
    """Return whether a record is a message without a text or a call."""
    return isinstance(record, MessageRecord) and not record.message.content.strip() and not record.message.tool_calls


def _texts_of(record: Record) -> Iterator[str]:
    """Yield the texts of a record, the longest first."""
    if isinstance(record, MessageRecord):
        message = record.message
        yield message.content
        yield message.author
        yield from texts([message.tool_name, message.tool_calls])
    elif isinstance(record, MemoryRecord):
        yield record.content
        yield from texts([record.title, record.category, record.fact_key, record.type, record.source])
        yield from texts([record.facts, record.tags, record.files, record.people, record.attributes])
    elif isinstance(record, SessionRecord):
        yield from texts([record.title, record.agent, record.channel, record.attributes])
    elif isinstance(record, VaultDetail):
        yield from texts(record.fields)
    elif isinstance(record, AttachmentRecord):
        yield record.name


def _problem(kind: _LeftOut) -> Problem:
    item, sample = kind.first, excerpt(kind.first.words[0].text, _SHOWN)
    way = ".".join(item.words[0].way.split(".")[-_SHOWN_FIELDS:])
    where = Sentence("in '{field}'", field=excerpt(way, _SHOWN)) if way else Sentence("in it")
    end = Sentence("were left out")
    if item.is_kept:
        end = Sentence("are kept with the message, where no search finds them")
    if kind.count == 1:
        what = Sentence(
            "It holds words {where} that this version does not know; they {end}: {sample}.",
            where=where,
            end=end,
            sample=repr(sample),
        )
    else:
        what = Sentence(
            "{count} {things} hold words {where} that this version does not know; they {end}, here: {sample}.",
            count=kind.count,
            things=noun_for(item.noun, kind.count),
            where=where,
            end=end,
            sample=repr(sample),
        )
    return Problem(item.place, what, count=kind.count)


def _nothing(counts: ItemCounts) -> str:
    if not counts.read:
        return Sentence("Nothing in it is a conversation or a note that this version knows.")
    if counts.read == 1:
        return Sentence(
            "It has 1 {thing}, which is no conversation, message or note that this version knows.",
            thing=noun_for(counts.noun, 1),
        )
    return Sentence(
        "It has {count} {things}, none of them a conversation, message or note that this version knows.",
        count=counts.read,
        things=noun_for(counts.noun, counts.read),
    )
