"""Names of one person are joined by themselves, unless anything speaks against it; and every join can be taken back."""

from collections.abc import Callable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from app.entities import ner_backlog
from app.entities.duplicates.model import NamedEntity, NearDuplicate
from app.errors import InputError
from app.host import Host
from tests.helpers.engine import engine_of

TEXTS = ("Kenji Tanaka came to dinner, and Kenji brought tea.", "Kenji said it was good. Kenji Tanaka laughed.")
JOINED = {"Kenji Tanaka": 4}
APART = {"Kenji Tanaka": 2, "Kenji": 2}


def start(vault: Path) -> Host:
    settings = {"embedding.model": "hashed", "backup.daily": False, "ner.spacy_pipeline": "none"}
    host = Host(vault, serve=False, overrides=settings)
    host.start()
    return host


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = start(vault)
    yield running
    running.stop()


def notes(host: Host, *texts: str, **fields: Any) -> list[str]:
    made = [host.ask("note.save", content=text, **fields).id for text in texts]
    host.ask("vault.settle", names=True)
    return made


def linked_notes(host: Host) -> list[str]:
    first = notes(host, "Kenji came. Kenji Tanaka laughed. Kenji sat.", title="Lunch")
    return first + notes(host, "Kenji slept, see [[Lunch]].", "Kenji Tanaka slept.")


def names(host: Host) -> dict[str, int]:
    host.ask("vault.settle", names=True)
    return {row.name: row.mentions for row in host.ask("entity.list")}


def id_of(host: Host, name: str) -> str:
    return next(str(row.id) for row in host.ask("entity.list") if row.name == name)


def run(host: Host) -> Any:
    run = host.ask("upkeep.run", job="enrichment")
    assert run.status == "succeeded", run.output
    return run


def history(host: Host) -> list[Any]:
    return [entry for entry in host.ask("memory.history") if entry.target_kind == "entity"]


def write(host: Host, work: Callable[[Any], Any]) -> Any:
    return host.submit(engine_of(host).store.write(work)).result()


def test_a_first_name_joins_the_only_full_name_near_it_and_one_undo_parts_them_for_good(host: Host) -> None:
    notes(host, *TEXTS)
    assert names(host) == APART
    assert [change.action for change in host.ask("upkeep.plan", job="enrichment").changes] == ["join"]
    made = run(host)
    assert made.output.endswith("Joined 1 short name of a person to the full name near it.")
    assert names(host) == JOINED
    assert host.ask("inbox.count") == 0
    entity = host.ask("entity.info", id=id_of(host, "Kenji Tanaka")).entity
    assert (entity.aliases, entity.touched) == (("Kenji", "Kenji Tanaka"), False)
    notes(host, "Kenji is back.")
    assert names(host) == {"Kenji Tanaka": 5}
    (entry,) = history(host)
    assert (entry.run_id, entry.actor, entry.event) == (made.run_id, "keepsake", "MERGE")
    host.ask("memory.undo", run_id=made.run_id)
    assert names(host) == {"Kenji Tanaka": 2, "Kenji": 3}
    run(host)
    assert names(host) == {"Kenji Tanaka": 2, "Kenji": 3}


def test_two_short_names_of_one_full_name_are_undone_one_by_one(host: Host) -> None:
    notes(host, *TEXTS, "Dr. Tanaka came. Kenji Tanaka sat down. Tanaka smiled.")
    before = names(host)
    run(host)
    assert "Kenji" not in names(host)
    first, second = (entry.id for entry in history(host))
    host.ask("memory.undo", history_ids=[second])
    assert len(names(host)) == 2
    host.ask("memory.undo", history_ids=[first])
    assert names(host) == before


def test_the_past_shows_two_names_and_a_search_for_either_finds_both(host: Host) -> None:
    notes(host, *TEXTS)
    run(host)
    assert host.ask("memory.search", query="entity:kenji").hits
    rows = host.ask("entity.list", filter={"text": "kenji"})
    assert [row.name for row in rows] == ["Kenji Tanaka"]


