"""WhatsApp's chats in the languages, calendars and forms that phones write.

``locale_headers.json`` has dates and times as ICU 78 writes them (``Intl.DateTimeFormat`` of Node, short date; short
time, medium time, and short time of twelve hours), which is another source than that of the words the reader knows.
"""

import json
from datetime import date, timedelta
from pathlib import Path

import pytest

from app.core.clock import SystemClock, to_datetime
from app.exchange.formats.chats import whatsapp
from app.exchange.formats.detect import detect
from app.exchange.importing.accounting import Account
from app.exchange.importing.batches import BatchReader
from tests.unit.app.exchange.reading import contents, messages, problems, records, sessions, write_zip

HEADERS: dict[str, list[list[str]]] = json.loads(Path(__file__).with_name("locale_headers.json").read_text("utf-8"))
MOMENTS = [(2021, 5, 12, 14, 30), (2021, 5, 13, 9, 5), (2021, 5, 14, 0, 20), (2021, 5, 14, 12, 40)]


def chat(folder: Path, text: str, name: str = "WhatsApp Chat with Bob.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def moments(path: Path) -> list[tuple[int, ...] | None]:
    found = [record.message.created_at for record in messages(records(whatsapp.read, path))]
    return [moment and moment.astimezone().timetuple()[:5] for moment in found]


@pytest.mark.parametrize("locale", HEADERS)
def test_headers_of_every_locale(tmp_path: Path, locale: str) -> None:
    """A message of two lines stays one, whatever the phone's language; an iPhone puts the header into brackets."""
    for headers in HEADERS[locale]:
        for begin, end in (("", " - "), ("[", "] "), ("\u200f", " \u2013 ")):
            lines = [f"{begin}{header}{end}Anne: word {at}\nmore" for at, header in enumerate(headers)]
            path = chat(tmp_path, "\n".join(lines), "family.txt")
            assert detect(path) == "whatsapp"
            found = records(whatsapp.read, path)
            assert contents(found) == [f"word {at}\nmore" for at in range(len(headers))]
            assert {record.message.author for record in messages(found)} == {"Anne"}
            assert moments(path) == MOMENTS, headers
            assert not any(problem.lost for problem in problems(found))


WORDS = {
    "French": "12/05/2021 à 14:30 - ",
    "Finnish": "12.5.2021 klo 14.30 - ",
    "Bulgarian": "12.05.21 г., 14:30 ч. - ",
    "Spanish": "12/5/2021 a las 14:30 - ",
    "Danish": "12.05.2021 kl. 14.30 - ",
    "narrow space inside": "12/5/2021, 2:30 p.\u202fm. - ",
    "Korean": "2021년 5월 12일 오후 2:30 - ",
    "Hong Kong": "[12/5/2021 下午2:30:11] ",
    "Indonesian": "12/05/21 pukul 14.30 - ",
    "Vietnamese": "14:30, 12/5/2021 - ",
    "no comma": "[12.05.21 14:30:11] ",
    "old iPhone": "12/05/15 14:30:11: ",
}


@pytest.mark.parametrize("language", WORDS)
def test_words_between_and_behind(tmp_path: Path, language: str) -> None:
    path = chat(tmp_path, f"{WORDS[language]}Anne: one\n{WORDS[language]}Bob: two\n")
    assert contents(records(whatsapp.read, path)) == ["one", "two"]
    assert {moment and moment[1:] for moment in moments(path)} == {(5, 12, 14, 30)}


@pytest.mark.parametrize(
    ("word", "hour"), [("晚上8:30", 20), ("凌晨1:05", 1), ("中午12:31", 12), ("早上7:00", 7), ("下午3:10", 15)]
)
def test_parts_of_the_day(tmp_path: Path, word: str, hour: int) -> None:
    found = moments(chat(tmp_path, f"[13/5/2021 {word}:11] 小明: 一\n"))
    assert [moment and moment[3] for moment in found] == [hour]


def test_a_chat_whose_form_changes_is_read_whole(tmp_path: Path) -> None:
    text = (
        "12/05/2021, 14:30 - Anne: un\n12/05/2021, 14:31 - Bruno: deux\n12/05/2021 à 14:32 - Anne: trois\n"
        "12.5.2021 klo 14.33 - Bruno: quatre\n13/05/2021, 14:34 - Anne: cinq\n"
    )
    path = chat(tmp_path, text)
    assert contents(records(whatsapp.read, path)) == ["un", "deux", "trois", "quatre", "cinq"]
    assert [moment and moment[2] for moment in moments(path)] == [12, 12, 12, 12, 13]


def test_unknown_words_are_read_where_they_are_the_form_of_the_chat(tmp_path: Path) -> None:
    first = "12/05/2021 zorb 2:30 blik - Anne: one\n12/05/2021 zorb 2:35 blik - Bob: two\n"
    text = f"{first}13/05/2021 zorb 9:35 blak - Anne: x\n"
    found = records(whatsapp.read, chat(tmp_path, text))
    assert contents(found) == ["one", "two", "x"]
    assert any("blak, blik, zorb" in problem.what for problem in problems(found))


def test_a_line_with_a_date_and_time_is_not_joined_without_a_word(tmp_path: Path) -> None:
    trip = "14/05/2021 08:30 Paris - London: platform 3\n15/05/2021 18:30 London"
    text = f"12/05/2021, 14:30 - Anne: our trip\n{trip}\n12/05/2021, 14:32 - Bob: good\n"
    found = records(whatsapp.read, chat(tmp_path, text))
    assert contents(found) == [f"our trip\n{trip}", "good"]
    assert [problem.place[-6:] for problem in problems(found) if "part of the message" in problem.what] == [
        "line 2",
        "line 3",
    ]


NAMES = (
    *("_chat.txt", "WhatsApp Chat with Bob.txt", "WhatsApp-Chat mit Bob.txt", "Chat de WhatsApp con Bob.txt"),
    *("Discussion WhatsApp avec Bob.txt", "Чат WhatsApp с контактом Bob.txt", "Bob ile WhatsApp Sohbeti.txt"),
    *("Conversa do WhatsApp com Bob.txt", "محادثة واتساب مع Bob.txt", "与Bob的WhatsApp聊天.txt"),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_chat_that_is_not_understood_says_so(tmp_path: Path, name: str) -> None:
    path = chat(tmp_path, "Hello\nthere is no time here\n", name)
    assert detect(path) == detect(tmp_path) == "whatsapp"
    for place in (path, tmp_path, write_zip(tmp_path / "chat.zip", {name: path.read_bytes()})):
        found = records(whatsapp.read, place)
        assert contents(found) == []
        assert [problem.lost for problem in problems(found)] == [True]


def test_a_note_about_whatsapp_is_a_note(tmp_path: Path) -> None:
    assert detect(chat(tmp_path, "Why I left WhatsApp\n", "leaving WhatsApp behind.txt")) == "markdown"


@pytest.mark.parametrize(
    ("name", "title"),
    [("Discussion WhatsApp avec Jean.txt", "Jean"), ("Чат WhatsApp с контактом Иван.txt", "Иван")],
)
def test_titles_in_other_languages(tmp_path: Path, name: str, title: str) -> None:
    path = chat(tmp_path, "12/05/2021, 14:30 - A: one\n", name)
    assert [head.title for head in sessions(records(whatsapp.read, path))] == [title]


def test_attachments_in_other_languages(tmp_path: Path) -> None:
    text = (
        "[12/05/2021 à 14:30:11] Jean: \u200e<pièce jointe : 012-PHOTO-2021-05-13.jpg>\n"
        "[12/05/2021 à 14:31:11] Jean: IMG-20210512-WA0001.jpg (файл добавлен)\n"
    )
    found = records(whatsapp.read, chat(tmp_path, text))
    assert contents(found) == ["[file: 012-PHOTO-2021-05-13.jpg]", "[file: IMG-20210512-WA0001.jpg]"]


def test_the_form_of_kakaotalk(tmp_path: Path) -> None:
    text = "2021년 5월 12일 오후 2:30, 홍길동 : 안녕\n2021년 5월 12일 오후 2:31, 나 : 네: 좋아\n"
    path = chat(tmp_path, text, "KakaoTalkChats.txt")
    found = records(whatsapp.read, path)
    assert contents(found) == ["안녕", "네: 좋아"]
    assert [head.agent for head in sessions(found)] == ["KakaoTalk"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[07.03.26, 9:22:39 PM] A: one\n", (2026, 3, 7)),
        ("3/4/2025, 9:29 p. m. - A: one\n", (2025, 4, 3)),
        ("3/4/2025, 9:29 pm - A: one\n", (2025, 4, 3)),
        ("3/4/2025, 9:29 PM - A: one\n", (2025, 3, 4)),
        ("3-4-2025, 9:29 PM - A: one\n", (2025, 4, 3)),
        ("3/4/2025, 21:29 - A: one\n", (2025, 4, 3)),
        ("3/4/2025, 9:29 PM - A: one\n13/4/2025, 9:29 PM - A: two\n", (2025, 4, 3)),
        ("03.04.2025, 9:29 - A: one\n03.13.2025, 9:29 - A: two\n", (2025, 3, 4)),
        ("3/4/2025, 9:29 PM - A: one\n2/5/2025, 9:29 PM - A: two\n", (2025, 4, 3)),
    ],
)
def test_day_or_month_first(tmp_path: Path, text: str, expected: tuple[int, ...]) -> None:
    path = chat(tmp_path, text)
    first = moments(path)[0]
    assert first is not None
    assert first[:3] == expected
    is_assumed = len(text.splitlines()) == 1
    assert any("day or month" in problem.what for problem in problems(records(whatsapp.read, path))) == is_assumed


@pytest.mark.parametrize(
    ("written", "expected", "calendar"),
    [
        ("12/5/2564 14:30 - ", (2021, 5, 12), "Buddhist"),
        ("12/5/64 14:30 - ", (2021, 5, 12), "Buddhist"),
        ("1403/05/12, 14:30 - ", (2024, 8, 2), "Persian"),
        ("1403/12/30, 14:30 - ", (2025, 3, 20), "Persian"),
        ("1/9/1446, 14:30 - ", (2025, 3, 1), "Hijri"),
        ("民國113/5/12 下午2:30 - ", (2024, 5, 12), "Minguo"),
        ("令和3年5月12日 14:30 - ", (2021, 5, 12), "Japanese"),
    ],
)
def test_years_of_other_calendars(tmp_path: Path, written: str, expected: tuple[int, ...], calendar: str) -> None:
    path = chat(tmp_path, f"{written}A: one\n{written}B: two\n")
    assert [moment and moment[:3] for moment in moments(path)] == [expected, expected]
    assert any(calendar in problem.what for problem in problems(records(whatsapp.read, path)))


def test_a_date_in_the_future_is_left_out_and_said(tmp_path: Path) -> None:
    today = to_datetime(SystemClock().now_ms()).date()
    later: date = today + timedelta(400)
    text = f"13/05/2021, 14:30 - A: one\n{later:%d/%m/%Y}, 14:31 - B: two\n13/05/5781, 14:32 - B: three\n"
    path = chat(tmp_path, text)
    assert moments(path) == [(2021, 5, 13, 14, 30), None, None]
    found = problems(records(whatsapp.read, path))
    assert [problem.place for problem in found if "2 messages have no date" in problem.what] == [f"{path.name}, line 2"]


@pytest.mark.parametrize(
    "header", ["2024년 3월 13일 오후 2:05 - ", "13/03/24, 2:06 पूर्वाह्न - ", "13/03/2024 à 14:05 - "]
)
def test_the_words_of_a_date_are_not_called_left_out(tmp_path: Path, header: str) -> None:
    path = chat(tmp_path, f"{header}Ana: heron\n{header}Ben: kestrel\n")
    reader = BatchReader(whatsapp.read(path, lambda: False), path, account=Account())
    batch = reader.next()
    assert [problem for problem in batch.problems if problem.lost] == []
    assert batch.items is not None
    assert (batch.items.read, batch.items.stored) == (2, 2)


def test_lines_that_end_with_a_carriage_return_alone(tmp_path: Path) -> None:
    path = chat(tmp_path, "12/05/2021, 14:30 - Anne: one\r12/05/2021, 14:31 - Bob: two\rmore\r")
    assert contents(records(whatsapp.read, path)) == ["one", "two\nmore"]
