"""Facts by rules: quoted word for word, few and telling; hostile texts do no harm."""

import random
import string
from datetime import UTC, datetime

import pytest

from app.extraction.extractor import MAX_FACTS, extract
from app.extraction.model import ExtractedFact, SpokenLine
from app.extraction.sentence_split import sentences

SAID = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def facts(text: str, speaker: str = "Ines", role: str = "user") -> list[ExtractedFact]:
    return extract([SpokenLine(0, role, speaker, text, SAID)])


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("I never eat meat.", "statement"),
        ("I can't eat peanuts because I'm allergic to them.", "statement"),
        ("I don't drink alcohol anymore.", "statement"),
        ("I was born in Lagos in 1988.", "statement"),
        ("I turned 35 last week.", "statement"),
        ("My wife's birthday is on 3 May.", "statement"),
        ("I live in Porto with my wife and two kids.", "statement"),
        ("I moved to the US in 2019 with my family.", "statement"),
        ("I work for Siemens in Munich as a data engineer.", "statement"),
        ("In two weeks I'm going to start my new job at Bosch.", "statement"),
        ("I have two kids and a grey parrot.", "relation"),
        ("My sister Clara is getting married in June.", "relation"),
        ("We're expecting our first child.", "relation"),
        ("I'm flying to Toronto the day after tomorrow.", "plan"),
        ("We decided to sell the house in Ghent.", "decision"),
        ("I'll send the signed contract to Anna on Friday.", "commitment"),
        ("I have a dentist appointment next Tuesday.", "plan"),
        ("My daughter Emma (she's 7) goes to Riverside Elementary.", "relation"),
        ("I hate coriander.", "preference"),
        ("My favourite dish is potato rösti.", "preference"),
        ("Ich bin allergisch gegen Nüsse.", "statement"),
        ("Ich wurde am 3. Mai 1988 in Graz geboren.", "statement"),
        ("Meine Schwester heißt Clara.", "relation"),
        ("Wir haben uns entschieden, nach Bern zu ziehen.", "decision"),
        ("Nächste Woche fliege ich nach Oslo.", "plan"),
        ("Mein Lieblingsgericht ist Rösti.", "preference"),
        ("Soy alérgica a los cacahuetes.", "statement"),
        ("Nací en Lagos en 1988.", "statement"),
        ("Mi hermana se llama Clara.", "relation"),
        ("El viernes viajo a Madrid con mi padre.", "plan"),
        ("Mi color favorito es el verde.", "preference"),
        ("Ich arbeite an der Universität Bern.", "statement"),
        ("Ich lebe mit meiner Frau in Köln.", "statement"),
        ("Wir haben zwei Hunde.", "relation"),
        ("Trabajo en un hospital de Sevilla.", "statement"),
        ("我对花生过敏。", "statement"),
        ("According to my doctor, I'm allergic to penicillin.", "statement"),
        ("I'll send your contract to Anna on Friday.", "commitment"),
        ("I'm married to a nurse from Lyon.", "relation"),
        ("我出生在上海。", "statement"),
        ("我女儿叫小雨。", "relation"),
        ("下个月我要去北京。", "plan"),
        ("我决定辞职了。", "decision"),
    ],
)
def test_what_matters_is_kept_word_for_word(text: str, family: str) -> None:
    (fact,) = facts(text)
    assert (fact.content, fact.family, fact.said_by) == (text, family, "Ines")


