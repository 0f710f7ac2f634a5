"""The demo vault's texts are well formed, agree with each other and hold what the searches promise."""

import itertools
import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

SAMPLE = Path(__file__).resolve().parents[3] / "resources" / "sample"
NOTES = sorted((SAMPLE / "notes").rglob("*.md"))
NOT_WRITTEN_YET = {"Anouk Lemaire", "Sapporo in the snow", "Winter pruning calendar"}
MESSAGE_FIELDS = {
    "type",
    "session",
    "title",
    "agent",
    "channel",
    "seq",
    "role",
    "author",
    "content",
    "created_at",
    "meta",
}

Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    lines = (SAMPLE / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def sessions() -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = {}
    for row in rows("conversations.jsonl"):
        grouped.setdefault(row["session"], []).append(row)
    return grouped


def front_matter(path: Path) -> tuple[dict[str, Any], str]:
    match = re.match(r"---\n(.*?)\n---\n(.+)", path.read_text(encoding="utf-8"), re.DOTALL)
    assert match, f"{path.name} has no front matter"
    head = yaml.safe_load(match[1])
    assert isinstance(head, dict)
    return head, match[2]


def title_of(path: Path) -> str:
    return str(front_matter(path)[0].get("title", path.stem))


def message_ids() -> set[str]:
    return {f"{row['session']}#{row['seq']}" for row in rows("conversations.jsonl")}


def known_ids() -> set[str]:
    return message_ids() | {title_of(path) for path in NOTES} | {row["id"] for row in rows("memories.jsonl")}


def test_there_are_twelve_sessions_of_usual_length() -> None:
    lengths = {name: len(turns) for name, turns in sessions().items()}
    assert len(lengths) == 12
    assert all(12 <= length <= 40 for length in lengths.values()), lengths
    assert 300 <= sum(lengths.values()) <= 400


def test_messages_have_the_declared_fields() -> None:
    for row in rows("conversations.jsonl"):
        assert set(row) == MESSAGE_FIELDS
        assert row["type"] == "message"
        assert row["role"] in {"user", "assistant", "tool", "system"}
        assert row["content"].strip()


@pytest.mark.parametrize("session", sorted(sessions()))
def test_turns_are_numbered_and_in_order_of_time(session: str) -> None:
    turns = sessions()[session]
    numbers = [row["seq"] for row in turns]
    times = [datetime.fromisoformat(row["created_at"]) for row in turns]
    assert numbers == sorted(set(numbers))
    assert times == sorted(times)
    assert all(moment.tzinfo for moment in times)
    assert datetime(2026, 9, 1, tzinfo=UTC) <= times[0]
    assert times[-1] < datetime(2026, 11, 1, tzinfo=UTC)
    assert len({(row["title"], row["agent"]) for row in turns}) == 1


def test_both_agents_speak_and_no_turn_is_said_twice() -> None:
    said = rows("conversations.jsonl")
    assert {row["agent"] for row in said} == {"Atlas", "Juniper"}
    assert Counter(row["content"] for row in said).most_common(1)[0][1] == 1


def test_every_tool_answer_follows_the_call_it_answers() -> None:
    answers = 0
    for turns in sessions().values():
        for call, answer in itertools.pairwise(turns):
            if answer["role"] != "tool":
                continue
            requested = call["meta"]["tool_calls"][0]
            assert (requested["name"], requested["id"]) == (answer["meta"]["tool_name"], answer["meta"]["tool_call_id"])
            answers += 1
    assert answers == sum(row["role"] == "tool" for row in rows("conversations.jsonl"))
    assert answers >= 10


def test_eight_people_recur_over_sessions() -> None:
    texts = ["\n".join(row["content"] for row in turns) for turns in sessions().values()]
    names = ("Ines", "Tomasz", "Brennan", "Kenji", "Lotte", "Bram", "Oksana", "Anouk")
    for name in names:
        assert sum(name in text for text in texts) >= 3, name


def test_there_are_twenty_five_notes_with_titles_of_their_own() -> None:
    assert len(NOTES) == 25
    assert len({title_of(path) for path in NOTES}) == 25


@pytest.mark.parametrize("path", NOTES, ids=lambda path: path.stem)
def test_front_matter_is_typed(path: Path) -> None:
    head, body = front_matter(path)
    assert set(head) <= {"title", "tags", "created", "updated", "aliases", "lang"}
    assert isinstance(head.get("title", ""), str)
    assert isinstance(head["created"], datetime)
    assert head["created"].tzinfo
    assert head.get("updated", head["created"]) >= head["created"]
    assert all(isinstance(tag, str) for tag in head["tags"])
    assert body.strip()


def test_wiki_links_lead_to_notes_except_the_ones_to_be_written() -> None:
    names = {title_of(path) for path in NOTES}
    for path in NOTES:
        names |= set(front_matter(path)[0].get("aliases", []))
    linked = {
        target.split("|")[0].split("#")[0]
        for path in NOTES
        for target in re.findall(r"\[\[([^\]]+)\]\]", front_matter(path)[1])
    }
    assert linked - names == NOT_WRITTEN_YET


def test_notes_are_in_many_scripts() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in NOTES)
    for first, last in (("ก", "๛"), ("ء", "ي"), ("а", "я"), ("ぁ", "ん"), ("一", "龥")):
        assert re.search(f"[{first}-{last}]{{2}}", text)
    languages = {front_matter(path)[0].get("lang", "en") for path in NOTES}
    assert languages == {"en", "fr", "nl", "de", "ja", "zh", "th", "ar", "uk"}


def test_memories_are_of_three_kinds_and_facts_have_keys_of_their_own() -> None:
    found = rows("memories.jsonl")
    kinds = Counter(row["kind"] for row in found)
    assert kinds == {"fact": 15, "observation": 4, "reflection": 1}
    assert len({row["id"] for row in found}) == len(found)
    named = [(row["category"], row["key"]) for row in found if row["kind"] == "fact"]
    assert len(set(named)) == len(named)
    assert {row["session"] for row in found if "session" in row} <= set(sessions())
    assert all(datetime.fromisoformat(row["created_at"]).tzinfo for row in found)


def test_searches_name_hits_that_exist() -> None:
    searches = json.loads((SAMPLE / "searches.json").read_text(encoding="utf-8"))
    assert len(searches) == 5
    known = known_ids()
    for search in searches:
        wanted = {search["expected"], *search["also"], *search.get("absent", [])}
        if "older" in search:
            wanted.add(search["older"])
        assert wanted <= known, wanted - known
        assert search["shows"].endswith(".")


def test_the_expected_turns_hold_the_words_asked_for() -> None:
    said = {f"{row['session']}#{row['seq']}": row for row in rows("conversations.jsonl")}
    searches = {search["name"]: search for search in json.loads((SAMPLE / "searches.json").read_text(encoding="utf-8"))}
    run = searches["A word inside a run"]
    holding = [name for name, row in said.items() if run["query"] in row["content"]]
    assert holding == [run["expected"]]
    phrase = searches["One agent, one phrase"]
    by_atlas = {n for n, row in said.items() if "weep holes" in row["content"].lower() and row["agent"] == "Atlas"}
    assert by_atlas == {phrase["expected"], *phrase["also"]}
    newer = searches["The newer answer"]
    assert said[newer["older"]]["created_at"] < said[newer["expected"]]["created_at"]
    assert "19 October" in said[newer["expected"]]["content"]
    assert "12 October" in said[newer["older"]]["content"]