def _rename(host: Host, entity: str) -> None:
    host.ask("entity.rename", id=entity, name="Ken")
    host.ask("entity.rename", id=entity, name="Kenji")


def _protect(host: Host, entity: str) -> None:
    host.ask("entity.protect", id=entity)


def _pin(host: Host, entity: str) -> None:
    host.ask("entity.place", positions=[(entity, 1.0, 2.0)], pinned=True)


def _relate(host: Host, entity: str) -> None:
    host.ask("entity.relate", subject=id_of(host, "Paula"), predicate="sister of", target=entity)


def _part(host: Host, entity: str) -> None:
    merged = host.ask("entity.merge", ids=[entity], into=id_of(host, "Kenji Tanaka"))
    host.ask("entity.split", id=merged.id, aliases=["Kenji"])


def _undone(host: Host, entity: str) -> None:
    host.ask("entity.rename", id=entity, name="Ken")
    host.ask("memory.undo", history_ids=[history(host)[0].id])


@pytest.mark.parametrize("decide", [_rename, _protect, _pin, _relate, _part, _undone])
@pytest.mark.parametrize("name", ["Kenji", "Kenji Tanaka"])
def test_a_name_that_a_person_decided_about_is_never_joined(
    host: Host, decide: Callable[[Host, str], None], name: str
) -> None:
    if name == "Kenji Tanaka" and decide in (_rename, _relate, _part):
        pytest.skip("is about the short name")
    notes(host, *TEXTS, "Paula wrote to me.")
    decide(host, id_of(host, name))
    before = names(host)
    run(host)
    assert names(host) == before
    assert before["Kenji Tanaka"] == 2


@pytest.mark.parametrize(
    "rival",
    [
        "Kenji Mori came, and Kenji laughed.",
        "We stayed in Kenji Hospital for a week.",
        "Kenjiro Mori called.",
        "Kemji Mori called.",
    ],
    ids=["the same name", "another type", "a longer form", "another spelling"],
)
def test_a_rival_prevents_the_join_and_parts_what_was_joined(host: Host, rival: str) -> None:
    notes(host, *TEXTS)
    run(host)
    assert names(host) == JOINED
    notes(host, rival)
    assert "apart again" in run(host).output
    after = names(host)
    assert (after["Kenji Tanaka"], after["Kenji"] >= 2) == (2, True)
    run(host)
    assert names(host) == after


def test_what_a_person_decided_about_after_the_join_stays_joined(host: Host) -> None:
    notes(host, *TEXTS)
    made = run(host)
    host.ask("entity.rename", id=id_of(host, "Kenji Tanaka"), name="K. Tanaka")
    notes(host, "Kenji Mori called.")
    run(host)
    assert names(host)["K. Tanaka"] == 4
    host.ask("memory.undo", run_id=made.run_id)  # and it can still be undone
    assert (names(host)["K. Tanaka"], names(host)["Kenji"]) == (2, 2)


def test_a_person_may_split_and_merge_what_was_joined(host: Host) -> None:
    notes(host, *TEXTS, "Paula Weber came.")
    run(host)
    host.ask("entity.merge", ids=[id_of(host, "Kenji Tanaka")], into=id_of(host, "Paula Weber"))
    assert names(host) == {"Paula Weber": 5}
    notes(host, "Kenji called again.")
    assert names(host) == {"Paula Weber": 6}
    host.ask("memory.undo", history_ids=[history(host)[0].id])
    assert names(host) == {"Kenji Tanaka": 5, "Paula Weber": 1}
    host.ask("entity.split", id=id_of(host, "Kenji Tanaka"), aliases=["Kenji"])
    apart = {"Kenji Tanaka": 2, "Kenji": 3, "Paula Weber": 1}
    assert names(host) == apart
    run(host)
    assert names(host) == apart