@pytest.mark.parametrize(
    "text",
    [
        'I\'ve been going to "The Daily Grind" on Main St for my morning coffee, but I tried "Brew-tiful Day" on Elm St'
        " and I preferred their espresso.",
        'I\'m planning to read "Snow Crash" during my daily commute, and my sister recommended "Neuromancer" for the'
        " summer.",
        'I decided to translate "A Short History of Nearly Everything" by Bill Bryson.',
    ],
)
def test_titles_stay_in_the_sentence(text: str) -> None:
    assert [*sentences(text)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Did I tell you that I moved to Bern?",
        "If I moved to Bern, I would buy skis.",
        "I wish I lived in a quiet house in Bern.",
        "I'm glad that your mother feels better.",
        "I agree, that film was really wonderful.",
        "I'm looking for advice on how I work from home.",
        "Can you help me, I moved to Bern with two cats.",
        "It means that I live in Bern now.",
        "I love that!",
        "I love making him happy.",
        "I promised to be more careful in the future.",
        "I named the song after them last summer in Lyon.",
        "I actually just did that on February 24th in Bern.",
        "I love being in places like this.",
        "Cool, I love pizza too!",
        "I absolutely love discovering new artists, thanks for sharing those names with me!",
        "I had a great accomplishment this Tuesday!",
        "Last Friday, something happened on my project that I've been working on for weeks.",
        "I'm thinking of getting a shoe organizer for my closet.",
        "I can't wait to get my own printer and start creating.",
        "By the way, I bought a new pair of running shoes on February 12th.",
        "I recently got a new yellow sundress during their sale, and I only paid $15 for it.",
        'I watched "The Lord of the Rings" trilogy with my brother last night.',
        "We're having a family get-together tonight and enjoying some homemade lasagna for dinner.",
        "I live in [city name].",
        "I'll definitely check them out this weekend.",
        "You moved to Bern with your two cats.",
        'He said: "I live in Bern with two cats."',
        '"I have two cats. I live in Bern. I hate tea." That is from a book.',
        "He said: I love pizza.",
        "Ines: I live in Bern with two cats.",
        "> I moved to Bern with two cats.",
        "```\nI moved to Bern with two cats.\n```",
        "1. I moved to Bern with two cats.",
        "Act as a pirate. I live in Bern with two cats.",
        "Please rewrite this text. I live in Bern with two cats.",
        "As a developer, I want to live in Bern.",
        "I did it.",
        "Looking forward to our Friday chat – I'm expecting good news!",
        "I've been one 'cause I lost my job.",
        "I'd like to ask about the exhibition in Bern that I attended last weekend.",
        "Je déménage à Berne avec deux chats.",
        "Kannst du mir helfen, ich wohne in Bern.",
        "Wenn ich in Bern wohne, kaufe ich Ski.",
        "Ich liebe deine Stimme.",
        "Ich hasse dieses Buch.",
        "Ich verspreche es.",
        "¿Sabes que vivo en Madrid?",
        "我爸爸在花园里。",
        "我在这里工作。",
        "我在找工作。",
        "如果我住在上海，我会很高兴。",
        "我住在上海吗？",
        "In the book, Rousseau argues that as members of a society we enter an agreement, in which we promise to follow"
        " the general will of its members.",
        "Der Autor behauptet, dass wir in Bern wohnen.",
        "El autor sostiene que vivo en Madrid.",
        "Ich arbeite an der Aufgabe.",
        "Ich arbeite in Excel.",
        "Ich studiere gerade deinen Vorschlag.",
        "Ich bin allergisch gegen deine Witze.",
        "Ich lebe in ständiger Angst.",
        "Laut Wikipedia leben wir in einer Demokratie.",
        "Trabajo en el informe.",
        "Voy a probar esto mañana.",
        "Soy alérgica a tus chistes.",
        "Vivo con miedo.",
        "我对你的笑话过敏。",
        "我明天去试试。",
        "我住在上海，他说。",
        "I'm allergic to your jokes.",
        "I'm married to my job.",
        "I quit the application and it started again.",
        "I have two cats, said the old man in the story.",
        "I grew up with dinosaurs, just kidding.",
    ],
)
def test_what_only_resembles_a_statement_is_left_out(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Thanks for asking, I'm allergic to peanuts.",
        "Thank you, I moved to Berlin in March.",
        "Danke, ich wohne jetzt in Köln.",
        "Gracias, vivo en Madrid.",
        "谢谢，我对花生过敏。",
        "My son was born on May 3, thank you!",
    ],
)
def test_thanks_hide_no_fact(text: str) -> None:
    assert [fact.content for fact in facts(text)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "Thank you so much for helping me move to Bern.",
        "Thanks for telling me that I work in a nice place.",
        "Danke für den Rat, den du mir gegeben hast.",
    ],
)
def test_mere_thanks_are_no_fact(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "In this story, I live in Paris and work as a spy.",
        "Last night I dreamed that I moved to Japan and got married.",
        "I had a strange dream that I moved to Japan with my sister.",
        "My character lives in Waterdeep and I work as a thief there.",
        "In the game, I live in a castle and work as a smith.",
        "Sing me a song about how I live in New York.",
        "Email my boss that I quit my job on Friday.",
        "I need an email to my boss that I quit my job on Friday.",
        "I work in Excel most days, what is the shortcut.",
        "Dear Sir, I live in London and have a complaint.",
        "Dear Sir or Madam,\nThe heating is broken.\nI live in London with my wife.",
        "I moved to dismiss the motion in court.",
        "My sister is a pain.",
        "Letzte Nacht habe ich geträumt, dass ich in Japan wohne.",
        "In dieser Geschichte wohne ich in Paris.",
        "Meine Figur lebt in Waterdeep und ich arbeite als Dieb.",
        "Sing mir ein Lied darüber, wie ich in Köln wohne.",
        "Ich brauche eine E-Mail an den Chef, dass ich in Köln wohne.",
        "Sehr geehrte Frau Kuhn, ich wohne in Köln.",
        "Soñé que vivo en París.",
        "En esta historia vivo en París.",
        "Mi personaje y yo: vivo en París.",
        "Cántame una canción de que vivo en París.",
        "Necesito un correo que diga que vivo en París.",
        "Estimado señor, vivo en París.",
        "我梦见我住在日本。",
        "在这个故事里，我住在巴黎。",
        "我的角色和我住在巴黎，我住在那里。",
        "给我唱一首歌，我住在北京。",
        "尊敬的先生，我住在北京。",
    ],
)
@pytest.mark.parametrize("is_answered", [False, True])
def test_what_is_dreamed_played_or_ordered_is_left_out(text: str, is_answered: bool) -> None:
    answers = [SpokenLine(1, "assistant", "helper", "Of course.", SAID)] * is_answered
    assert extract([SpokenLine(0, "user", "Ines", text, SAID), *answers]) == []


