"""Every chat format on real samples and small exports: items in are items counted by another way."""

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from app.exchange.formats.chats import discord, mbox, messenger, signal, slack, telegram, whatsapp
from app.exchange.formats.detect import detect, preview
from app.exchange.formats.known_formats import SPECS
from app.host import Host
from tests.unit.app.exchange.reading import (
    Reader,
    contents,
    messages,
    problems,
    records,
    sessions,
    write_json,
    write_zip,
)

CHATPACK = "chat-exports/multi/chatpack-cli/tests/fixtures"
SLACK = "chat-exports/slack/slack-export-viewer/tests/testarchive.zip"


def authors(reader: Reader, path: Path) -> list[str]:
    return [record.message.author for record in messages(records(reader, path))]


@pytest.mark.parametrize("name", ["telegram", "instagram", "discord"])
def test_real_samples_of_json(shared_data: Path, name: str) -> None:
    path = shared_data / CHATPACK / f"{name}_export.json"
    readers = {"telegram": telegram, "instagram": messenger, "discord": discord}
    assert detect(path) == readers[name].FORMAT
    found = records(readers[name].read, path)
    said = json.loads(path.read_bytes())["messages"]
    assert sorted(contents(found)) == sorted(one.get("text", one.get("content")) for one in said)
    assert len(sessions(found)) == 1
    assert not problems(found)
    moments = [record.message.created_at for record in messages(found)]
    assert all(moments)
    assert moments == sorted(moments, key=str)


def test_a_real_sample_of_whatsapp(shared_data: Path) -> None:
    path = shared_data / CHATPACK / "whatsapp_export.txt"
    assert detect(path) == "whatsapp"
    found = records(whatsapp.read, path)
    assert len(contents(found)) == len(path.read_text().splitlines())
    assert {record.message.author for record in messages(found)} == {"Alice", "Bob"}
    assert not problems(found)


def test_a_real_sample_of_slack_as_zip_and_folder(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / SLACK
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "slack")
        days = [name for name in archive.namelist() if name.count("/") == 1 and name.endswith(".json")]
        expected = sum(len(json.loads(archive.read(name))) for name in days)
    assert detect(path) == detect(tmp_path / "slack") == "slack"
    found, unpacked = records(slack.read, path), records(slack.read, tmp_path / "slack")
    assert len(contents(found)) == expected
    assert contents(found) == contents(unpacked)
    assert [head.key for head in sessions(found)] == ["C0JGLMMNX", "C0JL6CGQ2"]
    assert sessions(found)[0].title == "#enrique"
    assert not any(problem.lost for problem in problems(found))
    assert not any("<@U" in content for content in contents(found))


WHATSAPP = {
    "day first": ("15/01/2024, 10:30 - Alice: Hi\n02/02/2024, 10:31 - Bob: Yes\n", (2024, 1, 15, 10, 30)),
    "month first": ("1/15/24, 10:30 PM - Alice: Hi\n2/2/24, 1:05 AM - Bob: Yes\n", (2024, 1, 15, 22, 30)),
    "iPhone": ("\u200e[15.01.24, 10:30:05] Alice: Hi\n[02.02.24, 10:31:00] Bob: Yes\n", (2024, 1, 15, 10, 30)),
    "narrow space": ("1/15/24, 10:30\u202fPM - Alice: Hi\n2/2/24, 1:05\u202fAM - Bob: Yes\n", (2024, 1, 15, 22, 30)),
    "year first": ("2024-01-15, 12:10 a.m. - Alice: Hi\n2024-02-02, 1:05 p.m. - Bob: Yes\n", (2024, 1, 15, 0, 10)),
    "Chinese": ("2024/1/15 下午10:30 - Alice: Hi\n2024/2/2 上午1:05 - Bob: Yes\n", (2024, 1, 15, 22, 30)),
    "order of months": ("01/02/2024, 10:30 - Alice: Hi\n02/01/2024, 10:31 - Bob: Yes\n", (2024, 1, 2, 10, 30)),
}


@pytest.mark.parametrize("case", WHATSAPP)
def test_whatsapp_dates_and_clocks(tmp_path: Path, case: str) -> None:
    text, expected = WHATSAPP[case]
    path = tmp_path / "WhatsApp Chat with Bob.txt"
    path.write_text(text, encoding="utf-8")
    assert detect(path) == "whatsapp"
    found = records(whatsapp.read, path)
    assert contents(found) == ["Hi", "Yes"]
    assert authors(whatsapp.read, path) == ["Alice", "Bob"]
    moment = messages(found)[0].message.created_at
    assert moment is not None
    assert moment.astimezone().timetuple()[:5] == expected
    assert sessions(found)[0].title == "Bob"