def test_nothing_is_joined_while_texts_are_left_to_read(host: Host) -> None:
    notes(host, *TEXTS)
    joins = engine_of(host).enrichment.job._joins
    (pair,) = host.submit(joins.due()).result()
    write(host, lambda connection: ner_backlog.meta.write(connection, ner_backlog.RULES, "1"))
    assert host.submit(joins.due()).result() == []
    assert host.submit(joins.join(pair, "run-x")).result() is None
    assert names(host) == APART


@pytest.mark.parametrize("which", [0, 1, 2])
def test_forgetting_a_text_for_ever_takes_the_join_with_it(host: Host, which: int) -> None:
    made = linked_notes(host)
    run(host)
    assert "Kenji" not in names(host)
    left = {0: {"Kenji": 1, "Kenji Tanaka": 1}, 1: {"Kenji": 2, "Kenji Tanaka": 2}, 2: {"Kenji": 3, "Kenji Tanaka": 1}}
    assert host.ask("memory.forget_forever", ids=[made[which]], confirm=True).verified
    assert names(host) == left[which]
    assert history(host) == []
    gone = made[1:] if which == 0 else [made[0]]
    assert host.ask("memory.forget_forever", ids=gone, confirm=True).verified


def test_no_trace_of_a_joined_name_is_left_when_its_texts_are_forgotten(host: Host) -> None:
    made = linked_notes(host)
    run(host)
    assert host.ask("memory.forget_forever", ids=made, confirm=True).verified
    spelled = "SELECT count(*) FROM entities WHERE canonical_name LIKE '%Kenji%'"
    history = "SELECT count(*) FROM memory_history WHERE before LIKE '%Kenji%' OR after LIKE '%Kenji%'"
    assert write(host, lambda connection: [connection.execute(sql).get for sql in (spelled, history)]) == [0, 0]


def test_a_join_outlives_reading_everything_again_and_deleted_texts(host: Host) -> None:
    made = notes(host, *TEXTS)
    run(host)
    host.submit(engine_of(host).entities.worker.start_over()).result()
    assert names(host) == JOINED
    for note in made:
        host.ask("note.delete", id=note)
    assert names(host) == {}
    for note in made:
        host.ask("memory.undo", history_ids=[host.ask("memory.history", target=note)[0].id])
    assert names(host) == JOINED


@pytest.mark.parametrize("text", ["Mr. Tanaka called.", "The Tanaka house is old."], ids=["of a man", "of a family"])
def test_a_surname_that_may_be_of_another_is_not_joined(host: Host, text: str) -> None:
    notes(host, "Kenji Tanaka came. Tanaka laughed.", f"Kenji Tanaka came. {text}")
    run(host)
    assert "Tanaka" in names(host)


def test_a_speaker_is_not_joined_to_somebody_they_speak_of(host: Host) -> None:
    said = {"role": "user", "author": "Maria", "content": "I love Maria Callas. Maria Callas sang well."}
    host.ask("session.append", session="s", messages=[said, said])
    before = names(host)
    run(host)
    assert names(host) == before
    assert before["Maria"] == 2


def spoken(host: Host, *lines: tuple[str, str]) -> None:
    messages = [{"role": role, "content": content} for role, content in lines]
    host.ask("session.append", session="s", messages=messages)
    host.ask("vault.settle", names=True)


LESSONS = (
    ("assistant", "Try artists who draw on the twenties, like Michael Bublé or Diana Krall."),
    ("user", "How do I learn jazz steps? I've been taking classes with Michael, but I want to practise more."),
)
NEIGHBOURS = (
    ("user", "I was thinking of inviting some neighbours: Maria, Suresh and Michael."),
    ("assistant", "A greeting for Michael: hello."),
    ("assistant", "Try artists like Michael Bublé: a singer known for his energy."),
)


@pytest.mark.parametrize("lines", [LESSONS, NEIGHBOURS], ids=["a teacher", "a neighbour"])
def test_whom_only_an_assistant_names_in_full_a_person_does_not_mean_by_a_first_name(
    host: Host, lines: tuple[tuple[str, str], ...]
) -> None:
    spoken(host, *lines)
    assert {"Michael", "Michael Bublé"} <= set(names(host))
    run(host)
    assert "Michael" in names(host)


