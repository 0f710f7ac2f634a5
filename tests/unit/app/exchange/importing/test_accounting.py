"""The account closes: what a reader passes over is named, whichever reader it is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.exchange.format_registry import account_of as account_for
from app.exchange.importing.accounting import Account, name_item, read_item
from app.exchange.importing.batches import BatchReader
from app.exchange.model import ItemCounts, MessageRecord, Record, SessionRecord
from app.exchange.parsing.source_words import Noise
from app.memories.foreign_record import Problem
from app.sessions.model import NewMessage


def said(text: str, **payload: Any) -> MessageRecord:
    return MessageRecord("s", NewMessage("user", text, payload=payload or None))


def account_of(records: Iterator[Record], *noise: str) -> tuple[ItemCounts, list[Problem]]:
    batches = []
    reader = BatchReader(records, Path("chat.jsonl"), account=Account(Noise(noise)))
    while not (batches and batches[-1].is_last):
        batches.append(reader.next())
    counts = batches[-1].items
    assert counts is not None
    assert counts.read == counts.stored + counts.left_out + counts.wordless
    return counts, [problem for batch in batches for problem in batch.problems if not problem.foreign]


def test_words_that_nothing_was_made_of_are_named_with_a_sample() -> None:
    def reader() -> Iterator[Record]:
        for number, kind in enumerate(("said", "poll", "poll", "ping"), 1):
            text = f"the {kind} of the medlars, number {number}" if kind != "ping" else "pong"
            read_item(f"line {number}", {"kind": kind, "title": text} if kind != "ping" else {"kind": kind}, "line")
            if kind == "said":
                yield said(text)

    counts, problems = account_of(reader())
    assert counts == ItemCounts(read=4, stored=1, left_out=2, wordless=1, noun="line")
    assert [(problem.place, problem.lost, problem.count) for problem in problems] == [("line 2", True, 2)]
    assert "2 lines hold words in 'title'" in problems[0].what
    assert "the poll of the medlars, number 2" in problems[0].what


def test_words_beside_a_blank_message_are_named_though_they_are_in_its_details() -> None:
    def reader() -> Iterator[Record]:
        for number, text in enumerate(("Quince", "Walnut torte"), 1):
            read_item(f"message {number}", {"zzz": text, "id": "m1"}, "message")
            yield said("", zzz=text)

    counts, problems = account_of(reader())
    assert counts.left_out == 2
    assert [problem.count for problem in problems] == [2]


def test_words_that_are_only_in_the_details_of_a_message_are_named_as_kept() -> None:
    def reader() -> Iterator[Record]:
        read_item("message 1", {"text": "the walnut torte", "extra": "baked on a Sunday"}, "message")
        yield said("the walnut torte", extra="baked on a Sunday")

    counts, problems = account_of(reader())
    assert counts.left_out == 1
    assert [(problem.lost, "are kept with the message" in problem.what) for problem in problems] == [(True, True)]


def test_what_a_reader_puts_into_another_shape_or_yields_later_is_stored() -> None:
    lines = [
        {"html": "<p>The <b>walnut</b> torte &amp; the <i>quince</i> jelly</p>"},
        {"text": "See <https://example.org|the list> of the trees we planted"},
        {"text": "Das kleine MÃ¤dchen hÃ¶rt die VÃ¶gel"},
        {"arguments": '{"query": "old pear trees", "limit": 3}'},
        {"text": "流氷を見に行きました"},
        {"html": f'<img src="data:image/png;base64,{"iVBORw0KGgo" * 4000}"/><p>the heron in the reeds</p>'},
    ]
    out = (
        "The **walnut** torte & the *quince* jelly",
        "See [the list](https://example.org) of the trees we planted",
        "Das kleine Mädchen hört die Vögel",
        "query: old pear trees",
        "流氷を見に行きました",
        "the heron in the reeds",
    )

    def reader() -> Iterator[Record]:
        for number, line in enumerate(lines):
            read_item(f"line {number}", line, "line")
        yield SessionRecord("s")
        yield from map(said, out)

    assert account_of(reader()) == (ItemCounts(read=6, stored=6, noun="line"), [])


def test_the_same_words_in_another_item_are_stored_once() -> None:
    def reader() -> Iterator[Record]:
        read_item("line 1", {"text": "prune the old pear tree"}, "line")
        yield said("prune the old pear tree")
        read_item("line 2", {"event": {"message": "prune the old pear tree"}}, "line")

    assert account_of(reader()) == (ItemCounts(read=2, stored=1, wordless=1, noun="line"), [])


def test_noise_and_what_the_reader_names_itself_are_not_named_again() -> None:
    def reader() -> Iterator[Record]:
        read_item("line 1", {"type": "progress", "text": "reading some file or other"}, "line")
        read_item("line 2", {"copy": "a copy of some file", "text": "to the point"}, "line")
        yield said("to the point")
        read_item("line 3", {"text": "of another product of theirs"}, "line")
        name_item()
        read_item("line 4", {"text": "damaged beyond all repair"}, "line")
        yield Problem("line 4", "It is damaged.")

    counts, problems = account_of(reader(), "type=progress", "copy")
    assert counts == ItemCounts(read=4, stored=1, left_out=2, wordless=1, noun="line")
    assert [problem.what for problem in problems] == ["It is damaged."]


def test_what_a_program_writes_in_place_of_words_is_not_missed() -> None:
    def reader() -> Iterator[Record]:
        item = {"text": "This message contains interactive elements.", "block": "approve it?"}
        read_item("message 1", item, "message")
        yield MessageRecord("s", NewMessage("user", "approve it?", payload=item))

    batches = BatchReader(reader(), Path("day.json"), account=account_for("slack"))
    assert [problem.what for problem in batches.next().problems if not problem.foreign] == []


def test_a_source_of_which_nothing_is_taken_says_so() -> None:
    def reader() -> Iterator[Record]:
        for number in range(3):
            read_item(f"line {number}", {"type": "ping"}, "line")
        yield from ()

    _, problems = account_of(reader())
    assert [(problem.lost, problem.what) for problem in problems] == [
        (True, "It has 3 lines, none of them a conversation, message or note that this version knows.")
    ]
    _, problems = account_of(iter(()))
    assert [problem.lost for problem in problems] == [True]


def test_messages_without_a_date_are_remarked_on() -> None:
    reader = BatchReader(iter([said("undated")]), Path("chat.json"))
    assert [(problem.lost, problem.foreign, problem.count) for problem in reader.next().problems] == [(False, True, 1)]