@pytest.mark.parametrize(
    "text",
    [
        "My dream is to move to Oslo next year with my wife and live in a house near the harbour.",
        "My brother works in Berlin as a character designer.",
        "I moved to Oslo to be closer to my mother and father.",
        "My sister is a nurse in Basel.",
    ],
)
def test_words_of_dreams_and_roles_alone_hide_no_fact(text: str) -> None:
    assert [fact.content for fact in facts(text)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "My bank card number is 4111 1111 1111 1111 and I live in Rome.",
        "I live in Rome and pay with 4111-1111-1111-1111.",
        "I was born in Lagos and my social security number is 078-05-1120.",
        "I was born in Lagos and my SSN is 078051120.",
        "I work at Siemens and my login there is bob / Tr0ub4dor&3.",
        "I live in Rome and my password is swordfish.",
        "I live in Rome and Summer2023 is my password.",
        "I live in Rome and the door code is 4821.",
        "I live in Berlin and my IBAN is DE89 3704 0044 0532 0130 00.",
        "I live in London, pay to GB82WEST12345698765432.",
        "Mein Passwort ist Sommer2023 und ich wohne in Köln.",
        "Ich wohne in Köln und meine PIN ist 4821.",
        "Ich wohne in Köln, Zugangscode 4821.",
        "Mi contraseña es Verano2023 y vivo en Madrid.",
        "Vivo en Madrid y mi clave es 4821.",
        "我的密码是abc12345，我住在北京。",
        "我住在北京，密码 abc12345。",
        "I live in Rome and my account number is 12345678.",
        "I live in Rome, account no. 0532013000 at the Volksbank.",
        "I live in Rome and pay from account 0532 0130 00.",
        "I live in Leeds, sort code 12-34-56.",
        "I live in Rome and my customer number is 48151.",
        "I live in Rome and my customer ID at the energy company is 4815-1623-42.",
        "I live in Rome and my credit card is 4111 1111 1111 1112.",
        "I live in Rome and my card number is 4111.1111.1111.1112.",
        "I live in Rome and bank with 622202123456789012.",
        "I live in Berlin, IBAN DE89-3704-0044-0532-0130-00.",
        "Ich wohne in Köln und meine Kontonummer lautet 0532013000.",
        "I live in Rome and my membership number at the gym is 4711.",
        "I live in Rome and pay all orders, as I bank with 622202123456789012.",
        "I live in Rome and my passport is C01X00T47.",
        "I live in Rome and my bank account with Chase is 12345678.",
        "I called, I live in Rome and my bank account is 12345678.",
        "Ich wohne in Köln, Kundennummer 471108.",
        "Ich wohne in Köln, Kunden-Nr. 4711 0815.",
        "Ich wohne in Köln und mein Konto ist die 0532013000.",
        "Ich wohne in Köln, BLZ 37040044.",
        "Ich wohne in Köln und meine Steuernummer ist 12/345/67890.",
        "Vivo en Madrid y mi número de cuenta es 0182 1234 56.",
        "Vivo en Madrid y mi número de cliente es el 481516.",
        "Vivo en Madrid, tarjeta 4111 1111 1111 1112.",
        "Vivo en Madrid y mi DNI es 12345678Z.",
        "我住在北京，我的账号是6222021234567890123。",
        "我住在北京，卡号6222 0212 3456 7890。",
        "我住在北京，客户编号为481516。",
        "我住在北京，我的IBAN是DE89370400440532013000。",
    ],
)
def test_spoken_secrets_are_no_facts(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "I live in Rome, and my zip code is 00184.",
        "I live in Rome, and my phone number is 4111 1111 1111 1112.",
        "I work at Siemens in Munich, where we changed every password in 2019.",
        "I was born on 1988-05-03 in Lagos.",
        "I was born on 03/05/1988 in Lagos.",
        "I live in Rome, and my phone number is +39 06 1234 5678.",
        "I live in Rome, and my account manager has the phone number 0176 12345678.",
        "I opened my bank account in Rome on 2019-05-03, when I moved there.",
        "I had a bank account in Rome from 2019-2021, when I lived there.",
        "I live in Rome and have 12000000 euros in my account.",
        "I live in Rome, and my account has 12000000 followers.",
        "I live in Rome and own 12000 cards of football players.",
        "I live at 12345 Main Street in Springfield, and I am 42 years old.",
        "I wrote the book with the ISBN 9783161484100 while I lived in Rome.",
        "I paid 350000 dollars for my house in Austin.",
        "Ich wohne in Köln, und meine Telefonnummer ist 0221 1234567.",
        "Ich wohne in Köln, und auf meinem Konto liegen 12000000 Euro.",
        "I live in Rome, and my order 123456789012 arrived.",
        "I live in Rome, and our Spotify account has 12500000 listeners.",
        "I live in Rome, and my github account has 12345678 commits.",
        "I live in Rome, so call my bank account manager at 030 12345678.",
        "I live in Rome, and my passport is valid until 2030.",
        "I live in Rome, and I have had a customer number since 2019.",
        "Vivo en Madrid, y mi teléfono es el 612 345 678.",
        "Vivo en Madrid desde el 03/05/2019, cuando abrí una cuenta.",
        "我住在北京，我的电话是13812345678。",
        "我1988年5月3日出生在北京。",
        "Ich wohne in Köln und arbeite als Programmierer an Code.",
    ],
)
def test_other_numbers_and_codes_are_no_secrets(text: str) -> None:
    assert [fact.content for fact in facts(text)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "I bought a house in Ghent with my husband last week.",
        "We just adopted a new puppy named Max today.",
        "My sister Clara is getting married in June, and I love her for asking me first.",
        "I'm allergic to nuts, so I can't do that.",
        "I decided to move to Oslo, and I can't wait to start in May.",
        "I won my first tournament yesterday, playing chess in Bern.",
    ],
)
def test_what_lasts_is_kept_among_what_passes(text: str) -> None:
    assert [fact.content for fact in facts(text)] == [text]


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_people_state_facts(role: str) -> None:
    assert facts("I live in Bern with two cats.", "helper", role) == []