def test_whom_a_note_names_a_person_means_whoever_says_the_full_name(host: Host) -> None:
    notes(host, "Michael Stone leads our choir.")
    spoken(host, ("assistant", "Ask Michael Stone for the music."), ("user", "Michael lost it on Friday."))
    run(host)
    assert "Michael" not in names(host)


@pytest.mark.parametrize(
    "lines",
    [
        (("user", "Michael Stone offered me a job."), ("assistant", "What does Michael pay?")),
        (("assistant", "Michael Stone came, and Michael laughed."), ("user", "Michael pays well.")),
        (("assistant", "Michael Stone painted it."), ("assistant", "Michael was young then.")),
        (("user", "Michael Stone called."), ("assistant", "Good."), ("user", "Michael wants to meet.")),
    ],
    ids=["asked about", "both at once", "the assistant's", "the person's"],
)
def test_a_first_name_in_answer_to_a_full_one_joins_it(host: Host, lines: tuple[tuple[str, str], ...]) -> None:
    spoken(host, *lines)
    before = names(host)
    run(host)
    assert "Michael" in before
    assert "Michael" not in names(host)


def test_an_export_brings_the_join_along(host: Host, tmp_path: Path) -> None:
    notes(host, *TEXTS)
    run(host)
    host.ask("exchange.export", path=str(tmp_path / "all.jsonl"))
    other = start(tmp_path / "other")
    try:
        other.ask("exchange.import", path=str(tmp_path / "all.jsonl"))
        assert names(other) == JOINED
        other.ask("entity.split", id=id_of(other, "Kenji Tanaka"), aliases=["Kenji"])
        assert names(other) == APART
    finally:
        other.stop()


SPEAKING_AGAINST = (
    ("Laura", ["My sister Laura visited. Laura Becker, my boss, met Laura at the door."]),
    ("Laura", ["Laura Becker, my boss, met Laura at the door."]),
    ("Laura", ["Laura Becker came. My other friend Laura is a nurse."]),
    ("Laura", ["Laura Becker came. The other Laura called too."]),
    ("Laura", ["Laura is not Laura Becker."]),
    ("Laura", ["Do not confuse Laura with Laura Becker."]),
    ("Laura", ["Laura Becker is older, by the way, than Laura."]),
    ("Laura", ["Laura Becker came. Laura is my sister."]),
    ("Laura", ["Laura Becker kam. Meine Schwester Laura lachte."]),
    ("Laura", ["Laura Becker kam. Eine andere Laura lachte."]),
    ("Laura", ["Laura Becker vino. Mi hermana Laura se fue."]),
    ("Laura", ["Laura Becker vino. La otra Laura se fue."]),
    ("Laura", ["Laura Becker 来了。我妹妹 Laura 笑了。"]),
    ("Laura", ["Laura Becker 来了。另一个 Laura 笑了。"]),
    ("Max", ["Max Weber wrote a book. My dog Max barked."]),
    ("Tom", ["Tom Hanks played well. Tom from next door watched it."]),
    ("Tom", ["Tom Hanks played well. Tom the plumber watched it."]),
    ("Maria", ["Maria is older than Maria Lopez."]),
    ("Maria", ["Maria and Maria Lopez came."]),
    ("Justin", ["Justin Miller came. Justin, Travis and Griffin Moore sang."]),
    ("Laura", ["Laura Becker came. Laura laughed.", "Amanda, Laura and Tom are in that play."]),
    ("Eve", ["Eve Miller came to town. We sang on Christmas Eve at home."]),
    ("Fiona", ["Fiona Davis wrote it. The central character, Fiona, is a nurse."]),
    ("Neil", ["Neil Moore called. Neil deGrasse Tyson wrote a book."]),
    ("Laura", ["Laura Becker came. I did not mean that Laura."]),
    ("Jackson", ["Jackson Miller moved to Jackson."]),
    ("Jackson", ["Jackson Miller came. We stayed in Jackson for a week."]),
    ("George", ["George Stubbs painted horses. The firm held warrants from King George III and later monarchs."]),
    ("Maria", ["Maria Lopez came. Kaiserin Maria starb."]),
    ("Anna", ["Anna Keller came. The ship Anna sank."]),
    ("Emma", ["Emma Miller came. We talked about the novel Emma."]),
    ("Claude", ["Claude Keller came. I asked the assistant Claude."]),
    ("Juan", ["Juan Lopez vino. El rey Juan habló."]),
    ("Charles", ["Charles Darwin sailed. Charles II liked dogs."]),
    (
        "Anna",
        [f"Anna cooked dinner again; {n} times this week she made soup for Dad." for n in range(15)]
        + [
            "Anna Keller joined our team at work. Later Anna explained the build.",
            "Anna Keller wrote the report. Anna liked it.",
        ],
    ),
)