def test_whatsapp_lines_notices_and_media(tmp_path: Path) -> None:
    text = (
        "15/01/2024, 10:29 - Messages and calls are end-to-end encrypted.\r\n"
        "15/01/2024, 10:30 - Alice: one\r\n\r\ntwo: three\r\n"
        "15/01/2024, 10:31 - Bob: <Media omitted>\r\n"
        '15/01/2024, 10:31 - Bob changed the subject to "x: y"\r\n'
        "15/01/2024, 10:32 - Bob: \u200eIMG-1.jpg (file attached)\r\n"
    )
    path = tmp_path / "chat.zip"
    write_zip(path, {"_chat.txt": text.encode()})
    assert detect(path) == "whatsapp"
    found = records(whatsapp.read, path)
    assert contents(found)[1:3] == ["one\n\ntwo: three", "[media]"]
    assert contents(found)[4] == "[file: IMG-1.jpg]"
    assert [message.message.role for message in messages(found)] == ["system", "user", "user", "system", "user"]
    assert sessions(found)[0].title == "x: y"


@pytest.mark.parametrize(
    ("name", "lines", "title"),
    [
        ("whatsapp_export.txt", ("Alice: Hello", "Bob: Hi"), "Alice, Bob"),
        ("WhatsApp Chat with Garden.txt", ("Alice created group “Roses”", "Alice: Hello"), "Garden"),
        ("whatsapp-2.txt", ("Alice created group “Roses”", "Bob: Hi"), "Roses"),
        ("export.txt", ("Alice hat den Betreff von „Rosen“ zu „Garten“ geändert", "Bob: Hi"), "Garten"),
        ("whatsapp.txt", ("A: 1", "B: 2", "C: 3", "D: 4"), "whatsapp"),
        ("Family.txt", ("Alice: Hello", "Bob: Hi"), "Family"),
    ],
)
def test_a_whatsapp_chat_is_called_by_its_name(tmp_path: Path, name: str, lines: tuple[str, ...], title: str) -> None:
    path = tmp_path / name
    path.write_text("".join(f"15/01/2024, 10:3{at} - {line}\n" for at, line in enumerate(lines)), encoding="utf-8")
    assert sessions(records(whatsapp.read, path))[0].title == title


def test_whatsapp_in_other_encodings_and_doubtful_dates(tmp_path: Path) -> None:
    line = "01/02/2024, 10:30 - Zoë: für dich\n"
    for encoding in ("cp1252", "utf-16", "utf-8-sig"):
        path = tmp_path / f"{encoding}.txt"
        path.write_bytes(line.encode(encoding))
        found = records(whatsapp.read, path)
        assert contents(found) == ["für dich"]
        assert any("day or month" in problem.what for problem in problems(found))
        assert not any(problem.lost for problem in problems(found))


def telegram_message(number: int, **fields: Any) -> dict[str, Any]:
    base = {"id": number, "type": "message", "date": "2024-01-15T10:30:00", "date_unixtime": "1705311000"}
    return {**base, "from": "Alice", "from_id": "user1", "text": f"m{number}", **fields}


def test_telegram_with_all_chats(tmp_path: Path) -> None:
    linked = ["see ", {"type": "text_link", "text": "this", "href": "https://a.example"}, {"type": "bold", "text": "!"}]
    chats = [
        {"name": "Bob", "type": "personal_chat", "id": 7, "messages": [telegram_message(1), telegram_message(2)]},
        {"type": "saved_messages", "id": 8, "messages": [telegram_message(1, text=linked, photo="photos/p.jpg")]},
        {"name": "Empty", "type": "private_group", "id": 9, "messages": []},
        {
            "name": "Group",
            "type": "private_group",
            "id": 10,
            "messages": [
                telegram_message(1, type="service", actor="Bob", action="create_group", title="Group", text=""),
                3,
            ],
        },
    ]
    path = write_json(tmp_path / "result.json", {"about": "x", "chats": {"about": "y", "list": chats}})
    assert detect(path) == detect(tmp_path) == "telegram"
    found = records(telegram.read, path)
    assert [(head.key, head.title) for head in sessions(found)] == [
        ("7", "Bob"),
        ("8", "Saved messages"),
        ("10", "Group"),
    ]
    assert contents(found) == ["m1", "m2", "see [this](https://a.example)!\n\n[photo: p.jpg]", "create group Group"]
    assert [problem.place for problem in problems(found)] == ["result.json, message 5"]


