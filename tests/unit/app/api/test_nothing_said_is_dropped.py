"""What is written is stored, or said to be known only where all of it is."""

from typing import Any

import pytest

from app.core.text import content_hash
from app.host import Host
from tests.helpers.engine import engine_of

STAND_UP = "Monday stand-up: the deploy failed because of the certificate."
GREEN = "Thursday: we moved the certificate to Vault and the deploy is green again."
JENKINS = ["Deploys go through Jenkins."]
OBSERVED: dict[str, Any] = {"content": STAND_UP, "facts": JENKINS}


def stored(host: Host) -> list[Any]:
    rows = host.ask("memory.list", limit=100)
    return [host.ask("note.get", id=row.id) for row in rows]


def test_another_text_with_known_statements_is_another_observation(host: Host) -> None:
    host.ask("memory.write", **OBSERVED)
    second = host.ask("memory.write", content=GREEN, facts=JENKINS)
    assert second.outcome == "ADD"
    assert {one.content for one in stored(host)} == {STAND_UP, GREEN}
    assert host.ask("memory.write", content=GREEN, facts=JENKINS).outcome == "EXACT_DUP"


def test_an_observation_of_an_earlier_version_is_still_known(host: Host) -> None:
    first = host.ask("memory.write", **OBSERVED).memory
    earlier = "UPDATE memories SET content_hash = ? WHERE id = ?"
    engine: Any = engine_of(host)

    async def age() -> None:
        await engine.store.write(lambda database: database.execute(earlier, (content_hash("", *JENKINS), first.id)))

    host.submit(age()).result(10)
    assert host.ask("memory.write", **OBSERVED).matched == first.id
    assert host.ask("memory.write", content=GREEN, facts=JENKINS).outcome == "ADD"


@pytest.mark.parametrize(
    ("field", "first", "second"),
    [
        ("facts", ["One."], ["Two."]),
        ("title", "Monday", "Thursday"),
        ("type", "decision", "task"),
        ("event_time", "2026-03-01T10:00:00Z", "2026-03-02T10:00:00Z"),
        ("attributes", {"ticket": 1}, {"ticket": 2}),
        ("store", "shared", "social"),
    ],
)
def test_what_differs_is_kept_twice(host: Host, field: str, first: Any, second: Any) -> None:
    for value in (first, second):
        assert host.ask("memory.write", content="The deploy failed.", **{field: value}).outcome == "ADD"
    assert len(stored(host)) == 2


@pytest.mark.parametrize("operation", ["memory.write", "fact.remember", "fact.batch", "fact.set"])
def test_what_is_new_beside_known_words_is_added(host: Host, operation: str) -> None:
    named = {"category": "home", "key": "city"} if operation == "fact.set" else {}
    text = {"value": "Mara lives in Riga."} if named else {"content": "Mara lives in Riga."}
    kind = {"kind": "fact"} if operation == "memory.write" else {}

    def write(**details: Any) -> Any:
        if operation == "fact.batch":
            return host.ask(operation, facts=[{**text, **details}]).written[0]
        return host.ask(operation, **named, **text, **kind, **details)

    write(tags=["home"], attributes={"seen": 1})
    answer = write(tags=["latvia"], attributes={"by": "post"})
    (memory,) = stored(host)
    assert set(memory.tags) == {"home", "latvia"}
    assert memory.attributes.items() >= {"seen": 1, "by": "post"}.items()
    assert memory.mention_count == 2
    if operation != "fact.set":
        assert answer.reason.endswith("What was new beside them was added: tags, attributes.")
    plain = write()
    if operation != "fact.set":
        assert "added" not in plain.reason


def test_files_people_and_sources_of_a_repeated_memory_are_kept(host: Host) -> None:
    note = host.ask("note.save", content="A plan")
    host.ask("memory.write", content="The deploy failed.", related_files=["a.py"])
    host.ask(
        "memory.write",
        content="The deploy failed.",
        related_files=["b.py"],
        related_people=["Priya"],
        sources=[{"kind": "memory", "id": note.id}],
    )
    memory = next(one for one in stored(host) if one.kind == "observation")
    assert (memory.files, memory.people) == (("a.py", "b.py"), ("Priya",))
    assert [source.id for source in memory.sources] == [note.id]


def test_a_batch_keeps_what_its_equal_facts_say_beside_their_words(host: Host) -> None:
    facts = [{"content": "Mara sings.", "tags": [tag]} for tag in ("a", "b", "a")]
    assert [one.outcome for one in host.ask("fact.batch", facts=facts).written] == ["ADD", "EXACT_DUP", "EXACT_DUP"]
    (memory,) = stored(host)
    assert set(memory.tags) == {"a", "b"}
