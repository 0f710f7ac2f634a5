"""Facts by rules: each family with what resembles it, dates, contradictions, and hostile texts."""

import random
import string
from datetime import UTC, datetime

import pytest

from app.extraction.extractor import MAX_FACTS, extract
from app.extraction.model import ExtractedFact, SpokenLine

SAID = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


def facts(text: str, speaker: str = "Ines", role: str = "user", *others: str) -> list[ExtractedFact]:
    lines = [SpokenLine(0, role, speaker, text, SAID)]
    lines += [SpokenLine(number, "user", name, "ok", SAID) for number, name in enumerate(others, 1)]
    return extract(lines)


@pytest.mark.parametrize(
    ("text", "family", "content"),
    [
        ("I moved to Bern with two cats.", "statement", "Ines moved to Bern with two cats."),
        ("Wow, cool! By the way, I work at Nestlé in Vevey.", "statement", "Ines works at Nestlé in Vevey."),
        ("I've been learning the cello since school.", "statement", "Ines has been learning the cello since school."),
        ("Gardening helps me relax after work.", "statement", "Gardening helps them relax after work."),
        ("I really enjoy painting lakes at dawn.", "preference", "Ines really enjoys painting lakes at dawn."),
        ("My favourite dish is potato rösti.", "preference", "Ines's favourite dish is potato rösti."),
        ("I'm allergic to hazelnuts and pollen.", "preference", "Ines is allergic to hazelnuts and pollen."),
        ("I decided to quit smoking for good.", "decision", "Ines decided to quit smoking for good."),
        ("Gonna repaint the kitchen in spring.", "plan", "Ines is gonna repaint the kitchen in spring."),
        ("We're planning a trip along the Rhine.", "plan", "Ines and others are planning a trip along the Rhine."),
        ("My sister teaches chemistry in Lyon.", "relation", "Ines's sister teaches chemistry in Lyon."),
        ("I have two kids and a grey parrot.", "relation", "Ines has two kids and a grey parrot."),
        ("I'll send the signed contract to Anna.", "commitment", "Ines will send the signed contract to Anna."),
        ("I don't eat meat since last year.", None, ""),
    ],
)
def test_first_person_statements_become_facts(text: str, family: str | None, content: str) -> None:
    found = facts(text)
    assert [(fact.family, fact.content) for fact in found] == ([(family, content)] if family else [])


@pytest.mark.parametrize(
    "text",
    [
        "Did I tell you that I moved to Bern?",
        "If I moved to Bern, I would buy skis.",
        "I wish I lived in a quiet house in Bern.",
        "I'm glad that your mother feels better.",
        "I agree, that film was really wonderful.",
        "I think so too, thanks for the advice.",
        "I love that!",
        "I'll never give up on this dream, no matter what.",
        "It was really wonderful to hear that story.",
        "You moved to Bern with your two cats.",
        '"I moved to Bern with two cats," wrote the author of this book.',
        "> I moved to Bern with two cats.",
        "```\nI moved to Bern with two cats.\n```",
        "1. I moved to Bern with two cats.",
        "I did it.",
        "Je déménage à Berne avec deux chats.",
    ],
)
def test_what_only_resembles_a_statement_is_left_out(text: str) -> None:
    assert facts(text) == []


@pytest.mark.parametrize("role", ["tool", "system"])
def test_tools_and_systems_state_nothing(role: str) -> None:
    assert facts("I moved to Bern with two cats.", "Ines", role) == []


def test_assistants_only_promise_and_decide() -> None:
    assert facts("I moved to Bern with two cats.", "helper", "assistant") == []
    (fact,) = facts("I'll send the signed contract to Anna.", "helper", "assistant")
    assert fact.subject == "helper"
    assert facts("I'll send the signed contract to Anna.", "", "assistant") == []


def test_a_user_without_a_name_is_the_user() -> None:
    (fact,) = facts("My sister teaches chemistry in Lyon.", "")
    assert fact.content == "The user's sister teaches chemistry in Lyon."


def test_the_one_listener_is_named() -> None:
    (fact,) = facts("I bought the blue bicycle from your brother.", "Ines", "user", "Jon")
    assert fact.content == "Ines bought the blue bicycle from Jon's brother."
    assert facts("I bought the blue bicycle from your brother.", "Ines", "user", "Jon", "Ann") == []


@pytest.mark.parametrize(
    ("text", "dated", "day"),
    [
        ("I met the mayor of Thun yesterday.", "Ines met the mayor of Thun yesterday (7 May 2023).", "2023-05-07"),
        ("I visited the museum last Friday.", "Ines visited the museum last Friday (5 May 2023).", "2023-05-05"),
        ("I started piano lessons last month.", "Ines started piano lessons last month (April 2023).", "2023-04-01"),
        ("I painted the lake sunrise last year.", "Ines painted the lake sunrise last year (2022).", "2022-01-01"),
        ("I bought the old house two years ago.", "Ines bought the old house two years ago (2021).", "2021-05-08"),
        ("I'm going to visit Oslo next month.", "Ines is going to visit Oslo next month (June 2023).", "2023-06-01"),
    ],
)
def test_relative_dates_are_resolved(text: str, dated: str, day: str) -> None:
    (fact,) = facts(text)
    assert fact.content == dated
    assert fact.event_time is not None
    assert fact.event_time.date().isoformat() == day


@pytest.mark.parametrize(
    ("first", "second", "category"),
    [
        ("I live in Bern near the river.", "I just moved to Geneva with everything.", "home"),
        ("I work at Nestlé in product design.", "I now work for Google on search.", "work"),
        ("My favourite colour is dark green.", "My favourite colour is bright yellow.", "favourite"),
    ],
)
def test_contradicting_facts_share_a_key(first: str, second: str, category: str) -> None:
    (one,), (other,) = facts(first), facts(second)
    assert one.key == other.key
    assert one.category == category
    assert facts(first, "Jon")[0].key != one.key


def test_what_may_be_true_several_times_has_no_key() -> None:
    (fact,) = facts("I bought a blue bicycle yesterday.")
    assert not fact.key


def test_secrets_are_not_copied() -> None:
    secret = "sk-" + "".join(random.Random(1).choices(string.ascii_letters + string.digits, k=44))
    assert facts(f"I got the new key {secret} for our server.") == []


@pytest.mark.parametrize(
    "text",
    [
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
    ],
)
def test_hostile_texts_do_no_harm(text: str) -> None:
    for fact in facts(text):
        assert len(fact.content) < 2_000


def test_random_texts_never_fail_and_name_their_turns() -> None:
    pick = random.Random(7)
    text = "I I'm I've my we moved love going to last week Bern , . ! ? ( ) ' you your it promise — 12 ago two"
    words = [*text.split(), '"', "\n"]
    for _ in range(300):
        lines = [
            SpokenLine(number * 3, pick.choice(["user", "assistant"]), pick.choice(["", "Ines", "Jon"]), text, SAID)
            for number, text in enumerate(" ".join(pick.choices(words, k=pick.randrange(60))) for _ in range(5))
        ]
        found = extract(lines)
        assert found == extract(lines)
        assert {seq for fact in found for seq in fact.source_seqs} <= {line.seq for line in lines}


def test_the_number_of_facts_is_bounded() -> None:
    lines = [
        SpokenLine(at, "user", "Ines", f"I bought the blue bicycle number {at} in Bern.", SAID) for at in range(3000)
    ]
    assert len(extract(lines)) == MAX_FACTS
