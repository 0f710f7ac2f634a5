"""A client completes ids and names, of what it may see."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.host import Host
from app.mcp.completions import MOST
from tests.helpers.mcp_clients import RawClient

NOTE = {"type": "ref/resource", "uri": "memory://note/{id}"}
SESSION = {"type": "ref/resource", "uri": "memory://session/{id}"}
ENTITY = {"type": "ref/resource", "uri": "memory://entity/{name}"}
PROMPT = {"type": "ref/prompt", "name": "consolidate-session"}


@pytest.fixture
def host(vault: Path) -> Iterator[Host]:
    running = Host(vault, overrides={"embedding.model": "hashed"})
    running.start()
    yield running
    running.stop()


def completed(host: Host, trust: str, *wanted: tuple[dict[str, str], str, str]) -> list[dict[str, Any]]:
    """Return what an agent of a trust is given for each reference, argument and typed text."""
    client = RawClient(host.vault, str(host.ask("agent.add", name=trust, trust=trust).token))
    try:
        assert "completions" in client.greet()["result"]["capabilities"]
        answers = []
        for ref, name, typed in wanted:
            params = {"ref": ref, "argument": {"name": name, "value": typed}}
            answers.append(client.ask(1, "completion/complete", params)["result"]["completion"])
        return answers
    finally:
        assert client.close() == 0


def test_ids_and_names_are_completed(host: Host) -> None:
    boiler = host.ask("note.save", content="Serviced in May", title="The boiler", store="shared").id
    roses = host.ask("note.save", content="Cut the roses", title="Garden", store="private").id
    host.ask("session.append", session="talk-1", messages=[{"role": "user", "content": "Hello"}])
    host.ask("graph.create_entities", entities=[{"name": "Marta Obel", "type": "person", "observations": ["Mends"]}])
    host.ask("vault.settle")
    values = [
        answer["values"]
        for answer in completed(
            host,
            "full",
            (NOTE, "id", "boiler"),
            (NOTE, "id", ""),
            (NOTE, "id", roses[:-1]),
            (SESSION, "id", "talk"),
            (PROMPT, "session", ""),
            (ENTITY, "name", "mart"),
            (ENTITY, "name", "obel-nothing"),
            (PROMPT, "elsewhere", "x"),
            ({"type": "ref/resource", "uri": "memory://today"}, "id", "x"),
        )
    ]
    assert values[0] == [boiler]
    assert set(values[1]) >= {boiler, roses}
    assert values[2] == [roses]
    assert values[3:5] == [["talk-1"], ["talk-1"]]
    assert values[5] == ["Marta Obel"]
    assert values[6:] == [[], [], []]


def test_nothing_hidden_is_completed(host: Host) -> None:
    shared = host.ask("note.save", content="Serviced by Marta", title="The boiler", store="shared").id
    hidden = host.ask("note.save", content="Boiler of the therapist", title="Boiler again", store="private").id
    host.ask("session.append", session="talk-1", messages=[{"role": "user", "content": "Hello"}])
    by_title, by_id, of_session = completed(
        host, "inner", (NOTE, "id", "boiler"), (NOTE, "id", hidden), (SESSION, "id", "talk")
    )
    assert by_title["values"] == [shared]
    assert by_id["values"] == []
    assert of_session["values"] == []


def test_at_most_a_hundred_are_given_and_it_is_said_that_there_are_more(host: Host) -> None:
    for number in range(MOST + 5):
        host.ask("note.save", content=f"Number {number}", title=f"Same {number}")
    (answer,) = completed(host, "full", (NOTE, "id", "same"))
    assert len(answer["values"]) == MOST
    assert answer["hasMore"] is True
