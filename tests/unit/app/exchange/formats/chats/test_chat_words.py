"""Words of chats that stand elsewhere than in the text of a message: in blocks, cards, polls, and unknown fields."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.exchange.formats.chats import discord, mbox, messenger, signal, slack, telegram
from app.exchange.formats.chats.chat_words import merged, unread
from app.exchange.parsing.source_words import Noise, spoken
from tests.unit.app.exchange.reading import Reader, contents, messages, records, write_json


def rich(*elements: dict[str, Any], kind: str = "rich_text_section") -> list[dict[str, Any]]:
    return [{"type": "rich_text", "elements": [{"type": kind, "elements": list(elements)}]}]


def piece(text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **fields}


def plain(text: str) -> dict[str, str]:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> dict[str, str]:
    return {"type": "mrkdwn", "text": text}


def item(text: str) -> dict[str, Any]:
    return {"type": "rich_text_section", "elements": [piece(text)]}


SLACK: dict[str, tuple[dict[str, Any], str]] = {
    "rich text": (
        {"blocks": rich(piece("see "), {"type": "user", "user_id": "U1"}, {"type": "emoji", "name": "wave"})},
        "see @Ada:wave:",
    ),
    "list": (
        {
            "blocks": [
                {"type": "rich_text", "elements": [{"type": "rich_text_list", "elements": [item("jam"), item("tea")]}]}
            ]
        },
        "- jam\n- tea",
    ),
    "quote": ({"blocks": rich(piece("as he said"), kind="rich_text_quote")}, "> as he said"),
    "code": ({"blocks": rich(piece("x = 1"), kind="rich_text_preformatted")}, "```\nx = 1\n```"),
    "text and blocks alike": (
        {"text": "hello *big* world", "blocks": rich(piece("hello big world"))},
        "hello *big* world",
    ),
    "text shorter than blocks": (
        {"text": "Disk", "blocks": [{"type": "header", "text": plain("Disk full")}]},
        "Disk full",
    ),
    "text unlike blocks": (
        {"text": "short notice", "blocks": [{"type": "section", "text": mrkdwn("*heron* is ill")}]},
        "short notice\n\n*heron* is ill",
    ),
    "stand-in": (
        {
            "text": "This message contains interactive elements.",
            "blocks": [
                {"type": "section", "text": mrkdwn("approve it?"), "fields": [mrkdwn("attic")]},
                {"type": "context", "elements": [mrkdwn("runbook")]},
                {"type": "actions", "elements": [{"type": "button", "text": plain("Yes, do"), "value": "yes_1"}]},
            ],
        },
        "approve it?\nattic\nrunbook\nYes, do",
    ),
    "unknown block": (
        {"blocks": [{"type": "vote9", "question": "Tea or milk?", "choices": [{"label": "Tea"}, {"label": "Milk"}]}]},
        "Tea or milk?\nTea\nMilk",
    ),
    "table": (
        {
            "blocks": [
                {"type": "table", "rows": [[{"type": "raw_text", "text": "one"}, {"type": "raw_text", "text": "two"}]]}
            ]
        },
        "one | two",
    ),
    "blocks of an attachment": (
        {
            "attachments": [
                {"fallback": "[no preview available]", "blocks": [{"type": "section", "text": mrkdwn("a kite")}]}
            ]
        },
        "a kite",
    ),
    "shared message": (
        {"attachments": [{"message_blocks": [{"message": {"blocks": rich(piece("a kestrel"))}}]}]},
        "a kestrel",
    ),
    "fields of an attachment": (
        {
            "attachments": [
                {
                    "author_name": "Zed",
                    "title": "Ticket",
                    "fields": [{"title": "Owner", "value": "<@U1>"}],
                    "footer": "by Jira",
                    "fallback": "Ticket",
                }
            ]
        },
        "Zed\nTicket\nOwner: @Ada\n\nby Jira",
    ),
    "post": (
        {
            "files": [
                {"title": "Plans", "mode": "post", "plain_text": "about otters and eels", "preview": "<p>about otters"}
            ]
        },
        "[file: Plans]\n\nabout otters and eels",
    ),
    "canvas": (
        {"files": [{"title": "Canvas", "mode": "quip", "preview": "walrus words"}]},
        "[file: Canvas]\n\nwalrus words",
    ),
    "unknown field": ({"text": "hello", "addendum": "and good bye"}, "hello\n\nand good bye"),
}


def slack_export(folder: Path, *found: dict[str, Any]) -> Path:
    (folder / "general").mkdir()
    write_json(folder / "users.json", [{"id": "U1", "name": "ada", "profile": {"real_name": "Ada"}}])
    write_json(folder / "channels.json", [{"id": "C1", "name": "general"}])
    said = [{"type": "message", "user": "U1", "ts": f"17567208{at:02}.0001", **one} for at, one in enumerate(found)]
    write_json(folder / "general" / "2025-09-01.json", said)
    return folder


@pytest.mark.parametrize("case", SLACK)
def test_words_of_slack(tmp_path: Path, case: str) -> None:
    message, expected = SLACK[case]
    assert contents(records(slack.read, slack_export(tmp_path, message))) == [expected]


def test_a_program_of_slack_is_called_by_its_name(tmp_path: Path) -> None:
    found = {"user": "", "bot_id": "B1", "bot_profile": {"name": "Alarm"}, "text": "on fire"}
    path = slack_export(tmp_path, found)
    assert [record.message.author for record in messages(records(slack.read, path))] == ["Alarm"]


TELEGRAM: dict[str, tuple[dict[str, Any], str]] = {
    "poll": (
        {"poll": {"question": [piece("Cake?")], "answers": [{"text": [piece("walnut")]}, {"text": "lemon"}]}},
        "Cake?\n- walnut\n- lemon",
    ),
    "list": ({"todo_list": {"title": "Jobs", "answers": [{"text": "oil it", "id": 1}]}}, "Jobs\n- oil it"),
    "added jobs": (
        {"type": "service", "action": "todo_append_tasks", "items": [{"text": "buy oats", "id": 3}]},
        "- buy oats",
    ),
    "contact": ({"contact_information": {"first_name": "Zora", "last_name": "Q", "phone_number": "+1"}}, "Zora Q +1"),
    "place": ({"place_name": "Old Mill", "address": "3 River Road"}, "Old Mill\n\n3 River Road"),
    "game": ({"game_title": "Chess", "game_description": "a fine game"}, "Chess\n\na fine game"),
    "invoice": (
        {"invoice_information": {"title": "Lamp", "description": "so blue", "currency": "EUR"}},
        "Lamp\nso blue",
    ),
    "gift": (
        {"type": "service", "action": "send_star_gift", "gift_text": ["for ", {"type": "bold", "text": "you"}]},
        "for you",
    ),
    "rich message": (
        {
            "rich_message": {
                "blocks": [
                    {"type": "heading", "size": 1, "text": "Packing"},
                    {"type": "list", "items": [{"blocks": [{"type": "paragraph", "text": ["wool ", piece("socks")]}]}]},
                ]
            }
        },
        "Packing\n- wool socks",
    ),
    "entities only": ({"text_entities": [piece("only "), piece("here")]}, "only here"),
    "song": ({"performer": "The Band", "title": "Song", "file": "f.mp3"}, "The Band\n\nSong\n\n[file: f.mp3]"),
    "unknown kind": ({"story": {"caption": [piece("a caption")]}}, "a caption"),
    "place without a name": ({"location_information": {"latitude": 1.5, "longitude": 2}}, "[location]"),
}


@pytest.mark.parametrize("case", TELEGRAM)
def test_words_of_telegram(tmp_path: Path, case: str) -> None:
    fields, expected = TELEGRAM[case]
    message = {
        "id": 1,
        "type": "message",
        "date_unixtime": "1705311000",
        "from": "A",
        "from_id": "u1",
        "text": "",
        **fields,
    }
    path = write_json(tmp_path / "result.json", {"name": "B", "type": "personal_chat", "id": 7, "messages": [message]})
    assert contents(records(telegram.read, path)) == [expected]


def test_words_of_discord(tmp_path: Path) -> None:
    embed = {
        "author": {"name": "Zed"},
        "title": "News",
        "description": "it rains",
        "fields": [{"name": "Where", "value": "here"}],
        "footer": {"text": "end of it"},
    }
    found = [
        {"id": "1", "content": "", "embeds": [embed], "author": {"name": "A"}},
        {"id": "2", "content": "", "forwardedMessage": {"content": "passed on", "embeds": []}, "author": {"name": "A"}},
        {"id": "3", "content": "", "poll": {"question": {"text": "Tea now?"}, "answers": [{"text": "Yes"}]}},
    ]
    path = write_json(tmp_path / "x.json", {"guild": {}, "channel": {"id": "9"}, "messages": found})
    assert contents(records(discord.read, path)) == [
        "Zed\nNews\nit rains\nWhere: here\nend of it",
        "passed on",
        "Tea now?\nYes",
    ]


def test_words_of_messenger(tmp_path: Path) -> None:
    share = {"link": "https://a.example", "share_text": "so schön".encode().decode("latin-1")}
    found = [
        {
            "sender_name": "A",
            "timestamp_ms": 1705311000100,
            "share": share,
            "reactions": [{"reaction": "x", "actor": "B"}],
        }
    ]
    path = write_json(tmp_path / "message_1.json", {"participants": [], "title": "Z", "messages": found})
    assert contents(records(messenger.read, path)) == ["https://a.example\n\nso schön"]


def test_words_of_signal(tmp_path: Path) -> None:
    base = {"date": "2024-01-15 10:30:00", "sender": "A", "quote": "", "sticker": "", "reactions": [], "body": ""}
    found = [{**base, "preview": [{"title": "A fine page", "url": "https://a.example"}]}]
    path = tmp_path / "data.json"
    path.write_text("\n".join(map(json.dumps, found)))
    assert contents(records(signal.read, path)) == ["A fine page"]


def mail(*parts: tuple[str, str], subject: str = "One", more: str = "") -> bytes:
    head = f"From a@b Mon Jan 15 10:30:00 2024\nMessage-ID: <{subject}@x>\nFrom: A <a@b.example>\n"
    head += f"Subject: {subject}\n{more}"
    body = "".join(f"--b\nContent-Type: {kind}\n\n{text}\n" for kind, text in parts)
    return f'{head}Content-Type: multipart/alternative; boundary="b"\n\n{body}--b--\n\n'.encode()


def test_words_of_mails(tmp_path: Path) -> None:
    passed_on = "From: Zed <z@b.example>\nSubject: the hidden one\n\ninner text"
    data = (
        mail(("text/plain", "the same words"), ("text/html", "<p>the same <b>words</b></p>"))
        + mail(("text/plain", "open it"), ("text/html", "<p>all that is only in the page</p>"), subject="Two")
        + mail(("message/rfc822", passed_on), subject="Three")
        + mail(("text/plain", "yes"), subject="Now other", more="In-Reply-To: <One@x>\n")
    )
    path = tmp_path / "mails.mbox"
    path.write_bytes(data)
    assert contents(records(mbox.read, path)) == [
        "the same words",
        "open it\n\nall that is only in the page",
        "From: Zed <z@b.example>\nSubject: the hidden one\n\ninner text",
        "Subject: Now other\n\nyes",
    ]


RENAMED: list[tuple[Reader, str, Any]] = [
    (
        telegram.read,
        "result.json",
        {"name": "B", "id": 7, "messages": [{"id": 1, "from_id": "u", "FIELD": "lost owl words"}]},
    ),
    (
        discord.read,
        "x.json",
        {"guild": {}, "channel": {"id": "9"}, "messages": [{"id": "1", "FIELD": "lost owl words"}]},
    ),
    (messenger.read, "message_1.json", {"title": "Z", "messages": [{"sender_name": "A", "FIELD": "lost owl words"}]}),
    (signal.read, "x.json", [{"conversationId": "c", "sent_at": 1705311000000, "FIELD": "lost owl words"}]),
    (slack.read, "2025-09-01.json", [{"type": "message", "ts": "1.0", "FIELD": "lost owl words"}]),
]


@pytest.mark.parametrize(
    ("reader", "name", "value"), RENAMED, ids=lambda given: given if isinstance(given, str) else ""
)
@pytest.mark.parametrize("field", ["wording", "newContent", "x"])
def test_words_of_a_field_that_is_not_known_are_kept(
    tmp_path: Path, reader: Reader, name: str, value: Any, field: str
) -> None:
    path = tmp_path / name
    path.write_text(json.dumps(value).replace("FIELD", field))
    assert contents(records(reader, path)) == ["lost owl words"]


def ways(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the ways to the fields in a value."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield (*way, name)
            yield from ways(inner, (*way, name))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from ways(inner, (*way, at))


def renamed(value: Any, way: tuple[Any, ...]) -> Any:
    """Return a value with another name of one of its fields."""
    result = place = copy.deepcopy(value)
    for name in way[:-1]:
        place = place[name]
    place[f"new_{way[-1]}"] = place.pop(way[-1])
    return result


@pytest.mark.parametrize("case", [case for case in SLACK if not {"stand-in", "text shorter than blocks"} & {case}])
def test_words_of_slack_stay_where_a_field_has_another_name(tmp_path: Path, case: str) -> None:
    message, _ = SLACK[case]
    (tmp_path / "users.json").write_text('[{"id": "U1", "real_name": "Ada"}]')
    noise = Noise(("fallback",))
    for number, way in enumerate(ways(message)):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = " ".join(contents(records(slack.read, slack_export(folder, renamed(message, way)))))
        for value in spoken(message, noise):
            words = re.findall(r"[^\W\d_]+", re.sub("<[^>]*>", "", value.text))
            assert {*words} <= {*re.findall(r"[^\W\d_]+", found)}, way


@pytest.mark.parametrize("case", TELEGRAM)
def test_words_of_telegram_stay_where_a_field_has_another_name(tmp_path: Path, case: str) -> None:
    fields, _ = TELEGRAM[case]
    for way in ways(fields):
        message = {"id": 1, "type": "message", "date_unixtime": "1705311000", "from_id": "u1", **renamed(fields, way)}
        path = write_json(tmp_path / "result.json", {"name": "B", "id": 7, "messages": [message]})
        found = " ".join(contents(records(telegram.read, path)))
        for value in spoken(fields, Noise()):
            assert {*value.text.split()} <= {*re.findall(r"[^\s\]\[]+", found)}, way


def test_merged_texts_have_each_line_once() -> None:
    assert merged("a b", "a b") == "a b"
    assert merged("a b", "b a c") == "b a c"
    assert merged("a b\nc", "c\nd") == "a b\nc\n\nd"
    assert merged("", "x", " ") == "x"


def test_unknown_fields_have_no_addresses_and_ids() -> None:
    found = {"known": "these words", "uuid": "a b c", "link": "https://a.example/some words", "n": 3, "said": "new one"}
    assert unread(found, ("known",), [""]) == "new one"