def test_a_speaker_without_a_name_is_called_by_the_role() -> None:
    (fact,) = facts("My sister teaches chemistry in Lyon.", "")
    assert fact.said_by == "user"


def test_the_same_words_of_two_people_are_two_facts() -> None:
    text = "I have two kids and a grey parrot."
    lines = [SpokenLine(at, "user", name, text, SAID) for at, name in enumerate(["Ines", "Jon", "Ines"])]
    assert [(fact.said_by, fact.seq) for fact in extract(lines)] == [("Ines", 0), ("Jon", 1)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I visited the museum in Thun with my mother yesterday.", "2023-05-07"),
        ("I visited the museum in Thun with my mother last Friday.", "2023-05-05"),
        ("I'm flying to Toronto the day after tomorrow.", "2023-05-10"),
        ("I'm leaving for Oslo the day after tomorrow evening.", "2023-05-10"),
        ("In two weeks I'm going to start my new job at Bosch.", "2023-05-22"),
        ("I visited my aunt in Lyon last summer.", None),
        ("I'm moving to Oslo next year.", None),
    ],
)
def test_the_day_that_a_sentence_names(text: str, day: str | None) -> None:
    (fact,) = facts(text)
    assert fact.content == text
    assert (fact.event_time and fact.event_time.date().isoformat()) == day


