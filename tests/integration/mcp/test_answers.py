"""Answers of the small profile: what was left out, what waits, what took whose place; and lenient arguments."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.core.text_rules.short_ids import short_id
from app.core.text_rules.tag_names import MAX_TAG_LENGTH, MAX_TAGS
from app.core.text_rules.token_estimate import estimate_served_tokens
from app.host import Host
from app.mcp.tools.small_schemas import SMALL_TOOLS
from tests.helpers.mcp_clients import RawClient

Ask = Callable[..., Any]


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


@pytest.fixture
def ask(host: Host, request: pytest.FixtureRequest) -> Iterator[Ask]:
    """Return what calls a tool as an agent and returns its text and structured answer."""
    options = getattr(request, "param", {})
    client = RawClient(host.vault, str(host.ask("agent.add", name="scout", trust="inner", **options).token))
    client.greet()

    def call(name: str, /, **arguments: Any) -> tuple[str, Any]:
        result = client.ask(1, "tools/call", {"name": name, "arguments": arguments})["result"]
        return result["content"][0]["text"], result.get("structuredContent")

    yield call
    assert client.close() == 0


def test_tags_that_were_cut_or_left_out_are_named(host: Host, ask: Ask) -> None:
    said, found = ask("memory_write", content="Many tags.", tags=[f"t{number}" for number in range(500)])
    assert "484 tags were left out: a memory has at most 16." in said
    assert found["text"] == said
    said, _ = ask("remember_fact", content="A long tag.", tags=["t" * 5000, "t" * 6000, "ok"])
    assert "2 tags were cut to 64 characters." in said
    said, found = ask("memory_write", content="Ordinary tags.", tags="a, A, #b")
    assert "left out" not in said
    assert "cut" not in said
    declared = next(one for one in SMALL_TOOLS if one["name"] == "memory_write")["inputSchema"]["properties"]["tags"]
    assert declared["description"] == f"at most {MAX_TAGS} of at most {MAX_TAG_LENGTH} characters"
    for tags in ({"a": 1}, ["ok", {"a": 1}], ["ok", ["b"]]):
        said, found = ask("memory_write", content="Wrong tags.", tags=tags)
        assert "'tags' must be a list of texts." in said
        assert found is None


@pytest.mark.parametrize("ask", [{"review": True}], indirect=True)
def test_the_number_of_a_proposal_tells_what_became_of_it(host: Host, ask: Ask) -> None:
    numbers = []
    for content in ("The first.", "The second.", "The third."):
        said, found = ask("memory_write", content=content)
        assert "memory_get with its number" in said
        assert "inbox.mine" not in said
        numbers.append(found["id"])
    accepted, rejected, waiting = numbers
    (done,) = host.ask("inbox.accept", id=int(accepted))
    host.ask("inbox.reject", id=int(rejected), reason="That was a joke.")
    said, found = ask("memory_get", ids=[*numbers, "4711"])
    assert [(one["id"], one["state"]) for one in found["proposals"]] == [
        (accepted, "accepted"),
        (rejected, "rejected"),
        (waiting, "waiting"),
    ]
    assert found["missing"] == ["4711"]
    assert f"Proposal {rejected} was rejected by the person: That was a joke." in said
    assert f"Proposal {waiting} waits for the person; nothing is stored yet." in said
    assert f"It is stored as {', '.join(found['proposals'][0]['ids'])}." in said
    assert done.state == "accepted"


def test_a_fact_that_was_superseded_names_the_one_that_holds(ask: Ask) -> None:
    _, first = ask("remember_fact", content="Quentin plays the oboe.")
    _, second = ask("correct_fact", id=first["id"], content="Quentin plays the tuba.")
    _, third = ask("correct_fact", id=second["id"], content="Quentin plays the horn.")
    for options in ({"content": "Quentin sings."}, {"delete": True}):
        said, found = ask("correct_fact", id=first["id"], **options)
        assert found is None
        assert f"was superseded by {third['id']}, which says “Quentin plays the horn.”. Correct that one" in said
    ask("correct_fact", id=third["id"], delete=True)
    said, _ = ask("correct_fact", id=first["id"], content="Quentin sings.")
    assert "was deleted already" in said


def test_kinds_ids_and_names_of_facts_are_taken_as_models_write_them(ask: Ask) -> None:
    _, note = ask("memory_write", content="Written as facts.", kind="Facts")
    for kinds in ("FACT", ["facts"], "fact, Notes"):
        _, found = ask("memory_timeline", kinds=kinds)
        assert found["ids"] == [note["id"]], kinds
    said, _ = ask("memory_timeline", kinds="memories")
    assert "must be one of: message, note, fact" in said
    for name, field in (("memory_get", "ids"), ("confirm_fact", "id"), ("memory_timeline", "around")):
        _, found = ask(name, **{field: f"⟦{note['id']}⟧"})
        assert found, name
    _, first = ask("remember_fact", content="Zoe was born on 3 May.", category="Birthday", key="ZOE")
    _, second = ask("remember_fact", content="Zoe was born on 4 May.", category="birthday", key="zoe")
    assert (second["outcome"], second["matched"]) == ("superseded", first["id"])
    _, third = ask("remember_fact", content="Zoe was born on 5 May.", category="BIRTHDAY", key="Zoe")
    assert (third["outcome"], third["matched"]) == ("superseded", second["id"])


def test_a_fact_that_has_its_name_in_capitals_keeps_it(host: Host, ask: Ask) -> None:
    old = host.ask("fact.remember", content="Zoe was born on 3 May.", category="Birthday", key="Zoe", store="shared")
    _, found = ask("remember_fact", content="Zoe was born on 4 May.", category="Birthday", key="Zoe")
    assert (found["outcome"], found["matched"]) == ("superseded", short_id(old.memory.id))


@pytest.mark.parametrize("most", [300, 800])
def test_no_half_of_an_answer_goes_over_its_budget(host: Host, most: int) -> None:
    for number in range(60):
        host.ask("note.save", content=f"The boiler of house {number} hums. " * 4, title=f"Boiler {number}")
    turns = [{"role": "user", "content": f"The boiler hummed on day {number}."} for number in range(40)]
    host.ask("session.append", session="ses-boiler", messages=turns)
    key = str(host.ask("agent.add", name="scout", trust="full").token)
    ids = [row.id for row in host.ask("note.list", limit=60)]
    calls: dict[str, dict[str, Any]] = {
        "memory_context": {"prompt": "What of the boiler?", "session": "ses-boiler"},
        "memory_search": {"query": "boiler", "limit": 50},
        "memory_get": {"ids": ids},
        "memory_timeline": {"before": 60, "after": 60},
    }
    client = RawClient(host.vault, key)
    try:
        client.greet()
        for name, given in calls.items():
            call = {"name": name, "arguments": {**given, "max_tokens": most}}
            result = client.ask(1, "tools/call", call)["result"]
            halves = [result["content"][0]["text"], json.dumps(result["structuredContent"], ensure_ascii=False)]
            assert [half for half in halves if estimate_served_tokens(half) > most] == [], name
            assert "⟦" in halves[0], name
    finally:
        assert client.close() == 0


def test_a_goal_is_scheduled_listed_and_deleted(host: Host, ask: Ask) -> None:
    said, made = ask("schedule", goal="Sum up my week", when="0 8 * * mon", zone="Europe/Berlin")
    number = made["ids"][0]
    assert number in said
    schedule = host.ask("schedule.get", id=number)
    assert (schedule.user_id, schedule.cadence.expression, schedule.cadence.zone) == (
        "scout",
        "0 8 * * mon",
        "Europe/Berlin",
    )
    host.ask("schedule.create", goal="Mine alone", cadence={"kind": "interval", "seconds": 3600}, trust="full")
    said, found = ask("schedule")
    assert found["ids"] == [number]
    assert "Sum up my week" in said
    said, gone = ask("schedule", action="delete", id=f"⟦{number}⟧")
    assert gone["outcome"] == "deleted"
    said, found = ask("schedule")
    assert found["ids"] == []
    assert "There are none." in said


@pytest.mark.parametrize(
    ("when", "kind"),
    [("every 2 hours", "interval"), ("90m", "interval"), ("2040-03-01T10:00Z", "once"), ("30 7 * * *", "cron")],
)
def test_times_of_a_goal_are_given_in_several_ways(host: Host, ask: Ask, when: str, kind: str) -> None:
    _, made = ask("schedule", goal="Water the quince", when=when)
    assert host.ask("schedule.get", id=made["ids"][0]).cadence.kind == kind


@pytest.mark.parametrize("when", ["soon", "", "2040-99-99T10:00Z", "2040-03-01T10:00", "99 * * * *", "every 0 minutes"])
def test_a_time_that_is_none_is_refused_with_a_sentence(ask: Ask, when: str) -> None:
    said, found = ask("schedule", action="create", goal="Water the quince", when=when)
    assert found is None
    assert "[invalid_input]" in said


def test_statistics_tell_what_the_agent_may_see(host: Host, ask: Ask) -> None:
    host.ask("note.save", content="the quince", store="shared")
    host.ask("note.save", content="the medlar")
    said, found = ask("memory_stats")
    assert (found["memories"], found["messages"]) == (1, 0)
    assert "1 memory (1 note)" in said


def test_files_and_people_of_a_memory_are_found_shown_and_linked(host: Host, ask: Ask) -> None:
    about = {"files": ["src/importer/reader.py"], "people": ["Priya Raman"]}
    _, stored = ask("memory_write", content="Decision: it reads 64 KiB at once.", **about)
    host.ask("vault.settle", names=True)
    for query in ("src/importer/reader.py", "reader.py", "Priya", "file:reader.py", "what do we know about reader.py?"):
        _, found = ask("memory_search", query=query)
        assert found["ids"][:1] == [stored["id"]], query
    said, found = ask("memory_get", ids=[stored["id"]])
    assert "files src/importer/reader.py, people Priya Raman" in said
    assert "files src/importer/reader.py, people Priya Raman" in found["text"]
    said, found = ask("get_entity_info", name="Priya Raman")
    assert "Decision: it reads 64 KiB at once." in said