def test_the_package_of_discord(tmp_path: Path) -> None:
    rows = io.StringIO()
    writer = csv.writer(rows)
    writer.writerow(["ID", "Timestamp", "Contents", "Attachments"])
    writer.writerow(["20", "2024-01-02 10:00:00+00:00", "second, with\na line", ""])
    writer.writerow(["10", "2024-01-01 10:00:00+00:00", "first", "https://cdn.example/a.png"])
    newer = [{"ID": 31, "Timestamp": "2024-01-03 10:00:00", "Contents": "hello", "Attachments": ""}]
    files = {
        "account/user.json": json.dumps({"username": "me"}).encode(),
        "messages/index.json": json.dumps({"1": "general in Home"}).encode(),
        "messages/c1/channel.json": json.dumps({"id": "1", "type": 0, "guild": {"name": "Home"}}).encode(),
        "messages/c1/messages.csv": rows.getvalue().encode(),
        "messages/c2/channel.json": b"{broken",
        "messages/c2/messages.json": json.dumps(newer).encode(),
    }
    path = write_zip(tmp_path / "package.zip", files)
    assert detect(path) == "discord"
    found = records(discord.read, path)
    assert contents(found) == ["first\n\n[file: https://cdn.example/a.png]", "second, with\na line", "hello"]
    assert {record.message.author for record in messages(found)} == {"me"}
    assert [head.title for head in sessions(found)] == ["general in Home", ""]
    assert [problem.lost for problem in problems(found)] == [False]


def test_messenger_is_repaired_and_in_order(tmp_path: Path) -> None:
    def part(*said: tuple[int, str]) -> bytes:
        spoken = [
            {
                "sender_name": "Zoë".encode().decode("latin-1"),
                "timestamp_ms": at,
                "content": word.encode().decode("latin-1"),
            }
            for at, word in said
        ]
        return json.dumps(
            {"participants": [{"name": "A"}], "title": "Z", "thread_path": "inbox/z_1", "messages": spoken}
        ).encode()

    base = "your_facebook_activity/messages/inbox/z_1"
    files = {
        f"{base}/message_1.json": part((1705311000300, "drei"), (1705311000200, "zwei 👍")),
        f"{base}/message_2.json": part((1705311000100, "eins für")),
    }
    path = write_zip(tmp_path / "facebook.zip", files)
    assert detect(path) == "messenger"
    found = records(messenger.read, path)
    assert contents(found) == ["eins für", "zwei 👍", "drei"]
    assert authors(messenger.read, path) == ["Zoë"] * 3
    assert [head.key for head in sessions(found)] == ["z_1"]
    assert messenger.repaired("für, already right") == "für, already right"


def test_signal_of_both_tools(tmp_path: Path) -> None:
    lines = [
        {"date": "2024-01-15 10:30:00", "sender": "Alice", "body": "Hi", "quote": "", "sticker": "", "reactions": []},
        {"date": "2024-01-15 10:31:00", "sender": "Me", "body": "Yes", "quote": "> Hi", "sticker": "", "reactions": []},
    ]
    (tmp_path / "Alice").mkdir()
    path = tmp_path / "Alice" / "data.json"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert detect(path) == detect(tmp_path) == "signal"
    found = records(signal.read, path)
    assert contents(found) == ["Hi", "> Hi\n\nYes"]
    assert sessions(found)[0].title == "Alice"
    raw = [
        {"id": "a", "type": "incoming", "sent_at": 1705311000000, "body": "Hi", "conversationId": "c", "source": "+1"}
    ]
    path = write_json(tmp_path / "Bob (+1).json", raw)
    assert detect(path) == "signal"
    assert [head.key for head in sessions(records(signal.read, path))] == ["c"]


def mail(number: int, subject: str, body: bytes, *, answers: int = 0, more: str = "") -> bytes:
    head = f"From a@b Mon Jan 15 10:3{number}:00 2024\nMessage-ID: <{number}@x>\nFrom: Alice <a@b.example>\n"
    head += f"Subject: {subject}\nDate: Mon, 15 Jan 2024 10:3{number}:00 +0100\n{more}"
    head += f"In-Reply-To: <{answers}@x>\n" if answers else ""
    return head.encode() + b"\n" + body + b"\n\n"