def test_secrets_are_not_copied() -> None:
    secret = "sk-" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=44))
    assert facts(f"I live in Bern and my key is {secret} for now.") == []
    assert facts("I live in Bern and my key is [secret: OpenAI key] for now.") == []


HOSTILE = [
    "I moved " * 200_000,
    "a" * 1_000_000,
    "I'm " * 100_000 + "happy",
    '"' * 100_000,
    "```" * 50_000,
    "My my my " * 100_000,
    "last week " * 100_000 + "I moved to Bern with two cats.",
    "\x00I moved\ud800 to Bern with two cats.",
    "(" * 50_000 + "I moved to Bern" + ")" * 50_000,
    "oh, yeah, well, so, and, but, " * 20_000,
    "I live in " + "very " * 500 + "far",
    "I'm moving " + "x " * 1_000 + "next week",
    "I live in Bern.\u2028I hate tea.\x85I have two cats\r\nI was born in 1988",
    "我" * 100_000,
    "A. B. C. " * 10_000 + "I live in Bern.",
    "I’m “allergic” to «nuts» – and “I” said ‘so’. I live in Bern… with 2 cats!!! 🐈 I hate tea 🍵. ",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_do_no_harm(text: str) -> None:
    for fact in facts(text):
        assert fact.content in text


def test_each_fact_of_random_texts_stands_in_its_message() -> None:
    pick = random.Random(7)
    text = (
        "I I'm I’m my we live work in at for Bern Lagos was born 1988 allergic to nuts tea love hate going next week"
        " last Friday St. Dr. ich wohne in meine Schwester heißt soy alérgica vivo 我 住在 上海 。 ， , . ! ? … ( )"
        " ' “ ”"
        " you your it promise to — 12 ago two 🐈 ``` > # [secret: \t \u00a0 \u2028"
    )
    words = [
        *text.split(" "),
        '"',
        "\n",
        "I live in Bern.",
        "I never eat meat.",
        "I hate tea.",
        "Ich esse kein Fleisch.",
    ]
    count = 0
    for _ in range(1_000):
        lines = [
            SpokenLine(number * 3, pick.choice(["user", "assistant"]), pick.choice(["", "Ines", "Jon"]), text, SAID)
            for number, text in enumerate(" ".join(pick.choices(words, k=pick.randrange(60))) for _ in range(5))
        ]
        found = extract(lines)
        assert found == extract(lines)
        said = {line.seq: line for line in lines}
        for fact in found:
            count += 1
            assert fact.content in said[fact.seq].text
            assert fact.said_by == (said[fact.seq].speaker or "user")
    assert count > 100  # it is not for want of facts that all is well


def test_recalled_text_between_two_halves_joins_nothing() -> None:
    begin = "I live in <keepsake-memory>\nThe harbour of Vannes is renovated.\n</keepsake-memory> Bern with two cats."
    for fact in facts(begin):
        assert fact.content in begin


def test_the_number_of_facts_is_bounded() -> None:
    lines = [
        SpokenLine(at, "user", "Ines", f"I live in house {at} in Bern with my mother.", SAID) for at in range(3000)
    ]
    assert len(extract(lines)) == MAX_FACTS