@pytest.mark.parametrize(("short", "texts"), SPEAKING_AGAINST, ids=[texts[0][:40] for _, texts in SPEAKING_AGAINST])
def test_a_name_that_may_be_of_another_stays_for_itself(host: Host, short: str, texts: list[str]) -> None:
    notes(host, *texts)
    before = names(host)
    assert any(name.startswith(f"{short} ") for name in before)
    run(host)
    assert names(host) == before


def test_a_name_near_its_full_name_too_seldom_is_asked_about(host: Host) -> None:
    notes(host, "Kenji Tanaka came. Kenji laughed.", *(f"Kenji called {n} times." for n in range(2, 5)))
    run(host)
    assert names(host) == {"Kenji Tanaka": 1, "Kenji": 4}
    assert ["Kenji" in one.reason for one in host.ask("inbox.list")] == [True]


def test_a_name_far_from_its_full_name_in_a_long_talk_is_asked_about(host: Host) -> None:
    said = ["Kenji Tanaka came.", *(f"It rained {n} times." for n in range(9)), "Kenji laughed."]
    host.ask("session.append", session="s", messages=[{"role": "user", "content": text} for text in said])
    assert names(host) == {"Kenji Tanaka": 1, "Kenji": 1}
    run(host)
    assert names(host) == {"Kenji Tanaka": 1, "Kenji": 1}


def talk(host: Host, *texts: str) -> None:
    """Say something far from something else: rain in between."""
    rain = [f"It rained {number} times." for number in range(9)]
    messages = [{"role": "user", "content": text} for text in (texts[0], *rain, *texts[1:])]
    host.ask("session.append", session="s", messages=messages)


def test_a_surname_with_the_title_of_its_full_name_in_a_long_talk_joins_it(host: Host) -> None:
    talk(host, "Dr. Aoife Brennan took samples.", "Dr. Brennan found lead.", "Thank Dr. Brennan for it.")
    assert names(host) == {"Aoife Brennan": 1, "Brennan": 2}
    run(host)
    assert names(host) == {"Aoife Brennan": 3}


@pytest.mark.parametrize(
    "texts",
    [
        ("Aoife Brennan took samples.", "Dr. Brennan found lead."),
        ("Dr. Aoife Brennan took samples.", "Dr. Brennan found lead.", "Hi Brennan, come home."),
        ("Dr. Aoife Brennan took samples.", "Prof. Brennan found lead."),
        ("Mrs. Aoife Brennan took samples.", "Mrs. Brennan found lead."),
        ("Dr. Aoife Brennan took samples.", "My vet Dr. Brennan has a dog, another Dr. Brennan."),
        ("Dr. Aoife Brennan took samples.", "Dr. Brennan, her husband, found lead."),
        ("Dr. Aoife Brennan took samples.", "Dr. Brennan found lead.", "Dr. Liam Brennan slept."),
        ("Dr. Aoife Brennan took samples.", "Aoife slept."),
    ],
    ids=str,
)
def test_a_surname_in_a_long_talk_that_may_be_of_another_stays_for_itself(host: Host, texts: tuple[str, ...]) -> None:
    talk(host, *texts)
    before = names(host)
    run(host)
    assert names(host) == before