def test_mbox_threads_and_encodings(tmp_path: Path) -> None:
    latin = "Content-Type: text/plain; charset=iso-8859-1\n"
    wrong = "Content-Type: text/plain; charset=utf-8\n"
    web = "Content-Type: text/html; charset=utf-8\n"
    many = 'Content-Type: multipart/mixed; boundary="b"\n'
    parts = (
        b"--b\nContent-Type: text/plain\n\nthe text\n--b\nContent-Type: image/png\n"
        b'Content-Disposition: attachment; filename="a.png"\n\nxx\n--b--\n'
    )
    data = (
        mail(1, "=?utf-8?q?Gr=C3=BC=C3=9Fe?=", b"first\nFrom here it goes on\n>From the start")
        + mail(2, "Other", "für".encode("latin-1"), more=latin)
        + mail(3, "Re: Gruss", "für".encode("latin-1"), answers=1, more=wrong)
        + mail(4, "Web", b"<style>x</style><p>a &amp; b</p>", more=web)
        + mail(5, "Parts", parts, answers=3, more=many)
    )
    path = tmp_path / "mails.mbox"
    path.write_bytes(data)
    assert detect(path) == "mbox"
    found = records(mbox.read, path)
    assert len(contents(found)) == data.count(b"\nMessage-ID: ")
    assert [head.title for head in sessions(found)] == ["Grüße", "Other", "Web"]
    assert contents(found) == [
        "first\nFrom here it goes on\nFrom the start",
        "für",
        "Subject: Re: Gruss\n\nfür",
        "a & b",
        "Subject: Parts\n\nthe text\n\n[attachment: a.png]",
    ]
    assert [record.session_key for record in messages(found)] == ["<1@x>", "<2@x>", "<1@x>", "<4@x>", "<1@x>"]
    assert [(problem.lost, problem.foreign) for problem in problems(found)] == [(False, False), (False, True)]


READERS: list[Reader] = [
    whatsapp.read,
    telegram.read,
    slack.read,
    discord.read,
    messenger.read,
    signal.read,
    mbox.read,
]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__module__.rpartition(".")[2])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[",
        b"{",
        b"[1, null, []]",
        b"\xff\xfe\xff",
        b'{"messages": [1, {"a": ',
        b"[" * 50_000,
        b"\0" * 999,
        b"From ",
    ],
)
def test_hostile_input_ends_in_records(tmp_path: Path, reader: Reader, data: bytes) -> None:
    path = tmp_path / "result.json"
    path.write_bytes(data)
    records(reader, path)


@pytest.mark.parametrize("cut", [60, 20, 5])
def test_a_cut_file_keeps_what_is_whole(tmp_path: Path, cut: int) -> None:
    said = [telegram_message(number) for number in range(1, 21)]
    data = json.dumps({"name": "Bob", "type": "personal_chat", "id": 7, "messages": said}).encode()
    path = tmp_path / "result.json"
    path.write_bytes(data[: -cut - 2])
    found = records(telegram.read, path)
    assert contents(found) == [f"m{number}" for number in range(1, 20)]
    assert [problem.lost for problem in problems(found)] == [True]


def test_bytes_that_are_not_utf8_are_replaced_and_reported(tmp_path: Path) -> None:
    path = write_json(tmp_path / "result.json", {"name": "B", "id": 7, "messages": [telegram_message(1, text="aXb")]})
    path.write_bytes(path.read_bytes().replace(b"aXb", b"a\xffb"))
    found = records(telegram.read, path)
    assert contents(found) == ["a\ufffdb"]
    assert [problem.lost for problem in problems(found)] == [False]


def test_a_preview_names_the_files(shared_data: Path) -> None:
    shown = preview(shared_data / SLACK)
    assert shown.format == "slack"
    assert "users.json" in shown.detail or "channels.json" in shown.detail


def exports(folder: Path, shared_data: Path) -> list[Path]:
    """One export of each format."""
    made = [shared_data / CHATPACK / f"{name}_export.json" for name in ("telegram", "instagram", "discord")]
    made += [shared_data / CHATPACK / "whatsapp_export.txt", shared_data / SLACK]
    (folder / "mails.mbox").write_bytes(mail(1, "One", b"first") + mail(2, "Re: One", b"", answers=1))
    said = {"date": "2024-01-15 10:30:00", "sender": "Alice", "quote": "", "sticker": "", "reactions": []}
    (folder / "data.json").write_text(json.dumps({**said, "body": "Hi"}) + "\n" + json.dumps({**said, "body": "Hi"}))
    return [*made, folder / "mails.mbox", folder / "data.json"]