CIRCLE = (
    "Kenji Tanaka came. Kenji met Ines, Lotte and Bram in Ghent.",
    "Kenji Tanaka and Bram visited Lotte in Ghent. Kenji slept.",
    "Kenji called Lotte and Bram about Ghent. Kenji laughed.",
    "Kenji and Lotte wrote to Ines and Bram. Kenji agreed.",
    *(f"Paula swam {n} times." for n in range(30)),
)


def test_a_name_among_the_people_and_places_of_its_full_name_joins_it(host: Host) -> None:
    notes(host, *CIRCLE)
    assert names(host)["Kenji"] == 6
    run(host)
    assert names(host)["Kenji Tanaka"] == 8


NAMESAKES = (
    (
        "Maria",
        (
            "Maria Lopez signed the contract with Peter Schmidt and Anna Weber. Maria was happy.",
            "Maria Lopez audits the books of Peter Schmidt and Anna Weber.",
        ),
        "Maria took Peter Schmidt and Anna Weber to school on day {n}.",
        6,
    ),
    (
        "Oscar",
        (
            "Oscar Lindqvist, our landlord, met Pia Holm and Ben Adler. Oscar was friendly.",
            "Oscar Lindqvist raised the rent for Pia Holm and Ben Adler. Oscar was sorry.",
        ),
        "Oscar lost tooth {n} while playing with Pia Holm and Ben Adler.",
        7,
    ),
)


@pytest.mark.parametrize(("short", "both", "alone", "times"), NAMESAKES, ids=[row[0] for row in NAMESAKES])
def test_two_of_a_name_among_the_same_people_are_asked_about(
    host: Host, short: str, both: tuple[str, ...], alone: str, times: int
) -> None:
    notes(host, *both, *(alone.format(n=n) for n in range(times)), *(f"Soup number {n}." for n in range(60)))
    before = names(host)
    run(host)
    assert names(host) == before
    assert [short in one.reason for one in host.ask("inbox.list")] == [True]


def test_a_name_among_other_people_and_places_stays_for_itself(host: Host) -> None:
    others = (text.replace("Lotte", f"Oksana {n}").replace("Bram", "Noor") for n, text in enumerate(CIRCLE[2:]))
    notes(host, *CIRCLE[:2], *others)
    before = names(host)
    run(host)
    assert names(host) == before


@pytest.mark.parametrize(
    "text",
    [
        "Kenji's sister came along. I spoke to Kenji at noon.",
        "Tell Kenji the new date. Kenji, the team and I agreed.",
        "Was Kenji tired? I asked Kenji because Kenji Tanaka left early.",
        "Demandez à Kenji demain.",
        "On Monday Kenji called. In Ghent Kenji slept.",
        "They believe that Kenji was right.",
        "Demandez à Kenji de regarder le toit.",
        "Ines and her husband, Kenji with Zosia, and two others came.",
        "Kenji (Kenji Tanaka) called.",
    ],
)
def test_what_is_said_of_one_person_prevents_no_join(host: Host, text: str) -> None:
    notes(host, *TEXTS, "Kenji Tanaka came, and Kenji sang.", "Kenji Tanaka slept, and Kenji snored.", text)
    run(host)
    assert "Kenji" not in names(host)


def test_a_text_that_tells_two_apart_parts_what_was_joined(host: Host) -> None:
    notes(host, *TEXTS)
    run(host)
    notes(host, "My other friend Kenji is a nurse.")
    assert "apart again" in run(host).output
    assert names(host) == {"Kenji Tanaka": 2, "Kenji": 3}


def test_no_other_takes_the_name_that_was_joined_to_one(host: Host) -> None:
    notes(host, "Marco Rossi came. Marco laughed.", "Kenji Tanaka slept.")
    run(host)
    assert names(host) == {"Marco Rossi": 2, "Kenji Tanaka": 1}
    with pytest.raises(InputError, match="Marco Rossi is called Marco too"):
        host.ask("entity.rename", id=id_of(host, "Kenji Tanaka"), name="Marco")
    assert names(host) == {"Marco Rossi": 2, "Kenji Tanaka": 1}


BARISTA = ("Ahmed made me a strong coffee.", "Ahmed has a new grinder at the bar.")
SINGER = ("Ahmed Malik sang in the old theatre, and Ahmed bowed.",)


@pytest.mark.parametrize("texts", [*permutations((*BARISTA, *SINGER))], ids=str)
def test_a_first_name_with_a_life_of_its_own_is_asked_about_once_in_any_order(
    host: Host, texts: tuple[str, ...]
) -> None:
    for text in texts:
        notes(host, text)
        run(host)
    assert names(host) == {"Ahmed": 3, "Ahmed Malik": 1}
    assert ["Ahmed Malik" in one.reason for one in host.ask("inbox.list")] == [True]


def test_a_question_that_later_texts_answer_is_withdrawn(host: Host) -> None:
    notes(host, "Kenji is tall.", TEXTS[0])
    run(host)
    assert host.ask("inbox.count") == 1
    notes(host, TEXTS[1], *(f"Kenji Tanaka came {n} times, and Kenji laughed." for n in range(2, 4)))
    made = run(host)
    assert names(host) == {"Kenji Tanaka": 9}
    assert host.ask("inbox.count", state="all") == 0
    host.ask("memory.undo", run_id=made.run_id)
    run(host)
    assert names(host) == {"Kenji Tanaka": 4, "Kenji": 5}
    assert host.ask("inbox.count") == 0


def test_a_join_of_a_looser_rule_is_taken_back_by_one_run_with_its_undo(host: Host) -> None:
    notes(host, *BARISTA, *SINGER)
    joins, rows = engine_of(host).enrichment.job._joins, {row.name: row for row in host.ask("entity.list")}
    into, other = (NamedEntity(rows[name].id, name, "person", 1) for name in ("Ahmed Malik", "Ahmed"))
    pair = NearDuplicate(into, other, "short name", 1.0)
    write(host, lambda connection: joins._move(connection, pair, pair.into.id, "MERGE", "run-of-a-looser-rule"))
    assert names(host) == {"Ahmed Malik": 4}
    assert [change.action for change in host.ask("upkeep.plan", job="enrichment").changes] == ["part"]
    made = run(host)
    assert "apart again" in made.output
    assert names(host) == {"Ahmed": 3, "Ahmed Malik": 1}
    entries = len(history(host))
    assert "apart again" not in run(host).output
    assert len(history(host)) == entries
    host.ask("memory.undo", run_id=made.run_id)
    run(host)
    assert names(host) == {"Ahmed Malik": 4}


HOUSEHOLDS = (
    ("My wife Ines and her sister Ines Duarte live here. Ines cooks.",),
    ("Ines Duarte lives with her mother Ines. Ines cooks.",),
    ("Laura Becker from work came. Laura explained it.", "Laura, our daughter, slept. Laura snored.", "Laura slept."),
    ("Max Weber came to dinner. Max laughed.", "We walked Max in the rain.", "Max ate the sofa.", "Max barked."),
    ("Sherlock Holmes is a figure of a book.", "Sherlock found the ball.", "Sherlock wants to go out."),
    ("Anna Keller is our architect. Anna drew it.", "Anna lost a tooth.", "Anna has a fever."),
)


@pytest.mark.parametrize("texts", HOUSEHOLDS, ids=[texts[0][:30] for texts in HOUSEHOLDS])
def test_namesakes_at_home_and_at_work_pets_and_figures_stay_for_themselves(host: Host, texts: tuple[str, ...]) -> None:
    notes(host, *texts)
    before = names(host)
    run(host)
    assert names(host) == before