def test_a_second_import_adds_nothing(host: Host, shared_data: Path, tmp_path: Path) -> None:
    for path in exports(tmp_path, shared_data):
        expected = len(contents(records(SPECS[detect(path)].read, path)))
        first = host.ask("exchange.import", path=str(path))
        assert (first.messages, first.unchanged, first.problem_count) == (expected, 0, 0), path
        again = host.ask("exchange.import", path=str(path))
        assert (again.sessions, again.messages, again.unchanged) == (0, 0, expected), path


def test_a_longer_export_adds_what_is_new(host: Host, tmp_path: Path) -> None:
    path = tmp_path / "WhatsApp Chat with Bob.txt"
    path.write_text("15/01/2024, 10:30 - Alice: Hi\n15/01/2024, 10:31 - Bob: Hi\n")
    assert host.ask("exchange.import", path=str(path)).messages == 2
    path.write_text(path.read_text() + "16/01/2024, 10:31 - Bob: Hi\n")
    again = host.ask("exchange.import", path=str(path))
    assert (again.sessions, again.messages, again.unchanged) == (0, 1, 2)


FLOWED = [
    ("sow the \npeas\n", "no", "sow the peas"),
    ("sow the \npe \nas\n", "yes", "sow thepeas"),
    ("> sow the \n> peas\n> today\nyes\n", "no", "> sow the peas\n> today\nyes"),
    (">> one \n> two \n> three\n", "no", ">> one\n> two three"),
    (" From here \n>not a quote\n", "no", "From here\n> not a quote"),
    ("words\n-- \nAda\n", "no", "words\n-- \nAda"),
    ("first \n\nsecond\n", "no", "first\n\nsecond"),
]


@pytest.mark.parametrize(("text", "joined", "expected"), FLOWED)
def test_flowed_mails_have_a_line_for_each_paragraph(tmp_path: Path, text: str, joined: str, expected: str) -> None:
    head = "From a@b Mon Jan  1 10:00:00 2024\nFrom: a@b\nSubject: s\nMessage-ID: <1@b>\n"
    path = tmp_path / "mails.mbox"
    path.write_text(f"{head}Content-Type: text/plain; charset=utf-8; format=flowed; delsp={joined}\n\n{text}\n")
    assert [content.strip() for content in contents(records(mbox.read, path))] == [expected]
    path.write_text(f"{head}Content-Type: text/plain; charset=utf-8\n\n{text}\n")
    (fixed,) = contents(records(mbox.read, path))
    assert fixed == text.strip("\n") or fixed.split() == text.split()


def test_text_files_of_mails_are_read_and_single_mails_too(tmp_path: Path) -> None:
    more = 'Content-Type: multipart/mixed; boundary="b"\n'
    parts = (
        b"--b\nContent-Type: text/plain\n\nthe text\n--b\nContent-Type: text/plain\n"
        b'Content-Disposition: attachment; filename="list.txt"\n\nquince and medlar\n--b\n'
        b"Content-Type: application/json\n"
        b'Content-Disposition: attachment; filename="a.json"\n\n{"said": "the heron"}\n--b--\n'
    )
    data = mail(1, "Parts", parts, more=more)
    expected = (
        'the text\n\n[attachment: list.txt]\n\nquince and medlar\n\n[attachment: a.json]\n\n{"said": "the heron"}'
    )
    (tmp_path / "mails.mbox").write_bytes(data)
    (tmp_path / "one.eml").write_bytes(data.partition(b"\n")[2])
    for name in ("mails.mbox", "one.eml"):
        assert detect(tmp_path / name) == "mbox"
        assert contents(records(mbox.read, tmp_path / name)) == [expected]


def test_a_single_mail_is_not_cut_at_a_line_that_begins_with_from(tmp_path: Path) -> None:
    (tmp_path / "one.eml").write_bytes(mail(1, "One", b"first\n\nFrom a@b Mon Jan 15 10:00:00 2024\nX: y\n\nlast"))
    (said,) = contents(records(mbox.read, tmp_path / "one.eml"))
    assert said.startswith("first")
    assert said.endswith("last")
